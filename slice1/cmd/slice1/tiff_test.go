package main

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"io"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// tiffFields maps tags to their values, which are written as integers of 16 bits.
type tiffFields map[int][]int

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
		entries = order.AppendUint32(order.AppendUint16(order.AppendUint16(entries, uint16(id)), short), uint32(len(fields[id])))
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

// tiffPackers maps compressions to functions that compress by them.
var tiffPackers = map[int]func([]byte) []byte{
	1: func(b []byte) []byte { return b },
	5: packLZW,
	8: func(b []byte) []byte {
		var out bytes.Buffer
		z := zlib.NewWriter(&out)
		z.Write(b)
		z.Close()
		return out.Bytes()
	},
	32773: packBits,
}

// packBits compresses by PackBits. Bytes that repeat are runs, others are literals of one byte.
func packBits(b []byte) (out []byte) {
	out = append(out, 0x80) // to be skipped
	for len(b) > 0 {
		n := 1
		for n < min(len(b), 128) && b[n] == b[0] {
			n++
		}
		if n > 1 {
			out = append(out, byte(1-n), b[0])
		} else {
			out = append(out, 0, b[0])
		}
		b = b[n:]
	}
	return out
}

// packLZW compresses by LZW as the TIFF specification does.
func packLZW(b []byte) (out []byte) {
	bits, have := uint32(0), 0
	table, width := map[string]int{}, 9
	put := func(code int) {
		bits, have = bits<<width|uint32(code), have+width
		for ; have >= 8; have -= 8 {
			out = append(out, byte(bits>>(have-8)))
		}
	}
	code := func(text string) int {
		if len(text) == 1 {
			return int(text[0])
		}
		return table[text]
	}
	put(lzwClear)
	text := ""
	for _, c := range b {
		longer := text + string([]byte{c})
		if _, ok := table[longer]; ok || len(longer) == 1 {
			text = longer
			continue
		}
		put(code(text))
		table[longer] = lzwFirst + len(table)
		text = string([]byte{c})
		switch next := lzwFirst + len(table); {
		case next == lzwCodes-1:
			put(lzwClear)
			table, width = map[string]int{}, 9
		case next == 1<<width:
			width++
		}
	}
	if text != "" {
		put(code(text))
	}
	if lzwFirst+len(table)+1 == 1<<width { // a reader defines one more code when it reads the last one
		width++
	}
	put(lzwEnd)
	width = 7
	put(0)
	return out
}

func TestTIFFsOfEveryCompression(t *testing.T) {
	d := newDir(t)
	data := slices.Concat(counting(3000), bytes.Repeat([]byte{7}, 3000), bytes.Repeat([]byte{1, 2, 3}, 1000)) // 50 x 60 RGB
	for i := range 3000 {
		data[i] = byte(i * i >> 3)
	}
	for compression, pack := range tiffPackers {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			d.write("in.tif", tiffFile(order, 60, 50, 8, 3, tiffRGB, tiffFields{259: {compression}, 278: {40}}, pack(data[:40*180]), pack(data[40*180:])))
			d.works("-force", "[...]", "./in.tif", "./out.npy")
			h, got := d.array("out.npy")
			assert.Equal(t, []int{50, 60, 3}, h.Shape)
			assert.Equal(t, data, got, compression)
		}
	}
	for _, n := range []int{0, 1, 2, 255, 100_000} {
		long := make([]byte, n)
		for i := range long {
			long[i] = byte(i * i >> 5)
		}
		got, err := io.ReadAll(newLZW(bufio.NewReader(bytes.NewReader(packLZW(long)))))
		require.NoError(t, err)
		assert.Equal(t, long, append([]byte{}, got...))
	}
}

