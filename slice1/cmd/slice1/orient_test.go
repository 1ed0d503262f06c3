package main

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

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
