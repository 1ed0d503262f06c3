package main

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
		{[]*image.Paletted{whole}, "", []int{2, 2, 3}, []byte{10, 20, 30, 40, 50, 60, 40, 50, 60, 10, 20, 30}},
		{[]*image.Paletted{part, whole, part}, "NAME: the first of several frames\nNAME: the first frame does not cover the picture, the rest is transparent\n",
			[]int{2, 2, 4}, []byte{0, 0, 0, 0, 10, 20, 30, 255, 0, 0, 0, 0, 0, 0, 0, 0}},
		{[]*image.Paletted{part}, "NAME: the first frame does not cover the picture, the rest is transparent\n",
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
	a := &array{source: &source{name: "in", bytes: file, size: int64(len(file))}}
	f := pictureOf(file)
	if f == nil {
		return nil, errors.New("no picture")
	}
	return a, a.parsePicture(f, orient)
}

// A PGM keeps its largest sample. In other formats samples are not scaled, and a note says so, and
// so does one of further pictures.
func TestWhatIsLostIsSaid(t *testing.T) {
	d := newDir(t)
	animated, actl := oddPNG(t, 8, 0, []byte{1, 2, 3}, nil), "acTL\x00\x00\x00\x02\x00\x00\x00\x00"
	for _, row := range []struct{ file, says string }{
		{"P5 1 1 255\naP5 1 1 255\nb", "the first of several pictures"},
		{"P6 1 1 65535\nabcdef\nP6 1 1 255\nabc", "the first of several pictures"},
		{string(animated[:33]) + "\x00\x00\x00\x08" + actl + checksum(actl) + string(animated[33:]), "the first of several frames"},
		{"P5 2 1 255\nP6", ""},
		{"P5 1 1 255\na\n", ""},
		{"P5\n2 1\n1000\n\x03\xe8\x00\x64", "samples of up to 1000, not scaled"},
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
	d.works("[:, ::-1]", "./in.pgm", "./out.pgm")
	assert.Equal(t, "P5\n2 1\n1000\n\x00\x64\x03\xe8", string(d.read("out.pgm")))
}

// For any bytes that begin like a picture of at most 256 x 256 pixels, the result is an error or an
// array. The array has the height and width of the header, turned or not.
func FuzzPicture(f *testing.F) {
	f.Add([]byte("P6 2 1 255\nabcdef"))
	f.Add([]byte("P5 #c\n1 1 65535\nabc"))
	r := image.Rect(0, 0, 5, 3)
	colours := image.NewPaletted(r, color.Palette{color.Black, color.White, color.NRGBA{1, 2, 3, 4}})
	for _, m := range []image.Image{image.NewGray(r), image.NewGray16(r), image.NewRGBA(r), image.NewNRGBA(r), image.NewNRGBA64(r), colours} {
		var b, j, g bytes.Buffer
		require.NoError(f, png.Encode(&b, m))
		require.NoError(f, jpeg.Encode(&j, m, nil))
		require.NoError(f, gif.Encode(&g, m, nil))
		for _, file := range []*bytes.Buffer{&b, &j, &g} {
			f.Add(file.Bytes())
		}
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