func TestTIFFsOfEveryKind(t *testing.T) {
	d := newDir(t)
	big, little := binary.BigEndian, binary.LittleEndian
	palette := make([]int, 3*4)
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
		{tiffFile(little, 3, 1, 1, 1, blackIsZero, tiffFields{258: {}}, []byte{0b101 << 5}), slice1.Uint8, []int{1, 3, 1}, []byte{255, 0, 255}, "grey of 1 bit, scaled to 8"},
		{tiffFile(little, 3, 1, 2, 1, blackIsZero, nil, []byte{0b110110 << 2}), slice1.Uint8, []int{1, 3, 1}, []byte{255, 85, 170}, "grey of 2 bits, scaled to 8"},
		{tiffFile(big, 3, 1, 8, 1, whiteIsZero, nil, []byte{0, 1, 255}), slice1.Uint8, []int{1, 3, 1}, []byte{255, 254, 0}, ""},
		{tiffFile(little, 2, 1, 16, 1, blackIsZero, nil, []byte{1, 2, 3, 4}), slice1.Uint16, []int{1, 2, 1}, []byte{1, 2, 3, 4}, ""},
		{tiffFile(big, 2, 1, 16, 1, blackIsZero, nil, []byte{1, 2, 3, 4}), slice1.Uint16, []int{1, 2, 1}, []byte{2, 1, 4, 3}, ""},
		{tiffFile(little, 2, 1, 2, 1, tiffPalette, tiffFields{320: palette}, []byte{0b0110 << 4}), slice1.Uint8, []int{1, 2, 3}, []byte{1, 5, 9, 2, 6, 10}, "palette, taken as RGB"},
		{tiffFile(little, 1, 1, 8, 4, tiffRGB, tiffFields{338: {unassociated}}, []byte{1, 2, 3, 4}), slice1.Uint8, []int{1, 1, 4}, []byte{1, 2, 3, 4}, ""},
		{tiffFile(little, 2, 1, 8, 4, tiffRGB, tiffFields{338: {premultiplied}}, []byte{1, 2, 4, 4, 9, 9, 9, 0}), slice1.Uint8, []int{1, 2, 4}, []byte{64, 128, 255, 4, 9, 9, 9, 0},
			"colours are divided by the alpha that they were multiplied with"},
		{tiffFile(big, 1, 1, 16, 4, tiffRGB, tiffFields{338: {premultiplied}}, []byte{0, 1, 0, 2, 0, 4, 0, 4}), slice1.Uint16, []int{1, 1, 4},
			[]byte{0, 64, 0, 128, 255, 255, 4, 0}, "colours are divided by the alpha that they were multiplied with"},
		{tiffFile(big, 2, 1, 16, 3, tiffRGB, nil, counting(12)), slice1.Uint16, []int{1, 2, 3}, []byte{1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10}, ""},
		{tiffFile(little, 2, 1, 8, 3, tiffRGB, tiffFields{284: {2}}, []byte{1, 2}, []byte{3, 4}, []byte{5, 6}), slice1.Uint8, []int{1, 2, 3}, []byte{1, 3, 5, 2, 4, 6}, ""},
		{tiffFile(little, 3, 1, 8, 1, blackIsZero, tiffFields{317: {2}}, []byte{1, 2, 255}), slice1.Uint8, []int{1, 3, 1}, []byte{1, 3, 2}, ""},
		{tiffFile(big, 2, 1, 16, 1, blackIsZero, tiffFields{317: {2}}, []byte{1, 2, 3, 255}), slice1.Uint16, []int{1, 2, 1}, []byte{2, 1, 1, 5}, ""},
		{tiffFile(little, 3, 3, 8, 1, blackIsZero, tiffFields{322: {2}, 323: {2}}, []byte{1, 2, 4, 5}, []byte{3, 0, 6, 0}, []byte{7, 8, 0, 0}, []byte{9, 0, 0, 0}),
			slice1.Uint8, []int{3, 3, 1}, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9}, ""},
		{tiffFile(little, 2, 1, 8, 1, blackIsZero, tiffFields{tagOrientation: {2}}, []byte{1, 2}), slice1.Uint8, []int{1, 2, 1}, []byte{2, 1}, "EXIF orientation 2 is applied, -orient none leaves it"},
		{tiffFile(little, 1, 1, 8, 1, blackIsZero, tiffFields{270: {1}, 282: {1}, 305: {1}, 34853: {1}}, []byte{1}), slice1.Uint8, []int{1, 1, 1}, []byte{1},
			"not in the output: texts, resolution, GPS"},
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
		for n := range len(row.file) {
			_, err := decodeTIFF(io.NewSectionReader(bytes.NewReader(row.file), 0, int64(n)))
			require.Error(t, err, "%d bytes of file %d", n, i)
		}
	}
}

