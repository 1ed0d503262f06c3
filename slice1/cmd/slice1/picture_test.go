package main

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

func encodePNG(t *testing.T, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, m))
	return b.Bytes()
}

// twoPixels sets the pixels of m, a picture 2 wide and 1 high, to a and b and returns it.
func twoPixels(m interface {
	image.Image
	Set(x, y int, c color.Color)
}, a, b color.Color) image.Image {
	m.Set(0, 0, a)
	m.Set(1, 0, b)
	return m
}

func TestPicturesAreArraysOfTheirSamples(t *testing.T) {
	r := image.Rect(0, 0, 2, 1)
	solid, clear := color.NRGBA{10, 20, 30, 255}, color.NRGBA{40, 50, 60, 7}
	opaque := color.Palette{solid, color.NRGBA{40, 50, 60, 255}}
	for _, row := range []struct {
		name  string
		image image.Image
		dtype slice1.DataType
		shape []int
		data  []byte
	}{
		{"grey", twoPixels(image.NewGray(r), color.Gray{7}, color.Gray{8}), slice1.Uint8, []int{1, 2, 1}, []byte{7, 8}},
		{"16-bit grey", twoPixels(image.NewGray16(r), color.Gray16{0x102}, color.Gray16{0x304}), slice1.Uint16, []int{1, 2, 1}, []byte{2, 1, 4, 3}},
		{"opaque", twoPixels(image.NewNRGBA(r), solid, opaque[1]), slice1.Uint8, []int{1, 2, 3}, []byte{10, 20, 30, 40, 50, 60}},
		{"transparent", twoPixels(image.NewNRGBA(r), solid, clear), slice1.Uint8, []int{1, 2, 4}, []byte{10, 20, 30, 255, 40, 50, 60, 7}},
		{"16-bit opaque", twoPixels(image.NewNRGBA64(r), color.NRGBA64{0x102, 3, 4, 0xffff}, color.NRGBA64{5, 6, 7, 0xffff}), slice1.Uint16,
			[]int{1, 2, 3}, []byte{2, 1, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0}},
		{"16-bit transparent", twoPixels(image.NewNRGBA64(r), color.NRGBA64{0x102, 3, 4, 0xffff}, color.NRGBA64{5, 6, 7, 8}), slice1.Uint16,
			[]int{1, 2, 4}, []byte{2, 1, 3, 0, 4, 0, 255, 255, 5, 0, 6, 0, 7, 0, 8, 0}},
		{"palette", twoPixels(image.NewPaletted(r, opaque), opaque[0], opaque[1]), slice1.Uint8, []int{1, 2, 3}, []byte{10, 20, 30, 40, 50, 60}},
		{"transparent palette", twoPixels(image.NewPaletted(r, color.Palette{clear, solid}), solid, clear), slice1.Uint8,
			[]int{1, 2, 4}, []byte{10, 20, 30, 255, 40, 50, 60, 7}},
	} {
		d := newDir(t)
		d.write("in.png", encodePNG(t, row.image))
		d.works("-q", "[...]", "./in.png", "./out.npy")
		h, got := d.array("out.npy")
		assert.Equal(t, npy.Header{Type: row.dtype, Shape: row.shape}, h, row.name)
		assert.Equal(t, row.data, got, row.name)

		// As a PNG again, the array has the same type, shape and colours.
		d.works("[...]", "./out.npy", "./back.png")
		d.works("-force", "[...]", "./back.png", "./out.npy")
		again, _ := d.array("out.npy")
		assert.Equal(t, h, again, row.name)
		back, err := png.Decode(bytes.NewReader(d.read("back.png")))
		require.NoError(t, err, row.name)
		for x := range 2 {
			assert.Equal(t, color.NRGBA64Model.Convert(row.image.At(x, 0)), color.NRGBA64Model.Convert(back.At(x, 0)), row.name)
		}
	}
}

