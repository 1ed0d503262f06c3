package main

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// bmpFile returns a BMP whose picture header takes size bytes and gives the palette `used`
// colours. Masks follow a header of 40 bytes, and are in a longer one.
func bmpFile(size, width, height, bits, compression, used int, masks []uint32, palette, rows []byte) []byte {
	info := make([]byte, size)
	put := func(at, n int) { binary.LittleEndian.PutUint32(info[at:], uint32(n)) }
	put(0, size)
	put(4, width)
	put(8, height)
	put(12, 1|bits<<16)
	put(16, compression)
	put(32, used)
	extra := []byte{}
	for i, mask := range masks {
		if size > 40 {
			put(40+4*i, int(mask))
		} else {
			extra = binary.LittleEndian.AppendUint32(extra, mask)
		}
	}
	head := binary.LittleEndian.AppendUint32([]byte("BM\x00\x00\x00\x00\x00\x00\x00\x00"), uint32(14+size+len(extra)+len(palette)))
	return bytes.Join([][]byte{head, info, extra, palette, rows}, nil)
}

func TestBMPsAreRead(t *testing.T) {
	d := newDir(t)
	palette := []byte{3, 2, 1, 0, 6, 5, 4, 0}
	for i, row := range []struct {
		file  []byte
		shape []int
		data  []byte
		note  string
	}{
		{bmpFile(40, 1, 2, 24, 0, 0, nil, nil, []byte{3, 2, 1, 0, 6, 5, 4, 0}), []int{2, 1, 3}, []byte{4, 5, 6, 1, 2, 3}, ""},
		{bmpFile(108, 1, -2, 24, 0, 0, nil, nil, []byte{3, 2, 1, 0, 6, 5, 4, 0}), []int{2, 1, 3}, []byte{1, 2, 3, 4, 5, 6}, ""},
		{bmpFile(40, 2, 1, 32, 0, 0, nil, nil, []byte{3, 2, 1, 9, 6, 5, 4, 9}), []int{1, 2, 3}, []byte{1, 2, 3, 4, 5, 6}, "32 bits a pixel without alpha, taken as RGB"},
		{bmpFile(40, 2, 1, 32, 3, 0, []uint32{0xff, 0xff00, 0xff0000}, nil, []byte{3, 2, 1, 9, 6, 5, 4, 9}), []int{1, 2, 3}, []byte{3, 2, 1, 6, 5, 4},
			"32 bits a pixel without alpha, taken as RGB"},
		{bmpFile(124, 2, 1, 32, 3, 0, []uint32{0xff << 24, 0xff << 16, 0xff << 8, 0xff}, nil, []byte{9, 3, 2, 1, 255, 6, 5, 4}), []int{1, 2, 4}, []byte{1, 2, 3, 9, 4, 5, 6, 255}, ""},
		{bmpFile(40, 3, 1, 8, 0, 2, nil, palette, []byte{1, 0, 1, 0}), []int{1, 3, 3}, []byte{4, 5, 6, 1, 2, 3, 4, 5, 6}, "palette, taken as RGB"},
		{bmpFile(40, 3, 1, 4, 0, 2, nil, palette, []byte{0x10, 0x10, 0, 0}), []int{1, 3, 3}, []byte{4, 5, 6, 1, 2, 3, 4, 5, 6}, "palette, taken as RGB"},
		{bmpFile(56, 3, 1, 1, 0, 0, nil, palette, []byte{0xa0, 0, 0, 0}), []int{1, 3, 3}, []byte{4, 5, 6, 1, 2, 3, 4, 5, 6}, "palette, taken as RGB"},
	} {
		d.write("in.bmp", row.file)
		code, _, stderr := d.run("-force", "[...]", "./in.bmp", "./out.npy")
		require.Equal(t, exitOK, code, "%d %s", i, stderr)
		if row.note == "" {
			assert.Empty(t, stderr)
		} else {
			assertOneLine(t, "in.bmp: "+row.note, stderr)
		}
		h, got := d.array("out.npy")
		assert.Equal(t, npy.Header{Type: slice1.Uint8, Shape: row.shape}, h, i)
		assert.Equal(t, row.data, got, i)
		for n := range len(row.file) {
			_, err := decodeBMP(bytes.NewReader(row.file[:n]))
			require.Error(t, err, "%d bytes of file %d", n, i)
		}
	}
	file := bmpFile(124, 1, 1, 24, 0, 0, nil, nil, []byte{3, 2, 1, 0})
	copy(file[14+56:], "DEBM")
	file[14+24] = 1
	d.write("in.bmp", file)
	code, _, stderr := d.run("-force", "[...]", "./in.bmp", "./out.npy")
	assert.Equal(t, exitOK, code)
	assertOneLine(t, "in.bmp: not in the output: resolution, colour profile", stderr)
}

func TestBrokenBMPsAreErrors(t *testing.T) {
	d := newDir(t)
	rows := make([]byte, 64)
	for says, file := range map[string][]byte{
		"header of 12 bytes":              bmpFile(40, 1, 1, 24, 0, 0, nil, nil, rows)[:14],
		"16 bits a pixel is not read":     bmpFile(40, 1, 1, 16, 0, 0, nil, nil, rows),
		"compressed BMP is not read":      bmpFile(40, 1, 1, 8, 1, 2, nil, rows[:8], rows),
		"samples of other than 8 bits":    bmpFile(40, 1, 1, 32, 3, 0, []uint32{0x7ff, 0xff00, 0xff0000}, nil, rows),
		"broken BMP header":               bmpFile(40, 1, 1, 4, 0, 17, nil, nil, rows),
		"outside its palette":             bmpFile(40, 1, 1, 8, 0, 1, nil, rows[:4], []byte{1, 0, 0, 0}),
		"BMP of 0 x 1 pixels":             bmpFile(40, 0, 1, 24, 0, 0, nil, nil, rows),
		"BMP of -5 x 1 pixels":            bmpFile(40, -5, 1, 24, 0, 0, nil, nil, rows),
		"90000 x 90000 pixels do not fit": bmpFile(40, 90000, 90000, 24, 0, 0, nil, nil, rows),
	} {
		if len(file) == 14 {
			file = append(file, 12, 0, 0, 0)
		}
		d.write("in.bmp", file)
		code, _, stderr := d.run("[...]", "./in.bmp", "./out.npy")
		assert.Equal(t, exitError, code, says)
		assertOneLine(t, says, stderr)
	}
	overlap := bmpFile(40, 1, 1, 8, 0, 2, nil, rows[:8], rows)
	overlap[10] = 60
	_, err := decodeBMP(bytes.NewReader(overlap))
	assert.Equal(t, errBMP, err)
}
