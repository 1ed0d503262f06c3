package imageslice_test

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// withOrientation returns a JPEG file with an EXIF orientation behind its first two bytes.
func withOrientation(file []byte, orientation int) []byte {
	segment := fmt.Sprintf("\xff\xe1\x00\x22Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00%c\x00\x00\x00\x00\x00\x00\x00", orientation)
	return slices.Concat(file[:2], []byte(segment), file[2:])
}

// README's service makes the same tensor of a photo of any orientation, in colours or grey, as of
// the photo that was turned upright pixel by pixel, in R, G and B.
func TestUploadsBecomeUpright(t *testing.T) {
	rng := rand.New(rand.NewPCG(76, 18))
	for _, size := range []image.Point{{97, 60}, {45, 71}} {
		r := image.Rectangle{Max: size}
		grey := image.NewGray(r)
		scramble(grey, rng)
		for _, m := range []image.Image{ycbcr(rng, r, image.YCbCrSubsampleRatio420), grey} {
			var file bytes.Buffer
			require.NoError(t, jpeg.Encode(&file, m, nil))
			decoded, err := jpeg.Decode(bytes.NewReader(file.Bytes()))
			require.NoError(t, err)
			decoded = imageslice.Decoded(decoded, "jpeg")
			for orientation := 1; orientation <= 8; orientation++ {
				got, err := clipInput(withOrientation(file.Bytes(), orientation))
				require.NoError(t, err)
				upright := image.NewRGBA(r)
				if orientation > 4 {
					upright = image.NewRGBA(image.Rect(0, 0, size.Y, size.X))
				}
				for y := range upright.Rect.Dy() {
					for x := range upright.Rect.Dx() {
						upright.Set(x, y, orientedAt(decoded, orientation, x, y))
					}
				}
				want := make([]float32, 3*224*224)
				clip := imageslice.Tensor{Filter: imageslice.Bicubic,
					Affine: imageslice.Normalize([]float32{0.48145466, 0.4578275, 0.40821073}, []float32{0.26862954, 0.26130258, 0.27577711})}
				require.NoError(t, imageslice.Convert(want, upright, upright.Rect, clip.ResizeCrop(upright.Rect, 224, 224)))
				require.Equal(t, want, got, "%T of %v, orientation %d", m, size, orientation)
			}
		}
	}
}

// README's service answers to a photo with numbers, and to what is none with an error.
func TestUploadsAreAnswered(t *testing.T) {
	var black bytes.Buffer
	m := image.NewRGBA(image.Rect(0, 0, 300, 200))
	draw.Draw(m, m.Rect, image.Black, image.Point{}, draw.Src)
	require.NoError(t, png.Encode(&black, m))
	for _, c := range []struct {
		file []byte
		code int
		text string
	}{
		{black.Bytes(), 200, "150528 [-1.7922626 -1.7922626 -1.7922626]"},
		{photo(640, 480), 200, "150528 ["},
		{[]byte("no photo"), 400, "image: unknown format"},
		{bomb(), 400, "50000 x 50000 pixels are too many"},
		{nil, 400, "image: unknown format"},
		{photo(640, 480)[:3000], 400, "invalid JPEG format: short Huffman data"},
	} {
		w := httptest.NewRecorder()
		embed(w, httptest.NewRequest("POST", "/", bytes.NewReader(c.file)))
		require.Equal(t, c.code, w.Code, w.Body)
		require.True(t, strings.HasPrefix(w.Body.String(), c.text), w.Body)
	}
}