func TestTIFFsThatAreNotRead(t *testing.T) {
	d := newDir(t)
	little := binary.LittleEndian
	for says, file := range map[string][]byte{
		"compression 4 is not read":       tiffFile(little, 1, 1, 8, 1, blackIsZero, tiffFields{259: {4}}, []byte{1}),
		"colours 5, 4 samples of 8 bits":  tiffFile(little, 1, 1, 8, 4, 5, nil, []byte{1, 2, 3, 4}),
		"colours 2, 4 samples of 8 bits":  tiffFile(little, 1, 1, 8, 4, tiffRGB, nil, []byte{1, 2, 3, 4}),
		"colours 1, 1 samples of 32 bits": tiffFile(little, 1, 1, 32, 1, blackIsZero, nil, []byte{1, 2, 3, 4}),
		"other than unsigned integers":    tiffFile(little, 1, 1, 16, 1, blackIsZero, tiffFields{339: {2}}, []byte{1, 2}),
		"bits in another order":           tiffFile(little, 1, 1, 1, 1, blackIsZero, tiffFields{266: {2}}, []byte{1}),
		"samples of several sizes":        tiffFile(little, 1, 1, 8, 3, tiffRGB, tiffFields{258: {5, 6, 5}}, []byte{1, 2, 3}),
		"60000 x 60000 pixels do not fit": tiffFile(little, 60000, 60000, 8, 1, blackIsZero, nil, []byte{1}),
		"TIFF of 0 x 1 pixels":            tiffFile(little, 0, 1, 8, 1, blackIsZero, nil, []byte{1}),
		"in.tif: broken TIFF directory":   tiffFile(little, 1, 2, 8, 1, blackIsZero, tiffFields{278: {1}}, []byte{1}),
		"TIFF: unexpected EOF":            tiffFile(little, 2, 2, 8, 1, blackIsZero, nil, []byte{1}),
		"TIFF: broken LZW data":           tiffFile(little, 2, 2, 8, 1, blackIsZero, tiffFields{259: {5}}, []byte{0x80, 0x7f, 0xff, 0xff}),
		"zlib: invalid header":            tiffFile(little, 2, 2, 8, 1, blackIsZero, tiffFields{259: {8}}, []byte{1, 2, 3}),
		"tif: broken TIFF directory":      tiffFile(little, 2, 2, 2, 1, tiffPalette, tiffFields{320: {1, 2, 3}}, []byte{1, 2}),
		".tif: broken TIFF directory":     tiffFile(little, 2, 2, 1, 1, blackIsZero, tiffFields{317: {2}}, []byte{1, 2}),
		"in.tif: broken TIFF directory\n": tiffFile(little, 1, 1, 8, 1, blackIsZero, tiffFields{279: {60000}}, []byte{1}),
	} {
		d.write("in.tif", file)
		code, _, stderr := d.run("[...]", "./in.tif", "./out.npy")
		assert.Equal(t, exitError, code, says)
		assertOneLine(t, says, stderr)
	}
	wide := tiffFile(little, 1, 1, 8, 1, blackIsZero, tiffFields{322: {1}, 323: {0}}, []byte{1})
	_, err := readTIFF(bytes.NewReader(wide))
	assert.Equal(t, errTIFF, err)
}

// pages returns a TIFF of n directories without tags. The last one names byte next as the place of a
// further one; 0 means that there is none.
func pages(n, next uint32) []byte {
	const first, length = 8, 2 + 4
	file := binary.LittleEndian.AppendUint32([]byte("II*\x00"), first)
	for i := range n {
		at := next
		if i+1 < n {
			at = first + length*(i+1)
		}
		file = binary.LittleEndian.AppendUint32(append(file, 0, 0), at)
	}
	return file
}

func TestPagesOfATIFFAreCounted(t *testing.T) {
	for _, row := range []struct{ n, next, want uint32 }{
		{1, 0, 1}, {3, 0, 3}, {2, 1 << 31, 2}, {1, 8, 1}, {3, 8, 3}, {5, 20, 5}, {2000, 0, 1000},
	} {
		file := pages(row.n, row.next)
		s := &source{bytes: file, size: int64(len(file))}
		assert.Equal(t, int(row.want), s.tiffMetadata().frames, row)
	}
}

// endless is a file of math.MaxInt64 zeros.
type endless struct{}

func (endless) ReadAt(b []byte, _ int64) (int, error) { clear(b); return len(b), nil }
func (endless) Size() int64                           { return math.MaxInt64 }

// If there are more blocks than memory can hold the places of, that is an error, also on 32 bits.
func TestTIFFsOfTooManyBlocks(t *testing.T) {
	many := entry{kind: long, count: math.MaxUint32}
	tiff := &tiffPicture{directory: &directory{r: endless{}, order: binary.LittleEndian, tags: map[uint16]entry{273: many, 279: many}}}
	_, _, err := tiff.blocks(maxAlloc/4 + 1)
	assert.Equal(t, errTIFF, err)
}
