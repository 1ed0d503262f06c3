package main

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// tiffFields maps tags to their values, which are written as integers of 16 bits.
type tiffFields map[int][]int

const whiteIsZero, blackIsZero, tiffRGB, tiffPalette = 0, 1, 2, 3

// tiffFile returns a TIFF whose blocks are given as they are in the file: tiles if more has the width
// of tiles (322), else strips. The fields in more replace others.
func tiffFile(order binary.AppendByteOrder, width, height, bits, samples, kind int, more tiffFields, blocks ...[]byte) []byte {
	head := "II*\x00"
	if order == binary.AppendByteOrder(binary.BigEndian) {
		head = "MM\x00*"
	}
	body, starts, lengths := []byte{}, []int{}, []int{}
	for _, b := range blocks {
		starts, lengths = append(starts, 8+len(body)), append(lengths, len(b))
		body = append(body, b...)
	}
	fields := tiffFields{256: {width}, 257: {height}, 258: slices.Repeat([]int{bits}, samples), 262: {kind}, 277: {samples}, 273: starts, 279: lengths}
	if more[322] != nil {
		delete(fields, 273)
		delete(fields, 279)
		fields[324], fields[325] = starts, lengths
	}
	maps.Copy(fields, more)
	var entries []byte
	for _, id := range slices.Sorted(maps.Keys(fields)) {
		var values []byte
		for _, v := range fields[id] {
			values = order.AppendUint16(values, uint16(v))
		}
		entries = order.AppendUint32(order.AppendUint16(order.AppendUint16(entries, uint16(id)), 3), uint32(len(fields[id])))
		if len(values) <= 4 {
			entries = append(append(entries, values...), make([]byte, 4-len(values))...)
			continue
		}
		entries = order.AppendUint32(entries, uint32(8+len(body)))
		body = append(body, values...)
	}
	file := append(order.AppendUint32([]byte(head), uint32(8+len(body))), body...)
	file = append(order.AppendUint16(file, uint16(len(fields))), entries...)
	return order.AppendUint32(file, 0)
}

func zlibbed(b []byte) []byte {
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	z.Write(b)
	z.Close()
	return out.Bytes()
}

func TestTIFFsOfEveryKind(t *testing.T) {
	d := newDir(t)
	big, little := binary.BigEndian, binary.LittleEndian
	palette := make([]int, 3*2)
	for i := range palette {
		palette[i] = i<<8 | 0x55
	}
	for i, row := range []struct {
		file  []byte
		dtype slice1.DataType
		shape []int
		data  []byte
		note  string
	}{
		{tiffFile(little, 3, 1, 1, 1, whiteIsZero, nil, []byte{0b101 << 5}), slice1.Uint8, []int{1, 3, 1}, []byte{0, 255, 0}, "grey of 1 bit, scaled to 8"},
		{tiffFile(big, 3, 1, 8, 1, whiteIsZero, nil, []byte{0, 1, 255}), slice1.Uint8, []int{1, 3, 1}, []byte{255, 254, 0}, ""},
		{tiffFile(little, 2, 1, 16, 1, blackIsZero, nil, []byte{1, 2, 3, 4}), slice1.Uint16, []int{1, 2, 1}, []byte{1, 2, 3, 4}, ""},
		{tiffFile(big, 2, 1, 16, 1, blackIsZero, nil, []byte{1, 2, 3, 4}), slice1.Uint16, []int{1, 2, 1}, []byte{2, 1, 4, 3}, ""},
		{tiffFile(little, 2, 1, 8, 1, tiffPalette, tiffFields{320: palette}, []byte{0, 1}), slice1.Uint8, []int{1, 2, 3}, []byte{0, 2, 4, 1, 3, 5}, "palette, taken as RGB"},
		{tiffFile(little, 1, 1, 8, 4, tiffRGB, tiffFields{338: {2}}, []byte{1, 2, 3, 4}), slice1.Uint8, []int{1, 1, 4}, []byte{1, 2, 3, 4}, ""},
		{tiffFile(little, 1, 1, 8, 4, tiffRGB, tiffFields{338: {1}}, []byte{1, 2, 4, 4}), slice1.Uint8, []int{1, 1, 4}, []byte{63, 127, 255, 4}, ""},
		{tiffFile(big, 1, 1, 16, 4, tiffRGB, tiffFields{338: {1}}, []byte{0, 1, 0, 2, 0, 4, 0, 4}), slice1.Uint16, []int{1, 1, 4},
			[]byte{255, 63, 255, 127, 255, 255, 4, 0}, ""},
		{tiffFile(big, 2, 1, 16, 3, tiffRGB, nil, counting(12)), slice1.Uint16, []int{1, 2, 3}, []byte{1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10}, ""},
		{tiffFile(little, 3, 1, 8, 1, blackIsZero, tiffFields{259: {8}, 317: {2}}, zlibbed([]byte{1, 2, 255})), slice1.Uint8, []int{1, 3, 1}, []byte{1, 3, 2}, ""},
		{tiffFile(little, 2, 1, 8, 1, blackIsZero, tiffFields{274: {2}}, []byte{1, 2}), slice1.Uint8, []int{1, 2, 1}, []byte{2, 1}, "EXIF orientation 2 is applied, -orient none leaves it"},
	} {
		d.write("in.tif", row.file)
		code, _, stderr := d.run("-force", "[...]", "./in.tif", "./out.npy")
		require.Equal(t, exitOK, code, "%d %s", i, stderr)
		if row.note == "" {
			assert.Empty(t, stderr, i)
		} else {
			assertOneLine(t, "in.tif: "+row.note, stderr)
		}
		h, got := d.array("out.npy")
		assert.Equal(t, npy.Header{Type: row.dtype, Shape: row.shape}, h, i)
		assert.Equal(t, row.data, got, i)
		for n := range len(row.file) - 4 {
			d.write("in.tif", row.file[:n])
			code, _, stderr := d.run("-force", "[...]", "./in.tif", "./out.npy")
			require.Equal(t, exitError, code, "%d bytes of file %d: %s", n, i, stderr)
		}
	}
}

