package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

func TestFirstFrameOfAGIF(t *testing.T) {
	d := newDir(t)
	colours := color.Palette{color.RGBA{10, 20, 30, 255}, color.RGBA{40, 50, 60, 255}}
	whole, part := image.NewPaletted(image.Rect(0, 0, 2, 2), colours), image.NewPaletted(image.Rect(1, 0, 2, 1), colours)
	whole.Pix = []byte{0, 1, 1, 0}
	for _, row := range []struct {
		frames []*image.Paletted
		notes  string
		shape  []int
		data   []byte
	}{
		{[]*image.Paletted{whole}, "NAME: palette, taken as RGB\n", []int{2, 2, 3}, []byte{10, 20, 30, 40, 50, 60, 40, 50, 60, 10, 20, 30}},
		{[]*image.Paletted{part, whole, part}, "NAME: palette, taken as RGB\nNAME: the first frame does not cover the picture, the rest is transparent\n",
			[]int{2, 2, 4}, []byte{0, 0, 0, 0, 10, 20, 30, 255, 0, 0, 0, 0, 0, 0, 0, 0}},
	} {
		var b bytes.Buffer
		require.NoError(t, gif.EncodeAll(&b, &gif.GIF{Image: row.frames, Delay: make([]int, len(row.frames)), Config: image.Config{Width: 2, Height: 2}}))
		d.write("in.gif", b.Bytes())
		code, _, stderr := d.run("-force", "[...]", "./in.gif", "./out.npy")
		require.Equal(t, exitOK, code, stderr)
		want := bytes.ReplaceAll([]byte(row.notes), []byte("NAME"), []byte("slice1: note: "+d.at("in.gif")))
		assert.Equal(t, string(want), stderr)
		h, got := d.array("out.npy")
		assert.Equal(t, npy.Header{Type: slice1.Uint8, Shape: row.shape}, h)
		assert.Equal(t, row.data, got)
	}
}

// decoded decodes a file as the command does.
func decoded(file []byte, orient int) (*array, error) {
	a := &array{source: &source{name: "in", bytes: file, size: int64(len(file))}}
	f := pictureOf(file)
	if f == nil {
		return nil, errors.New("no picture")
	}
	defer func() { held().give(a.claim) }()
	return a, a.parsePicture(f, orient)
}

// A PNG claims more pixels than its bytes hold.
func TestPixelsAreHeldAgainstTheFile(t *testing.T) {
	header := func(name string, width, height uint32, depth, kind byte) []byte {
		body := append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), width), height), depth, kind, 0, 0, 0)
		return append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"+string(body)+checksum(string(body))), make([]byte, 4<<20)...)
	}
	for _, row := range []struct {
		width, height uint32
		depth, kind   byte
		fits          bool
	}{
		{180_000, 180_000, 16, 6, false}, {50_000, 20_000, 16, 6, false}, {5_000, 5_000, 16, 6, true}, {60_000, 60_000, 8, 0, true}, {100_000, 100_000, 8, 0, false},
	} {
		_, err := decoded(header("in.png", row.width, row.height, row.depth, row.kind), 0)
		require.Error(t, err)
		if row.fits {
			assert.NotContains(t, err.Error(), "do not fit in", row)
		} else {
			assert.Regexp(t, "pixels do not fit in 41943.. bytes|of memory|dimension overflow", err.Error())
		}
	}
	assert.Nil(t, pictureOf([]byte("GIF87")))
	assert.Nil(t, pictureOf(nil))
	assert.Nil(t, pictureOf([]byte("GIF88b")))
}

// A file whose header changes between the check and the decoding is an error.
func TestPicturesThatChangeAreErrors(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2))))
	other := bytes.Clone(b.Bytes())
	other[19] = 200 // the width
	copy(other[29:], checksum(string(other[12:29])))
	a := &array{source: &source{name: "in", size: int64(b.Len())}}
	a.source.pipe = newPipe(bytes.NewReader(nil), nil)
	reads := 0
	m, _, err := pictureOf(b.Bytes()).picture(a, readerAt(func(p []byte, at int64) (int, error) {
		file := b.Bytes()
		if reads++; len(p) == len(file) {
			file = other
		}
		return bytes.NewReader(file).ReadAt(p, at)
	}))
	held().give(a.claim)
	assert.Nil(t, m)
	require.ErrorContains(t, err, "changed while it was read")
}

type readerAt func(p []byte, at int64) (int, error)

func (f readerAt) ReadAt(p []byte, at int64) (int, error) { return f(p, at) }

