package main

import (
	"bytes"
	"encoding/binary"
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
		{[]*image.Paletted{whole}, "NAME: palette, taken as RGB\n", []int{2, 2, 3}, []byte{10, 20, 30, 40, 50, 60, 40, 50, 60, 10, 20, 30}},
		{[]*image.Paletted{part, whole, part}, "NAME: palette, taken as RGB\nNAME: the first frame does not cover the picture, the rest is transparent\nNAME: not in the output: 2 of 3 frames\n",
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

func TestPixelsAreHeldAgainstTheFile(t *testing.T) {
	plain, dense := &pictureFormat{name: "PNG"}, pictureOf([]byte("\xff\xd8"))
	bmp, pnm, tiff := pictureOf([]byte("BM....\x00\x00\x00\x00")), pictureOf([]byte("P5")), pictureOf([]byte("II*\x00"))
	const few = 1 << 24
	for _, row := range []struct {
		f             *pictureFormat
		width, height int
		size          int64
		ok            bool
	}{
		{plain, 1, 1, 0, true}, {plain, few, 1, 0, true}, {plain, few + 1, 1, 0, false}, {plain, 0, 1, 100, false}, {plain, 1, -1, 100, false},
		{plain, 8256, 10_000, 10_000, true}, {plain, 8256, 10_001, 10_000, false}, {dense, 8256, 10_000, 10_000, false},
		{dense, 512, 100_000, 100_000, true}, {dense, 512, 100_001, 100_000, false}, {plain, 1<<31 - 1, 1<<31 - 1, 1 << 62, false},
		{bmp, 8, few, few, true}, {bmp, 8, few + 1, few, false}, {pnm, 2, few, 2 * few, true}, {pnm, 2, few, 2*few - 1, false},
		{tiff, 21845, 10_000, 10_000, true}, {tiff, 21845, 10_001, 10_000, false},
	} {
		assert.Equal(t, row.ok, row.f.bound(row.width, row.height, row.size) == nil, "%+v", row)
	}
	assert.Nil(t, pictureOf([]byte("GIF87")))
	assert.Nil(t, pictureOf(nil))
	assert.Nil(t, pictureOf([]byte("GIF88b")))
}

// tiffSeeds returns TIFFs of each compression in tiffPackers, of each kind and of both byte orders, and
// one of three directories without pixels.
func tiffSeeds() (seeds [][]byte) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for compression, pack := range tiffPackers {
			seeds = append(seeds, tiffFile(order, 4, 3, 8, 3, tiffRGB, tiffFields{259: {compression}, 278: {2}}, pack(counting(24)), pack(counting(12))),
				tiffFile(order, 4, 3, 4, 1, blackIsZero, tiffFields{259: {compression}}, pack(counting(6))))
		}
		tile := counting(16)
		seeds = append(seeds,
			tiffFile(order, 3, 1, 1, 1, whiteIsZero, tiffFields{tagOrientation: {6}}, []byte{0xa0}),
			tiffFile(order, 3, 1, 2, 1, tiffPalette, tiffFields{320: counting16(12)}, []byte{0x6c}),
			tiffFile(order, 2, 1, 16, 4, tiffRGB, tiffFields{338: {premultiplied}, 317: {2}}, tile),
			tiffFile(order, 2, 2, 8, 4, tiffRGB, tiffFields{338: {unassociated}, 284: {2}}, tile[:4], tile[4:8], tile[8:12], tile[12:]),
			tiffFile(order, 5, 3, 8, 1, whiteIsZero, tiffFields{322: {4}, 323: {4}, 317: {2}, 270: {1}, tagGPS: {1}}, tile, tile),
		)
	}
	return append(seeds, pages(3, 8))
}

// counting16 returns n numbers from 0 on, times 256.
func counting16(n int) (values []int) {
	for i := range n {
		values = append(values, i<<8)
	}
	return values
}