func TestArraysBecomePictures(t *testing.T) {
	data := counting(48)
	for _, row := range []struct {
		h     npy.Header
		index string
		want  func(x, y int) color.Color
	}{
		{npy.Header{Type: slice1.Uint8, Shape: []int{2, 3}}, "[:]", func(x, y int) color.Color { return color.Gray{data[3*y+x]} }},
		{npy.Header{Type: slice1.Uint8, Shape: []int{2, 3, 8}}, "[..., 5]", func(x, y int) color.Color { return color.Gray{data[24*y+8*x+5]} }},
		{npy.Header{Type: slice1.Uint8, Shape: []int{2, 3, 8}}, "[..., 3:0:-1]", func(x, y int) color.Color {
			p := data[24*y+8*x:]
			return color.NRGBA{p[3], p[2], p[1], 255}
		}},
		{npy.Header{Type: slice1.Uint8, Shape: []int{2, 8, 3}}, "[:, 2:5, 1:2]", func(x, y int) color.Color { return color.Gray{data[24*y+3*(x+2)+1]} }},
		{npy.Header{Type: slice1.Uint8, Shape: []int{2, 4, 3, 1}}, "[:, :3, ::-1, 0]", func(x, y int) color.Color {
			p := data[12*y+3*x:]
			return color.NRGBA{p[2], p[1], p[0], 255}
		}},
		{npy.Header{Type: slice1.Uint16, Shape: []int{2, 3, 3}}, "[:]", func(x, y int) color.Color {
			p := data[18*y+6*x:]
			return color.NRGBA64{uint16(p[0]) | uint16(p[1])<<8, uint16(p[2]) | uint16(p[3])<<8, uint16(p[4]) | uint16(p[5])<<8, 0xffff}
		}},
		{npy.Header{Type: slice1.Uint16, BigEndian: true, Shape: []int{2, 3, 4}}, "[:]", func(x, y int) color.Color {
			p := data[24*y+8*x:]
			return color.NRGBA64{uint16(p[0])<<8 | uint16(p[1]), uint16(p[2])<<8 | uint16(p[3]), uint16(p[4])<<8 | uint16(p[5]), uint16(p[6])<<8 | uint16(p[7])}
		}},
	} {
		d := newDir(t)
		d.write("in.npy", npyFile(row.h, data))
		d.works(row.index, "./in.npy", "./out.png")
		m, err := png.Decode(bytes.NewReader(d.read("out.png")))
		require.NoError(t, err)
		require.Equal(t, image.Rect(0, 0, 3, 2), m.Bounds(), row.index)
		for y := range 2 {
			for x := range 3 {
				assert.Equal(t, color.NRGBA64Model.Convert(row.want(x, y)), color.NRGBA64Model.Convert(m.At(x, y)), "%v %v %d %d", row.h, row.index, x, y)
			}
		}
	}
}

func TestOtherArraysBecomeNoPictures(t *testing.T) {
	for _, row := range []struct {
		h     npy.Header
		index string
		says  string
	}{
		{npy.Header{Type: slice1.Int8, Shape: []int{2, 3}}, "[:]", "not int8 [2, 3]"},
		{npy.Header{Type: slice1.Float32, Shape: []int{2, 3, 3}}, "[:]", "not float32"},
		{npy.Header{Type: slice1.Uint8, Shape: []int{6}}, "[:]", "not uint8 [6]"},
		{npy.Header{Type: slice1.Uint8, Shape: []int{2, 3, 2}}, "[:]", "not uint8 [2, 3, 2]"},
		{npy.Header{Type: slice1.Uint8, Shape: []int{2, 3, 3, 1}}, "[:]", "not uint8"},
		{npy.Header{Type: slice1.Uint8, Shape: []int{2, 3}}, "[5:]", "[0, 3]"},
		{npy.Header{Type: slice1.Uint8, Shape: []int{2, 3}}, "[:, 1:1, None]", "[2, 0, 1]"},
	} {
		d := newDir(t)
		d.write("in.npy", npyFile(row.h, make([]byte, 128)))
		code, _, stderr := d.run(row.index, "./in.npy", "./out.png")
		assert.Equal(t, exitError, code, row.says)
		assertOneLine(t, row.says, stderr)
		assert.Equal(t, []string{"in.npy"}, d.files(), row.says)
	}
}

