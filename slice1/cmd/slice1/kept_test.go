package main

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// profile returns n bytes with a colour space where ICC profiles have it.
func profile(space string, n int) []byte {
	p := counting(n)
	copy(p[16:], space)
	return p
}

// smooth returns an opaque picture of 24 x 16 pixels.
func smooth() *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, 24, 16))
	for i := range m.Pix {
		m.Pix[i] = byte(40*(i%4) + i/8)
		if i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	return m
}

func TestJPEGsAreWritten(t *testing.T) {
	d := newDir(t)
	m := smooth()
	d.write("in.png", encodePNG(t, m))
	for _, row := range []struct {
		args    []string
		out     string
		quality int
	}{{nil, "./out.jpg", 90}, {[]string{"-quality", "30"}, "./out.JPEG", 30}, {[]string{"-to", "jpeg"}, "./out", 90}} {
		d.works(append(row.args, "-force", "[...]", "./in.png", row.out)...)
		var b bytes.Buffer
		require.NoError(t, jpeg.Encode(&b, m, &jpeg.Options{Quality: row.quality}))
		assert.Equal(t, b.Bytes(), d.read(row.out[2:]), row.out)
	}
	grey := &image.Gray{Pix: counting(24 * 16), Stride: 24, Rect: m.Rect}
	d.write("grey.npy", npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{16, 24}}, grey.Pix))
	d.works("-force", "[...]", "./grey.npy", "./out.jpg")
	assert.Equal(t, encodeJPEG90(t, grey), d.read("out.jpg"))
	for _, row := range []struct {
		h    npy.Header
		says string
	}{
		{npy.Header{Type: slice1.Uint16, Shape: []int{2, 3}}, "a JPEG holds uint8 of shape"},
		{npy.Header{Type: slice1.Uint8, Shape: []int{2, 3, 4}}, "not [2, 3, 4]; [..., :3] leaves alpha out"},
		{npy.Header{Type: slice1.Uint8, Shape: []int{1, 65536}}, "[1, 65536] is too large for a JPEG"},
		{npy.Header{Type: slice1.Uint8, Shape: []int{0, 5}}, "a JPEG cannot be empty"},
	} {
		d.write("in.npy", npyFile(row.h, make([]byte, 65536)))
		code, _, stderr := d.run("-force", "[...]", "./in.npy", "./out.jpg")
		assert.Equal(t, exitError, code)
		assertOneLine(t, row.says, stderr)
	}
}

func encodeJPEG90(t *testing.T, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, m, &jpeg.Options{Quality: 90}))
	return b.Bytes()
}

// metadataOf returns the metadata that the command reads of a picture.
func (d dir) metadataOf(name string) *metadata {
	d.Helper()
	file := d.read(name)
	f := pictureOf(file)
	require.NotNil(d, f, name)
	return f.look(&source{bytes: file, size: int64(len(file))})
}

// Colour profile and resolution go from PNG to PNG, to JPEG and back to PNG. The lengths of profiles
// are such that a JPEG has them in one segment or in more.
func TestProfileAndResolutionAreKept(t *testing.T) {
	for _, n := range []int{128, 65519, 65520, 200_000} {
		d := newDir(t)
		want := kept{profile: profile("RGB ", n), density: &resolution{2835, 5669, true}}
		gamma := chunk("gAMA", "1234") + chunk("sRGB", "\x01")
		d.write("in.png", with(encodePNG(t, smooth()), gamma, string(want.pngChunks())))
		d.works("[2:9, ::-1]", "./in.png", "./out.png")
		got := d.metadataOf("out.png")
		assert.Equal(t, want.profile, got.profile)
		assert.Equal(t, want.density, got.density)
		assert.Equal(t, gamma, string(got.chunks))
		m, err := png.Decode(bytes.NewReader(d.read("out.png")))
		require.NoError(t, err)
		assert.Equal(t, image.Pt(24, 7), m.Bounds().Size())

		code, _, stderr := d.run("[...]", "./out.png", "./out.jpg")
		assert.Equal(t, exitOK, code)
		assertOneLine(t, "out.png: not in the output: gAMA, sRGB", stderr)
		got = d.metadataOf("out.jpg")
		assert.Equal(t, want.profile, got.profile)
		assert.Equal(t, want.density, got.density)
		d.works("-orient", "6", "[...]", "./out.jpg", "./back.png")
		got = d.metadataOf("back.png")
		assert.Equal(t, want.profile, got.profile)
		assert.Equal(t, &resolution{5669, 2835, true}, got.density)
	}
}

