package main

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tag is an entry of a TIFF directory with one value.
type tag struct{ id, kind, value int }

// tiff returns a TIFF file of one directory without pixels, which is the form of EXIF data.
func tiff(order binary.AppendByteOrder, tags ...tag) []byte {
	b := []byte("II")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		b = []byte("MM")
	}
	b = order.AppendUint16(b, 42)
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, uint16(len(tags)))
	for _, t := range tags {
		b = order.AppendUint16(order.AppendUint16(b, uint16(t.id)), uint16(t.kind))
		b = order.AppendUint32(b, 1)
		if t.kind == short {
			b = order.AppendUint16(order.AppendUint16(b, uint16(t.value)), 0)
		} else {
			b = order.AppendUint32(b, uint32(t.value))
		}
	}
	return order.AppendUint32(b, 0)
}

// segment returns a segment of a JPEG.
func segment(kind byte, body string) string {
	return string(binary.BigEndian.AppendUint16([]byte{0xff, kind}, uint16(2+len(body)))) + body
}

// chunk returns a chunk of a PNG.
func chunk(name, body string) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(len(body)))) + name + body + checksum(name+body)
}

// with returns the picture with pieces inserted: segments behind the start of a JPEG, or chunks
// behind the header of a PNG.
func with(picture []byte, pieces ...string) []byte {
	at := 2
	if picture[0] != 0xff {
		at = 33
	}
	return []byte(string(picture[:at]) + strings.Join(pieces, "") + string(picture[at:]))
}

func encodeJPEG(t *testing.T, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, m, nil))
	return b.Bytes()
}

func TestEXIFOrientation(t *testing.T) {
	little := tiff(binary.LittleEndian, tag{tagOrientation, short, 6})
	for i, row := range []struct {
		data []byte
		want int
	}{
		{little, 6},
		{tiff(binary.BigEndian, tag{tagOrientation, short, 8}), 8},
		{tiff(binary.BigEndian, tag{0x10f, 2, 99}, tag{tagOrientation, short, 3}, tag{0x8769, long, 1 << 30}), 3},
		{tiff(binary.BigEndian, tag{tagOrientation, long, 5}), 5},
		{tiff(binary.LittleEndian, tag{tagOrientation, short, 0}), 0},
		{tiff(binary.LittleEndian, tag{tagOrientation, short, 9}), 0},
		{tiff(binary.LittleEndian, tag{tagOrientation, long, -1}), 0},
		{tiff(binary.LittleEndian), 0},
		{nil, 0},
		{little[:4], 0},
		{little[:9], 0},
		{little[:len(little)-1], 0},
		{bytes.Replace(little, []byte{8, 0, 0, 0}, []byte{255, 255, 255, 255}, 1), 0},
		{bytes.Replace(little, []byte{1, 0, 0x12, 1}, []byte{255, 255, 0x12, 1}, 1), 0},
		{bytes.Replace(little, []byte("II"), []byte("IM"), 1), 0},
	} {
		var m metadata
		m.addEXIF(row.data)
		assert.Equal(t, row.want, m.orientation, i)
	}
}

func TestPhotosStandUpright(t *testing.T) {
	stored := image.NewGray(image.Rect(0, 0, 16, 8))
	for i := range stored.Pix {
		stored.Pix[i] = byte(i % 16 / 8 * 200) // left black, right light
	}
	file := encodeJPEG(t, stored)
	turned := with(file, segment(0xe1, "Exif\x00\x00"+string(tiff(binary.BigEndian, tag{tagOrientation, 3, 6}))))
	d := newDir(t)
	d.write("in.jpg", file)
	d.works("[...]", "./in.jpg", "./plain.npy")
	d.works("-orient", "6", "[...]", "./in.jpg", "./six.npy")
	six, upright := d.array("six.npy")
	require.Equal(t, []int{16, 8, 1}, six.Shape)
	assert.Less(t, upright[0], byte(20))
	assert.Greater(t, upright[127], byte(180))

	d.write("in.jpg", turned)
	code, _, stderr := d.run("[...]", "./in.jpg", "./out.npy")
	assert.Equal(t, exitOK, code)
	assert.Equal(t, "slice1: note: "+d.at("in.jpg")+": EXIF orientation 6 is applied, -orient none leaves it\n", stderr)
	assert.Equal(t, d.read("six.npy"), d.read("out.npy"))
	d.works("-force", "-orient", "none", "[...]", "./in.jpg", "./out.npy")
	assert.Equal(t, d.read("plain.npy"), d.read("out.npy"))
	d.works("-force", "-orient", "6", "[...]", "./in.jpg", "./out.npy")
	assert.Equal(t, d.read("six.npy"), d.read("out.npy"))
}