// oddPNG returns a PNG of three pixels in one row. The bytes of the row are row. Its header has the
// given depth and kind of colours. For kind 3 it has a palette of two colours. The chunk tRNS has
// the bytes transparent, or is missing if transparent is nil.
func oddPNG(t *testing.T, depth, kind byte, row, transparent []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, err := z.Write(append([]byte{0}, row...))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	file := "\x89PNG\r\n\x1a\n"
	chunk := func(name string, body []byte) {
		c := name + string(body)
		file += string(binary.BigEndian.AppendUint32(nil, uint32(len(body)))) + c + checksum(c)
	}
	chunk("IHDR", []byte{0, 0, 0, 3, 0, 0, 0, 1, depth, kind, 0, 0, 0})
	if kind == 3 {
		chunk("PLTE", []byte{1, 2, 3, 4, 5, 6})
	}
	if transparent != nil {
		chunk("tRNS", transparent)
	}
	chunk("IDAT", packed.Bytes())
	chunk("IEND", nil)
	return []byte(file)
}

func TestPicturesOfOddTypesAreConverted(t *testing.T) {
	const grey, rgb, palette, greyAlpha, rgba = 0, 2, 3, 4, 6
	for _, row := range []struct {
		depth, kind      byte
		row, transparent []byte
		channels         int
		want             []byte
	}{
		{8, grey, []byte{1, 2, 3}, nil, 1, []byte{1, 2, 3}},
		{8, rgb, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}, nil, 3, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{8, rgba, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}, nil, 4, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}},
		{1, grey, []byte{0b101 << 5}, nil, 1, []byte{255, 0, 255}},
		{2, grey, []byte{0b110110 << 2}, nil, 1, []byte{255, 85, 170}},
		{4, grey, []byte{0x1f, 0x20}, nil, 1, []byte{17, 255, 34}},
		{8, greyAlpha, []byte{1, 2, 3, 4, 5, 6}, nil, 4, []byte{1, 1, 1, 2, 3, 3, 3, 4, 5, 5, 5, 6}},
		{8, greyAlpha, []byte{1, 255, 3, 255, 5, 255}, nil, 4, []byte{1, 1, 1, 255, 3, 3, 3, 255, 5, 5, 5, 255}},
		{8, rgba, []byte{1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255}, nil, 4, []byte{1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255}},
		{8, palette, []byte{1, 0, 1}, nil, 3, []byte{4, 5, 6, 1, 2, 3, 4, 5, 6}},
		{1, palette, []byte{0b101 << 5}, []byte{9}, 4, []byte{4, 5, 6, 255, 1, 2, 3, 9, 4, 5, 6, 255}},
		{8, grey, []byte{1, 2, 3}, []byte{0, 2}, 4, []byte{1, 1, 1, 255, 2, 2, 2, 0, 3, 3, 3, 255}},
		{4, grey, []byte{0x1f, 0x20}, []byte{0, 7}, 4, []byte{17, 17, 17, 255, 255, 255, 255, 255, 34, 34, 34, 255}},
		{8, rgb, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}, []byte{0, 4, 0, 5, 0, 6}, 4,
			[]byte{1, 2, 3, 255, 4, 5, 6, 0, 7, 8, 9, 255}},
	} {
		d := newDir(t)
		d.write("in.png", oddPNG(t, row.depth, row.kind, row.row, row.transparent))
		d.works("[...]", "./in.png", "./out.npy")
		h, got := d.array("out.npy")
		assert.Equal(t, []int{1, 3, row.channels}, h.Shape, row)
		assert.Equal(t, row.want, got, row)
	}
}

// Alpha is a channel of a PNG that the command writes or reads, even if all pixels are opaque.
func TestOpaqueAlphaIsAChannel(t *testing.T) {
	d := newDir(t)
	for _, h := range []npy.Header{{Type: slice1.Uint8, Shape: []int{1, 2, 4}}, {Type: slice1.Uint16, Shape: []int{1, 2, 4}}} {
		data := bytes.Repeat([]byte{255}, 8*h.Type.Size())
		data[0] = 7
		d.write("in.npy", npyFile(h, data))
		d.works("-force", "[...]", "./in.npy", "./out.png")
		d.works("-force", "[...]", "./out.png", "./out.npy")
		got, back := d.array("out.npy")
		assert.Equal(t, h, got)
		assert.Equal(t, data, back)
	}
}

func checksum(chunk string) string {
	return string(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(chunk))))
}