// What package tiff of golang.org/x/image would read as other pixels than libtiff is refused, and what
// it does not read.
func TestTIFFsThatAreNotRead(t *testing.T) {
	d := newDir(t)
	little := binary.LittleEndian
	bytewise := tiffFile(little, 1, 1, 8, 1, blackIsZero, tiffFields{259: {8}}, zlibbed([]byte{1}))
	at := bytes.Index(bytewise, []byte{3, 1, 3, 0, 1, 0, 0, 0, 8})
	bytewise[at+2] = 6 // SBYTE
	more := tiffFile(little, 1, 1, 8, 1, blackIsZero, nil, []byte{1})
	for says, file := range map[string][]byte{
		"separate planes, of which":         tiffFile(little, 2, 1, 8, 3, tiffRGB, tiffFields{284: {2}}, []byte{1, 2}, []byte{3, 4}, []byte{5, 6}),
		"TIFF of 2 samples":                 tiffFile(little, 1, 1, 8, 1, blackIsZero, tiffFields{277: {2}}, []byte{1, 2}),
		"predictor 2 with compression 1":    tiffFile(little, 3, 1, 8, 1, blackIsZero, tiffFields{317: {2}}, []byte{1, 2, 255}),
		"predictor 3 with compression 8":    tiffFile(little, 3, 1, 8, 1, blackIsZero, tiffFields{259: {8}, 317: {3}}, zlibbed([]byte{1, 2, 255})),
		"reversed bits":                     tiffFile(little, 1, 1, 1, 1, blackIsZero, tiffFields{266: {2}}, []byte{1}),
		"not 0, or with 8 bits":             tiffFile(little, 1, 1, 8, 1, blackIsZero, tiffFields{259: {4}}, []byte{1}),
		"compression value 7":               tiffFile(little, 1, 1, 8, 1, blackIsZero, tiffFields{259: {7}}, []byte{1}),
		"color model":                       tiffFile(little, 1, 1, 8, 4, 5, nil, []byte{1, 2, 3, 4}),
		"wrong number of samples":           tiffFile(little, 1, 1, 8, 4, tiffRGB, nil, []byte{1, 2, 3, 4}),
		"BitsPerSample of 32":               tiffFile(little, 1, 1, 32, 1, blackIsZero, nil, []byte{1, 2, 3, 4}),
		"sample format":                     tiffFile(little, 1, 1, 16, 1, blackIsZero, tiffFields{339: {2}}, []byte{1, 2}),
		"16000 x 16000 pixels do not fit":   tiffFile(little, 16000, 16000, 8, 1, blackIsZero, nil, []byte{1}),
		"13000 x 13000 pixels do not fit":   tiffFile(little, 13000, 13000, 16, 3, tiffRGB, nil, make([]byte, 9000)),
		"zero-size":                         tiffFile(little, 0, 1, 8, 1, blackIsZero, nil, []byte{1}),
		"tiff: ":                            tiffFile(little, 2, 2, 8, 1, blackIsZero, nil, []byte{1}),
		"zlib: invalid header":              tiffFile(little, 2, 2, 8, 1, blackIsZero, tiffFields{259: {8}}, []byte{1, 2, 3}),
		"unsupported feature: IFD entry da": bytewise,
		"in.tif: ":                          tiffFile(little, 1, 1, 8, 1, blackIsZero, tiffFields{259: {}}, []byte{1}),
	} {
		d.write("in.tif", file)
		code, _, stderr := d.run("[...]", "./in.tif", "./out.npy")
		assert.Equal(t, exitError, code, says)
		assertOneLine(t, says, stderr)
	}
	more[len(more)-4] = 8 // a further directory
	d.write("in.tif", more)
	code, _, stderr := d.run("[...]", "./in.tif", "./out.npy")
	assert.Equal(t, exitOK, code)
	assertOneLine(t, "in.tif: the first of several pages", stderr)
}