func TestPicturesOfAllKindsAreTurned(t *testing.T) {
	d := newDir(t)
	r := image.Rect(0, 0, 2, 1)
	a, b := color.NRGBA64{0x102, 3, 4, 0xffff}, color.NRGBA64{5, 6, 7, 8}
	for _, m := range []image.Image{
		twoPixels(image.NewGray(r), a, b), twoPixels(image.NewGray16(r), a, b), twoPixels(image.NewRGBA(r), a, color.Black),
		twoPixels(image.NewRGBA64(r), a, color.Black), twoPixels(image.NewNRGBA(r), a, b), twoPixels(image.NewNRGBA64(r), a, b),
		twoPixels(image.NewPaletted(r, color.Palette{a, b}), b, a),
	} {
		d.write("in.png", encodePNG(t, m))
		d.works("-q", "-force", "-orient", "8", "[::-1, 0]", "./in.png", "./turned.npy")
		d.works("-q", "-force", "[0]", "./in.png", "./out.npy")
		assert.Equal(t, d.read("out.npy"), d.read("turned.npy"), "%T", m)
	}
}

func TestWhatAPictureLosesIsNoted(t *testing.T) {
	grey := image.NewGray(image.Rect(0, 0, 2, 2))
	photo := string(tiff(binary.LittleEndian, tag{0x10f, 2, 99}, tag{tagOrientation, 3, 1}, tag{tagGPS, 4, 99}))
	exif := segment(0xe1, "Exif\x00\x00"+photo)
	many := []string{}
	for c := 'a'; c <= 'z'; c++ {
		many = append(many, chunk("te"+string(c-'a'+'A')+"t", ""))
	}
	twelve := slices.Concat(many[:12], many[:12])
	for _, row := range []struct {
		file []byte
		says string
	}{
		{with(encodePNG(t, grey), chunk("gAMA", "1234"), chunk("pHYs", "123456789"), chunk("tEXt", "a\x00b"), chunk("tEXt", "c\x00d"), chunk("iTXt", "")),
			"gAMA, pHYs, tEXt, iTXt"},
		{with(encodePNG(t, grey), chunk("acTL", "\x00\x00\x00\x03\x00\x00\x00\x00")), "2 of 3 frames"},
		{with(encodePNG(t, grey), chunk("acTL", ""), chunk("tEXt", "a\x00b")), "tEXt"},
		{with(encodePNG(t, grey), chunk("eXIf", photo)), "GPS, EXIF"},
		{with(encodePNG(t, grey), many...), "teAt, teBt, teCt, teDt, teEt, teFt, teGt, teHt, teIt, teJt, teKt, teLt, ..."},
		{with(encodePNG(t, grey), twelve...), "teAt, teBt, teCt, teDt, teEt, teFt, teGt, teHt, teIt, teJt, teKt, teLt"},
		{with(encodeJPEG(t, grey), segment(0xe0, "JFIF\x00\x01\x01\x01\x00\x48\x00\x48\x00\x00"), exif, segment(0xe2, "ICC_PROFILE\x00\x01\x01")),
			"resolution, GPS, EXIF, colour profile"},
		{with(encodeJPEG(t, grey), "\xff", segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00"), segment(0xed, "Photoshop 3.0\x00"), segment(0xfe, "words"),
			segment(0xe2, "MPF\x00"), segment(0xe5, "?"), segment(0xee, "Adobe\x00\x64\x00\x00\x00\x00\x00")), "XMP, IPTC, a comment, further pictures, APP5"},
		{with(encodeJPEG(t, grey), segment(0xe1, "Exif\x00\x00broken")), "EXIF"},
	} {
		d := newDir(t)
		d.write("in", row.file)
		code, _, stderr := d.run("[...]", "./in", "./out.npy")
		require.Equal(t, exitOK, code, stderr)
		assert.Equal(t, "slice1: note: "+d.at("in")+": not in the output: "+row.says+"\n", stderr)
		code, _, stderr = d.run("-explain", "[...]", "./in")
		assert.Equal(t, exitOK, code)
		assert.Empty(t, stderr)
	}
}

// Reading metadata of any bytes, as EXIF data, PNG, JPEG or GIF, does not panic and yields no
// orientation out of range.
func FuzzMetadata(f *testing.F) {
	grey := image.NewGray(image.Rect(0, 0, 1, 1))
	var b bytes.Buffer
	require.NoError(f, jpeg.Encode(&b, grey, nil))
	for _, data := range [][]byte{
		tiff(binary.LittleEndian, tag{tagOrientation, 3, 6}),
		with(b.Bytes(), segment(0xe1, "Exif\x00\x00"+string(tiff(binary.BigEndian, tag{tagOrientation, 3, 6})))),
		[]byte("\x89PNG\r\n\x1a\n" + chunk("IHDR", "1234567890123") + chunk("acTL", "\xff\xff\xff\xff") + chunk("IEND", "")),
	} {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := &source{bytes: data, size: int64(len(data))}
		exif := new(metadata)
		exif.addEXIF(data)
		for _, m := range []*metadata{exif, s.pngMetadata(), s.jpegMetadata(), s.gifMetadata()} {
			require.Contains(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}, m.orientation)
			m.lost(kept{})
		}
	})
}