// standardSeeds returns PNGs and JPEGs of several colour models, with metadata, and GIFs of one frame
// and of two.
func standardSeeds(f *testing.F) (seeds [][]byte) {
	r := image.Rect(0, 0, 5, 3)
	colours := image.NewPaletted(r, color.Palette{color.Black, color.White, color.NRGBA{1, 2, 3, 4}})
	k := kept{profile: profile("RGB ", 130), density: &resolution{1, 2, true}, chunks: []byte(chunk("gAMA", "1234"))}
	exif := tiff(binary.BigEndian, tag{tagOrientation, short, 6}, tag{tagGPS, long, 9})
	for _, m := range []image.Image{image.NewGray(r), image.NewGray16(r), image.NewRGBA(r), image.NewNRGBA(r), image.NewNRGBA64(r), colours} {
		var b bytes.Buffer
		require.NoError(f, png.Encode(&b, m))
		seeds = append(seeds, with(b.Bytes(), string(k.pngChunks()), chunk("eXIf", string(exif)), chunk("acTL", "\x00\x00\x00\x02\x00\x00\x00\x00")))
	}
	for _, m := range []image.Image{image.NewGray(r), image.NewRGBA(r)} {
		var b bytes.Buffer
		require.NoError(f, jpeg.Encode(&b, m, nil))
		seeds = append(seeds, with(b.Bytes(), string(k.jpegSegments()), "\xff", segment(0xe1, "Exif\x00\x00"+string(exif)), segment(0xfe, "words"), segment(0xe5, "?")))
	}
	part := image.NewPaletted(image.Rect(1, 1, 2, 3), colours.Palette)
	for _, frames := range [][]*image.Paletted{{colours}, {part, colours}} {
		var b bytes.Buffer
		require.NoError(f, gif.EncodeAll(&b, &gif.GIF{Image: frames, Delay: make([]int, len(frames)), Config: image.Config{Width: 5, Height: 3}}))
		seeds = append(seeds, b.Bytes())
	}
	return seeds
}

// readChunks returns the metadata in chunks of a PNG.
func readChunks(chunks []byte) *metadata {
	file := slices.Concat(make([]byte, 8), chunks)
	return (&source{bytes: file, size: int64(len(file))}).pngMetadata()
}

// For any bytes that begin as a picture does, of at most 256 x 256 pixels, the result is an error or
// an array with the height and width of the header, turned or not.
func FuzzPicture(f *testing.F) {
	f.Add([]byte("P6 2 1 255\nabcdef"))
	f.Add([]byte("P5 #c\n1 1 65535\nabc"))
	f.Add(bmpFile(40, 2, 1, 24, 0, 0, nil, nil, make([]byte, 8)))
	f.Add(bmpFile(124, 2, -1, 32, 3, 0, []uint32{0xff << 24, 0xff << 16, 0xff << 8, 0xff}, nil, make([]byte, 8)))
	f.Add(bmpFile(40, 2, 1, 32, 3, 0, []uint32{0xff, 0xff00, 0xff0000}, nil, make([]byte, 8)))
	f.Add(bmpFile(40, 3, 1, 4, 0, 2, nil, make([]byte, 8), make([]byte, 4)))
	for _, file := range append(tiffSeeds(), standardSeeds(f)...) {
		f.Add(file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		format := pictureOf(file)
		if format == nil {
			return
		}
		config, err := format.config(bytes.NewReader(file))
		if err != nil || config.Width > 1<<8 || config.Height > 1<<8 {
			return
		}
		a := &array{source: &source{bytes: file, size: int64(len(file))}}
		if err := a.parsePicture(format, 0); err != nil {
			return
		}
		require.ElementsMatch(t, []int{config.Height, config.Width, a.shape[2]}, a.shape) // in any order: a turned picture has height and width exchanged
		last := 0
		for axis, stride := range a.strides {
			last += (a.shape[axis] - 1) * stride
		}
		require.Less(t, last*a.dtype.Size(), len(a.data))
		// What a PNG keeps of the metadata is read again as it was.
		k := a.meta.keep("png", a.shape[2])
		again := readChunks(k.pngChunks())
		require.Equal(t, k, kept{again.profile, again.density, again.chunks})
	})
}
