package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
		{[]*image.Paletted{part, whole, part}, "NAME: the first of several frames\nNAME: palette, taken as RGBA\nNAME: the first frame does not cover the picture, the rest is transparent\n",
			[]int{2, 2, 4}, []byte{0, 0, 0, 0, 10, 20, 30, 255, 0, 0, 0, 0, 0, 0, 0, 0}},
		{[]*image.Paletted{part}, "NAME: palette, taken as RGBA\nNAME: the first frame does not cover the picture, the rest is transparent\n",
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

// decoded decodes a file like the command.
func decoded(file []byte, orient int) (*array, error) {
	a := &array{source: &source{account: new(job).memory(), name: "in", bytes: file, size: int64(len(file))}}
	f := pictureOf(file)
	if f == nil {
		return nil, errors.New("no picture")
	}
	return a, a.parsePicture(f, orient)
}

// A PNG that claims more pixels than its bytes can hold is refused.
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

// Files of cwebp, and the pixels that dwebp -nofancy makes of them.
func TestWebPsAreRead(t *testing.T) {
	const (
		lossy = "524946462e0000005745425056503820220000009001009d012a0400020000c01225a40002e745ac0000fc3fff78899ffb43d0600000"
		alpha = "524946469600000057454250565038580a00000010000000040000020000414c504810000000007983c1f30824d2f23f4fde6c45d34156503820600000003002009d012a0500030001402625b00274ba009100052a8e4eb800f678681e7876c8e26b1efde43f1a09c7ff936eb43f9affd7e731fc6860f6bff828a9e23ffa93d3f7f54cf933fbc3fe4b5f67b1f85eb3effe430725e7fe8b2dfe087fa74000"
		// 1 x 1, with alpha
		lossless = "524946461e000000574542505650384c110000002f0000001007508aead7a3c88188e87f0000"
	)
	d := newDir(t)
	for _, row := range []struct {
		file  string
		shape []int
		want  []byte
	}{
		{lossy, []int{2, 4, 3}, bytes.Repeat([]byte{0, 0, 0, 0, 0, 0, 255, 255, 255, 254, 254, 254}, 2)},
		{alpha, []int{3, 5, 4}, []byte{255, 197, 139, 121, 237, 164, 107, 131, 134, 152, 125, 193, 148, 166, 139, 243, 178, 42, 206, 8,
			246, 173, 116, 36, 203, 130, 73, 210, 181, 199, 173, 242, 134, 152, 125, 63, 178, 42, 206, 79,
			91, 104, 136, 222, 42, 55, 87, 108, 58, 108, 232, 69, 39, 89, 214, 211, 201, 57, 199, 65}},
		{lossless, []int{1, 1, 4}, []byte{250, 20, 30, 200}},
		{strings.Replace(lossless, "2f00000010", "2f00000000", 1), []int{1, 1, 3}, []byte{250, 20, 30}}, // the header says that it has no alpha
	} {
		file, err := hex.DecodeString(row.file)
		require.NoError(t, err)
		d.write("in.webp", file)
		d.works("-force", "[...]", "./in.webp", "./out.npy")
		h, got := d.array("out.npy")
		assert.Equal(t, row.shape, h.Shape)
		assert.Equal(t, row.want, got)
	}
	chunk := func(name string, body string) string {
		return name + string(binary.LittleEndian.AppendUint32(nil, uint32(len(body)))) + body + strings.Repeat("\x00", len(body)&1)
	}
	pixels, _ := hex.DecodeString(lossy[2*12:])
	for says, file := range map[string]string{
		"animated WebP, of which `webpmux": chunk("VP8X", "\x02\x00\x00\x00\x03\x00\x00\x01\x00\x00"),
		"animated":                         chunk("VP8X", "\x00\x00\x00\x00\x03\x00\x00\x01\x00\x00") + chunk("ANIM", "\x00\x00\x00\x00\x00\x00"),
		"says that it has alpha":           chunk("VP8X", "\x10\x00\x00\x00\x03\x00\x00\x01\x00\x00") + chunk("odd ", "abc") + string(pixels),
		"webp: invalid format":             strings.Repeat(chunk("none", ""), 1000),
	} {
		d.write("in.webp", []byte("RIFF"+string(binary.LittleEndian.AppendUint32(nil, uint32(4+len(file))))+"WEBP"+file))
		code, _, stderr := d.run("-force", "[...]", "./in.webp", "./out.npy")
		assert.Equal(t, exitError, code, says)
		assertOneLine(t, says, stderr)
	}
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

// bmpFile returns a BMP of 2 x 1 pixels. masks are for a header of 52 bytes or more.
func bmpFile(head, height int, bits, compression, colours, gap uint32, masks [4]uint32, palette, row []byte) []byte {
	little := binary.LittleEndian
	info := append(little.AppendUint32(nil, uint32(head)), 2, 0, 0, 0)
	info = little.AppendUint32(little.AppendUint32(info, uint32(height)), 1|bits<<16)
	for _, v := range append([]uint32{compression, 0, 0, 0, colours, 0}, masks[:]...) {
		info = little.AppendUint32(info, v)
	}
	info = append(info, make([]byte, 124)...)[:head]
	start := uint32(14+head+len(palette)) + gap
	file := little.AppendUint32(append(little.AppendUint32([]byte("BM"), start+uint32(len(row))), 0, 0, 0, 0), start)
	return slices.Concat(file, info, palette, make([]byte, gap), row)
}

func TestBMPsOfEveryKind(t *testing.T) {
	d := newDir(t)
	rgba, rgbx, none := [4]uint32{0xff0000, 0xff00, 0xff, 0xff000000}, [4]uint32{0xff0000, 0xff00, 0xff, 0}, [4]uint32{}
	row := []byte{1, 2, 3, 4, 5, 6, 7, 0}
	palette := []byte{1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0, 10, 11, 12, 0}
	opaque, packed := []byte{3, 2, 1, 7, 6, 5}, []byte{0b10010000, 0, 0, 0}
	for i, row := range []struct {
		file []byte
		want []byte
		says string
	}{
		{bmpFile(40, 1, 24, 0, 0, 0, none, nil, []byte{1, 2, 3, 5, 6, 7, 0, 0}), opaque, ""},
		{bmpFile(40, -1, 24, 0, 0, 0, none, nil, []byte{1, 2, 3, 5, 6, 7, 0, 0}), opaque, ""},
		{bmpFile(40, 1, 32, 0, 0, 0, none, nil, row), opaque, ""},
		{bmpFile(108, 1, 32, 0, 0, 0, none, nil, row), opaque, ""},
		{bmpFile(124, 1, 32, 0, 0, 0, rgbx, nil, row), opaque, ""},
		{bmpFile(124, 1, 32, 0, 0, 0, rgba, nil, row), opaque, ""}, // masks count only with BITFIELDS
		{bmpFile(124, 1, 32, 3, 0, 0, rgba, nil, row), []byte{3, 2, 1, 4, 7, 6, 5, 0}, ""},
		{bmpFile(40, 1, 1, 0, 2, 0, none, palette[:8], packed), []byte{6, 5, 4, 3, 2, 1}, "palette, taken as RGB"},
		{bmpFile(40, 1, 2, 0, 4, 0, none, palette, packed), []byte{9, 8, 7, 6, 5, 4}, "palette, taken as RGB"},
		{bmpFile(124, 1, 8, 0, 4, 0, none, palette, []byte{3, 1, 0, 0}), []byte{12, 11, 10, 6, 5, 4}, "palette, taken as RGB"},
		{bmpFile(124, 1, 32, 3, 0, 0, rgbx, nil, row), nil, "32 bits a pixel and a palette of 0 colours, with compression 3 (BITFIELDS)"},
		{bmpFile(124, 1, 24, 3, 0, 0, rgba, nil, row), nil, "24 bits a pixel and a palette of 0 colours, with compression 3 (BITFIELDS)"},
		{bmpFile(40, 1, 32, 3, 0, 0, none, []byte("\x00\x00\xff\x00\x00\xff\x00\x00\xff\x00\x00\x00"), row), nil, "compression 3 (BITFIELDS)"},
		{bmpFile(40, 1, 16, 0, 0, 0, none, nil, row), nil, "16 bits a pixel"},
		{bmpFile(40, 1, 8, 1, 4, 0, none, palette, []byte{2, 1, 0, 1}), nil, "compression 1 (run lengths)"},
		{bmpFile(40, 1, 1, 0, 4, 0, none, palette, packed), nil, "1 bits a pixel and a palette of 4 colours"},
		{bmpFile(64, 1, 24, 0, 0, 0, none, nil, row), nil, "a header of 64 bytes, as of OS/2"},
		{bmpFile(56, 1, 32, 3, 0, 0, rgba, nil, row), nil, "a header of 56 bytes"},
		{bmpFile(40, 1, 24, 0, 0, 4, none, nil, row), nil, "2 x 1 pixels in 1 planes from byte 58 on, and not 54"},
		{bmpFile(40, 0, 24, 0, 0, 0, none, nil, row), nil, "2 x 0 pixels"},
		{bmpFile(40, math.MinInt32, 24, 0, 0, 0, none, nil, row), nil, "2 x -2147483648 pixels"},
		{bmpFile(40, 1, 24, 0, 0, 0, none, nil, row[:6]), nil, "EOF"},
	} {
		d.write("in.bmp", row.file)
		code, _, stderr := d.run("-force", "[...]", "./in.bmp", "./out.npy")
		if row.says != "" {
			assertOneLine(t, row.says, stderr)
		}
		if row.want == nil {
			assert.Equal(t, exitError, code, row.says)
			continue
		}
		require.Equal(t, exitOK, code, "%d: %s", i, stderr)
		h, got := d.array("out.npy")
		assert.Equal(t, []int{1, 2, len(row.want) / 2}, h.Shape, i)
		assert.Equal(t, row.want, got, i)
	}
}

func TestFurtherPicturesAreNoted(t *testing.T) {
	d := newDir(t)
	animated := oddPNG(t, 8, 0, []byte{1, 2, 3}, nil)
	actl := "acTL\x00\x00\x00\x02\x00\x00\x00\x00"
	animated = slices.Concat(animated[:33], []byte("\x00\x00\x00\x08"+actl+checksum(actl)), animated[33:])
	for _, row := range []struct{ file, says string }{
		{"P5 1 1 255\naP5 1 1 255\nb", "the first of several pictures"},
		{"P6 1 1 65535\nabcdef\nP6 1 1 255\nabc", "the first of several pictures"},
		{string(animated), "the first of several frames"},
		{"P5 2 1 255\nP6", ""},
		{"P5 1 1 255\na\n", ""},
	} {
		d.write("in.pgm", []byte(row.file))
		code, _, stderr := d.run("-force", "[...]", "./in.pgm", "./out.npy")
		assert.Equal(t, exitOK, code)
		if row.says == "" {
			assert.Empty(t, stderr)
		} else {
			assertOneLine(t, "in.pgm: "+row.says, stderr)
		}
	}
}

// A PGM keeps its largest sample. In other formats samples are not scaled, and a note says so. A
// JPEG with finer chroma than 4:2:0 gets a note if it becomes a JPEG.
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

// For any bytes that begin like a picture of at most 256 x 256 pixels, the result is an error or an
// array. The array has the height and width of the header, turned or not.
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
		c, err := format.header(file)
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
