package main

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
		{16, grey, []byte{1, 2, 3, 4, 5, 6}, nil, 1, []byte{2, 1, 4, 3, 6, 5}},
		{16, rgb, counting(18), nil, 3, []byte{1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14, 17, 16}},
		{16, rgba, bytes.Repeat([]byte{1, 2, 255, 255}, 6), nil, 4, bytes.Repeat([]byte{2, 1, 255, 255}, 6)},
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
		h := d.makes(row.want, "[...]", "./in.png")
		assert.Equal(t, []int{1, 3, row.channels}, h.Shape, row)

		// As a PNG again, the array is the same, even if all of its alpha is opaque.
		d.works("[...]", "./out.npy", "./back.png")
		assert.Equal(t, h, d.makes(row.want, "[...]", "./back.png"), row)
	}
}

func checksum(chunk string) string {
	return string(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE([]byte(chunk))))
}

// A picture of an array holds what the array of the same slice does.
func TestArraysBecomePictures(t *testing.T) {
	d := newDir(t)
	for _, row := range []struct {
		h     npy.Header
		index string
		says  string // why it becomes no picture
	}{
		{npy.Header{Type: slice1.Uint8, Shape: []int{2, 3}}, "[:]", ""},
		{npy.Header{Type: slice1.Uint8, Shape: []int{2, 3, 8}}, "[..., 5]", ""},
		{npy.Header{Type: slice1.Uint8, Shape: []int{2, 3, 8}}, "[..., 3:0:-1]", ""},
		{npy.Header{Type: slice1.Uint8, Shape: []int{2, 8, 3}}, "[:, 2:5, 1:2]", ""},
		{npy.Header{Type: slice1.Uint8, Shape: []int{2, 4, 3, 1}}, "[:, :3, ::-1, 0]", ""},
		{npy.Header{Type: slice1.Uint16, Shape: []int{2, 3, 3}}, "[:]", ""},
		{npy.Header{Type: slice1.Uint16, BigEndian: true, Shape: []int{2, 3, 3}}, "[:]", ""},
		{npy.Header{Type: slice1.Int8, Shape: []int{2, 3}}, "[:]", "not int8 [2, 3]"},
		{npy.Header{Type: slice1.Float32, Shape: []int{2, 3, 3}}, "[:]", "not float32"},
		{npy.Header{Type: slice1.Uint8, Shape: []int{6}}, "[:]", "not uint8 [6]"},
		{npy.Header{Type: slice1.Uint8, Shape: []int{2, 3, 2}}, "[:]", "not uint8 [2, 3, 2]"},
		{npy.Header{Type: slice1.Uint8, Shape: []int{2, 3, 3, 1}}, "[:]", "not uint8"},
		{npy.Header{Type: slice1.Uint8, Shape: []int{2, 3}}, "[5:]", "[0, 3]"},
		{npy.Header{Type: slice1.Uint8, Shape: []int{2, 3}}, "[:, 1:1, None]", "[2, 0, 1]"},
		{npy.Header{Descr: "|b1", Shape: []int{2, 3}}, "[:]", "not bool [2, 3]"},
	} {
		d.write("in.npy", npyFile(row.h, counting(72)))
		if row.says != "" {
			d.refuses(exitError, row.says, "-force", row.index, "./in.npy", "./out.png")
			continue
		}
		d.works("-force", row.index, "./in.npy", "./out.npy")
		d.works("-force", row.index, "./in.npy", "./out.png")
		h, want := d.array("out.npy")
		if h.BigEndian {
			want = reversed(want, 2)
		}
		shape, got := pictureSamples(t, h.Type, d.read("out.png"))
		assert.Equal(t, append(slices.Clone(h.Shape), 1)[:3], shape, row)
		assert.Equal(t, want, got, row)
	}
}

// testdata/peers.py recorded where ImageMagick's -auto-orient puts each pixel, for each
// orientation. It did so for a grey JPEG and for five JPEGs with different subsampling of colours.
// The test moves the pixels of -orient none by that record and compares. So the decoder does not
// matter.
func TestPhotosAreTurnedAsImageMagickTurnsThem(t *testing.T) {
	photos, err := filepath.Glob(filepath.Join(testdata, "orient", "*.jpg"))
	require.NoError(t, err)
	require.Len(t, photos, 6)
	d := newDir(t)
	for _, photo := range photos {
		file, err := os.ReadFile(photo)
		require.NoError(t, err)
		table, err := os.ReadFile(strings.TrimSuffix(photo, ".jpg") + ".npy")
		require.NoError(t, err)
		h, err := npy.Parse(table)
		require.NoError(t, err)
		for o := 1; o <= 8; o++ {
			for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
				exif := orientation(order, o)
				d.write("in.jpg", withEXIF(file, exif))
				d.works("-q", "-force", "-orient", "none", "[...]", "./in.jpg", "./stored.png")
				d.works("-q", "-force", "[...]", "./in.jpg", "./out.png")
				shape, stored := pictureSamples(t, slice1.Uint8, d.read("stored.png"))
				height, width, channels := shape[0], shape[1], shape[2]
				require.Equal(t, []int{8, height * width}, h.Shape, photo)
				want := []byte{}
				for i := range height * width {
					from := int(binary.LittleEndian.Uint16(table[h.Offset:][2*((o-1)*height*width+i):]))
					want = append(want, stored[from*channels:][:channels]...)
				}
				if o > 4 {
					slices.Reverse(shape[:2])
				}
				turned, got := pictureSamples(t, slice1.Uint8, d.read("out.png"))
				require.Equal(t, shape, turned, "%s, orientation %d", photo, o)
				require.Equal(t, want, got, "%s, orientation %d", photo, o)
			}
		}
	}
}

// orientation returns EXIF data with an orientation: a TIFF whose directory has that tag alone.
func orientation(order binary.AppendByteOrder, o int) []byte {
	start := "II"
	if order == binary.AppendByteOrder(binary.BigEndian) {
		start = "MM"
	}
	exif := order.AppendUint32(order.AppendUint16([]byte(start), 42), 8)
	exif = order.AppendUint16(order.AppendUint16(order.AppendUint16(exif, 1), 274), 3) // one entry, a SHORT
	exif = order.AppendUint16(order.AppendUint32(exif, 1), uint16(o))
	return append(exif, make([]byte, 2+4)...)
}

// withEXIF returns a JPEG with EXIF data after its start.
func withEXIF(file, exif []byte) []byte {
	segment := binary.BigEndian.AppendUint16([]byte("\xff\xd8\xff\xe1"), uint16(2+6+len(exif)))
	return slices.Concat(segment, []byte("Exif\x00\x00"), exif, file[2:])
}