func TestWebPIsRead(t *testing.T) {
	d := newDir(t)
	// 1 x 1, lossless: red, opaque.
	d.write("in.webp", []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"))
	code, _, stderr := d.run("[...]", "./in.webp", "./out.npy")
	require.Equal(t, exitOK, code, stderr)
	h, got := d.array("out.npy")
	assert.Equal(t, []int{1, 1, 4}, h.Shape)
	assert.Len(t, got, 4)
}

func TestBMPsAreRead(t *testing.T) {
	d := newDir(t)
	m := image.NewRGBA(image.Rect(0, 0, 3, 2))
	for i := range m.Pix {
		m.Pix[i] = byte(7*i) | 3*byte(i&3/3)
	}
	for i := 3; i < len(m.Pix); i += 4 {
		m.Pix[i] = 255
	}
	var b bytes.Buffer
	require.NoError(t, bmp.Encode(&b, m))
	d.write("in.bmp", b.Bytes())
	d.works("[:, ::-1]", "./in.bmp", "./out.npy")
	h, got := d.array("out.npy")
	require.Equal(t, []int{2, 3, 3}, h.Shape)
	for i := range got {
		y, x, c := i/9, 2-i/3%3, i%3
		require.Equal(t, m.Pix[12*y+4*x+c], got[i])
	}
}

// A PGM keeps its largest sample; in other formats samples are not scaled, which a note says. A JPEG of
// finer chroma than 4:2:0 gets a note if it becomes a JPEG.
func TestWhatIsLostIsSaid(t *testing.T) {
	d := newDir(t)
	d.write("in.pgm", []byte("P5\n2 1\n1000\n\x03\xe8\x00\x64"))
	d.works("[:, ::-1]", "./in.pgm", "./out.pgm")
	assert.Equal(t, "P5\n2 1\n1000\n\x00\x64\x03\xe8", string(d.read("out.pgm")))
	code, _, stderr := d.run("[...]", "./in.pgm", "./out.png")
	assert.Equal(t, exitOK, code)
	assertOneLine(t, "in.pgm: samples of up to 1000, not scaled", stderr)

	file, err := os.ReadFile(filepath.Join(testdata, "orient", "444.jpg"))
	require.NoError(t, err)
	d.write("in.jpg", file)
	code, _, stderr = d.run("[...]", "./in.jpg", "./out.jpg")
	assert.Equal(t, exitOK, code)
	assertOneLine(t, "in.jpg: chroma of 4:4:4 becomes 4:2:0", stderr)
	d.works("[...]", "./in.jpg", "./jpg.png")
	d.works("[..., 0]", "./in.jpg", "./grey.jpg")
	d.works("[...]", "./out.jpg", "./again.jpg")
}

// For any bytes that begin as a picture does, of at most 256 x 256 pixels, the result is an error or
// an array with the height and width of the header, turned or not.
func FuzzPicture(f *testing.F) {
	f.Add([]byte("P6 2 1 255\nabcdef"))
	f.Add([]byte("P5 #c\n1 1 65535\nabc"))
	r := image.Rect(0, 0, 5, 3)
	colours := image.NewPaletted(r, color.Palette{color.Black, color.White, color.NRGBA{1, 2, 3, 4}})
	for _, m := range []image.Image{image.NewGray(r), image.NewGray16(r), image.NewRGBA(r), image.NewNRGBA(r), image.NewNRGBA64(r), colours} {
		var b, c, j, g bytes.Buffer
		require.NoError(f, png.Encode(&b, m))
		require.NoError(f, tiff.Encode(&c, m, &tiff.Options{Compression: tiff.Deflate, Predictor: true}))
		require.NoError(f, jpeg.Encode(&j, m, nil))
		require.NoError(f, gif.Encode(&g, m, nil))
		for _, file := range []*bytes.Buffer{&b, &c, &j, &g} {
			f.Add(file.Bytes())
		}
	}
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		f.Add(tiffFile(order, 3, 1, 1, 1, whiteIsZero, tiffFields{274: {6}}, []byte{0xa0}))
		f.Add(tiffFile(order, 2, 1, 16, 4, tiffRGB, tiffFields{338: {1}}, counting(16)))
		f.Add(tiffFile(order, 5, 3, 8, 1, whiteIsZero, tiffFields{322: {16}, 323: {16}}, make([]byte, 256)))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		format := pictureOf(file)
		if format == nil {
			return
		}
		c, err := format.config(bytes.NewReader(file))
		if err != nil || c.Width > 256 || c.Height > 256 {
			return
		}
		a, err := decoded(file, 0)
		if err != nil {
			return
		}
		shape := []int{c.Height, c.Width}
		if !slices.Equal(shape, a.Shape[:2]) {
			slices.Reverse(shape)
		}
		require.Equal(t, shape, a.Shape[:2])
		last := 0
		for axis, extent := range a.Shape {
			last += (extent - 1) * a.strides[axis]
		}
		require.Less(t, last*a.Type.Size(), len(a.data))
	})
}