// A profile is not kept if its colour space has another number of channels than the output, nor if
// segments of it are missing or out of order. A broken one in a PNG is not read.
func TestProfilesThatDoNotSuitAreLost(t *testing.T) {
	d := newDir(t)
	file := encodeJPEG(t, smooth())
	part := func(n, of byte, body []byte) string {
		return segment(0xe2, profileHead+string(append([]byte{n, of}, body...)))
	}
	x := []byte("x")
	for _, row := range []struct {
		pieces string
		index  string
		says   string
	}{
		{string(kept{profile: profile("RGB ", 200)}.jpegSegments()), "[..., 0]", "colour profile"},
		{string(kept{profile: profile("GRAY", 200)}.jpegSegments()), "[...]", "colour profile"},
		{string(kept{profile: profile("CMYK", 200)}.jpegSegments()), "[...]", "colour profile"},
		{part(1, 2, x), "[...]", "colour profile"},
		{part(2, 2, x) + part(1, 2, x), "[...]", "colour profile"},
		{part(2, 2, x) + part(0, 1, profile("RGB ", 200)) + part(1, 1, nil), "[...]", "colour profile"},
		{part(1, 3, profile("RGB ", 200)) + part(2, 2, x), "[...]", "colour profile"},
		{segment(0xe2, profileHead), "[...]", "colour profile"},
	} {
		d.write("in.jpg", with(file, row.pieces))
		code, _, stderr := d.run("-force", row.index, "./in.jpg", "./out.png")
		assert.Equal(t, exitOK, code)
		assertOneLine(t, "not in the output: "+row.says, stderr)
		assert.Empty(t, d.metadataOf("out.png").names)
	}
	for _, body := range []string{"", "name", "name\x00", "name\x00\x01x", "name\x00\x00broken"} {
		d.write("in.png", with(encodePNG(t, smooth()), chunk("iCCP", body)))
		m := d.metadataOf("in.png")
		assert.Equal(t, []string{"iCCP"}, m.names)
		assert.Nil(t, m.profile)
	}
}

// If a PNG has several chunks of a kind that is kept, only the first counts, even if it is broken.
func TestOnlyTheFirstChunkOfAKindIsKept(t *testing.T) {
	d := newDir(t)
	one, other := kept{profile: profile("RGB ", 200), density: &resolution{1, 2, true}}, kept{profile: profile("RGB ", 300), density: &resolution{3, 4, true}}
	d.write("in.png", with(encodePNG(t, smooth()), chunk("gAMA", "1234"), chunk("gAMA", "5678"), string(one.pngChunks()), string(other.pngChunks())))
	d.works("[...]", "./in.png", "./out.png")
	m := d.metadataOf("out.png")
	assert.Equal(t, chunk("gAMA", "1234"), string(m.chunks))
	assert.Equal(t, one.profile, m.profile)
	assert.Equal(t, one.density, m.density)

	broken := with(encodePNG(t, smooth()), chunk("pHYs", "12345678"), chunk("pHYs", "123456781"), chunk("iCCP", ""), string(one.pngChunks()))
	d.write("in.png", broken)
	m = d.metadataOf("in.png")
	assert.Nil(t, m.density)
	assert.Nil(t, m.profile)
}

func TestResolutionsOfJPEGs(t *testing.T) {
	for _, row := range []struct {
		unit byte
		x, y uint16
		want *resolution
	}{
		{1, 72, 72, &resolution{2835, 2835, true}}, {1, 300, 600, &resolution{11811, 23622, true}}, {2, 100, 50, &resolution{10000, 5000, true}},
		{0, 2, 1, &resolution{2, 1, false}}, {0, 1, 1, nil}, {3, 1, 1, nil},
	} {
		var m metadata
		body := append([]byte("JFIF\x00\x01\x01"), row.unit)
		m.addJFIF(binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(body, row.x), row.y))
		assert.Equal(t, row.want, m.density)
	}
	(&metadata{}).addJFIF([]byte("JFIF\x00\x01\x01\x01"))
}

func TestPNMsAreReadAndWritten(t *testing.T) {
	d := newDir(t)
	for _, row := range []struct {
		file string
		h    npy.Header
		data []byte
		note string
	}{
		{"P5\n2 1\n255\nab", npy.Header{Type: slice1.Uint8, Shape: []int{1, 2, 1}}, []byte("ab"), ""},
		{"P6 #a\n# 9 9\n1\t2 255\nabcdef", npy.Header{Type: slice1.Uint8, Shape: []int{2, 1, 3}}, []byte("abcdef"), ""},
		{"P5 1 2 65535\nabcd", npy.Header{Type: slice1.Uint16, Shape: []int{2, 1, 1}}, []byte("badc"), ""},
		{"P6 1 1 65535\nabcdef", npy.Header{Type: slice1.Uint16, Shape: []int{1, 1, 3}}, []byte("badcfe"), ""},
		{"P5 1 1 1023\nab", npy.Header{Type: slice1.Uint16, Shape: []int{1, 1, 1}}, []byte("ba"), "samples of up to 1023, not scaled"},
		{"P5 1 1 255\nabc", npy.Header{Type: slice1.Uint8, Shape: []int{1, 1, 1}}, []byte("a"), "not in the output: what follows the first picture"},
	} {
		d.write("in.pnm", []byte(row.file))
		code, _, stderr := d.run("-force", "[...]", "./in.pnm", "./out.npy")
		require.Equal(t, exitOK, code, stderr)
		if row.note == "" {
			assert.Empty(t, stderr)
		} else {
			assertOneLine(t, "in.pnm: "+row.note, stderr)
		}
		h, got := d.array("out.npy")
		assert.Equal(t, row.h, h)
		assert.Equal(t, row.data, got)
		if row.note != "" {
			continue
		}
		d.works("-force", "[...]", "./out.npy", "./out.ppm")
		d.works("-force", "[...]", "./out.ppm", "./back.npy")
		assert.Equal(t, d.read("out.npy"), d.read("back.npy"), row.file)
	}
	d.write("in.npy", npyFile(npy.Header{Type: slice1.Uint16, BigEndian: true, Shape: []int{1, 3, 1}}, []byte("abcdef")))
	d.works("-force", "[:, 1:]", "./in.npy", "./out.pgm")
	assert.Equal(t, "P5\n2 1\n65535\ncdef", string(d.read("out.pgm")))
	d.write("in.npy", npyFile(npy.Header{Type: slice1.Uint16, Shape: []int{1, 3, 3}}, counting(18)))
	d.works("-force", "[:, ::-2]", "./in.npy", "./out.ppm")
	assert.Equal(t, "P6\n2 1\n65535\n\x0d\x0c\x0f\x0e\x11\x10\x01\x00\x03\x02\x05\x04", string(d.read("out.ppm")))
	d.write("in.npy", npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{1, 3, 4}}, counting(12)))
	code, _, stderr := d.run("-force", "[...]", "./in.npy", "./out.ppm")
	assert.Equal(t, exitError, code)
	assertOneLine(t, "a PNM holds", stderr)
}

func TestBrokenPNMsAreErrors(t *testing.T) {
	for file, says := range map[string]string{
		"P5": "EOF", "P5 2 2 255\nabc": "unexpected EOF", "P6 1 1 255\nab": "unexpected EOF", "P5 2 x 255\n": "broken PNM header",
		"P5 1 1 0\na": "broken PNM header", "P5 1 1 65536\na": "broken PNM header", "P5 0 1 255\n": "PNM of 0 x 1 pixels",
		"P5 1234567890123 1 255\n": "broken PNM header", "P6 99999 99999 255\nabc": "99999 x 99999 pixels do not fit", "P51 1 255\n": "unexpected EOF",
	} {
		d := newDir(t)
		d.write("in", []byte(file))
		code, _, stderr := d.run("[...]", "./in", "./out.npy")
		assert.Equal(t, exitError, code, file)
		assertOneLine(t, says, stderr)
	}
}

func TestBytesAreSwappedInPairs(t *testing.T) {
	var b strings.Builder
	w := &swapWriter{w: &b}
	for _, part := range []string{"a", "", "bc", "defg", "h"} {
		n, err := w.Write([]byte(part))
		require.NoError(t, err)
		assert.Equal(t, len(part), n)
	}
	assert.Equal(t, "badcfehg", b.String())
}
