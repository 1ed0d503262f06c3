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

// tiffFields maps tags to their values. They are written as integers of 16 bits.
type tiffFields map[int][]int

const whiteIsZero, blackIsZero, tiffRGB, tiffPalette = 0, 1, 2, 3

// tiffFile returns a TIFF with the given blocks, as they are in the file. They are tiles if more
// has the width of tiles (322), else strips. The fields in more replace others.
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
	palette, narrow := make([]int, 3*256), make([]int, 3*256) // of 16 bits, of 8 bits
	for i := range palette {
		palette[i], narrow[i] = (i/256+i%128)<<8|0x55, i/256+i%128
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
		{tiffFile(little, 2, 1, 8, 1, tiffPalette, tiffFields{320: palette}, []byte{0, 1}), slice1.Uint8, []int{1, 2, 3}, []byte{0, 1, 2, 1, 2, 3}, "palette, taken as RGB"},
		{tiffFile(little, 2, 1, 8, 1, tiffPalette, tiffFields{320: narrow}, []byte{0, 1}), slice1.Uint8, []int{1, 2, 3}, []byte{0, 1, 2, 1, 2, 3}, "palette, taken as RGB"},
		{tiffFile(big, 3, 1, 1, 1, tiffPalette, tiffFields{320: {0x100, 0x200, 0x300, 0x400, 0x500, 0x600}}, []byte{0b101 << 5}), slice1.Uint8, []int{1, 3, 3},
			[]byte{2, 4, 6, 1, 3, 5, 2, 4, 6}, "palette, taken as RGB"},
		// CCITT Group 4: a row of white. White is 0, whatever 0 stands for.
		{tiffFile(little, 3, 1, 1, 1, whiteIsZero, tiffFields{259: {4}}, []byte{0x80, 0x08, 0x00, 0x80}), slice1.Uint8, []int{1, 3, 1}, []byte{255, 255, 255}, "grey of 1 bit, scaled to 8"},
		{tiffFile(little, 3, 1, 1, 1, blackIsZero, tiffFields{259: {4}}, []byte{0x80, 0x08, 0x00, 0x80}), slice1.Uint8, []int{1, 3, 1}, []byte{0, 0, 0}, "grey of 1 bit, scaled to 8"},
		{tiffFile(little, 1, 1, 8, 4, tiffRGB, tiffFields{338: {2}}, []byte{1, 2, 3, 4}), slice1.Uint8, []int{1, 1, 4}, []byte{1, 2, 3, 4}, ""},
		{tiffFile(little, 1, 1, 8, 4, tiffRGB, tiffFields{338: {1}}, []byte{1, 2, 4, 4}), slice1.Uint8, []int{1, 1, 4}, []byte{63, 127, 255, 4}, ""},
		{tiffFile(little, 1, 1, 8, 4, tiffRGB, tiffFields{338: {1}}, []byte{1, 2, 9, 4}), slice1.Uint8, []int{1, 1, 4}, []byte{63, 127, 255, 4}, ""}, // a colour is more than alpha
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
		for n := 0; n < len(row.file)-4; n += 1 + len(row.file)/200 {
			d.write("in.tif", row.file[:n])
			code, _, stderr := d.run("-force", "[...]", "./in.tif", "./out.npy")
			require.Equal(t, exitError, code, "%d bytes of file %d: %s", n, i, stderr)
		}
	}
}

// A file is refused unless package tiff is known to read it like libtiff. The error names the tag.
func TestTIFFsThatAreNotRead(t *testing.T) {
	d := newDir(t)
	little := binary.LittleEndian
	bytewise := tiffFile(little, 1, 1, 8, 1, blackIsZero, tiffFields{259: {8}}, zlibbed([]byte{1}))
	at := bytes.Index(bytewise, []byte{3, 1, 3, 0, 1, 0, 0, 0, 8})
	bytewise[at+2] = 6 // SBYTE
	photometric := tiffFile(little, 1, 1, 8, 1, blackIsZero, nil, []byte{1})
	at = bytes.Index(photometric, []byte{6, 1, 3, 0})
	photometric[at] = 7 // Threshholding
	grey := func(bits int, fields tiffFields) []byte {
		return tiffFile(little, 1, 1, bits, 1, blackIsZero, fields, []byte{0x80, 0, 0, 0})
	}
	rgb := func(samples int, fields tiffFields) []byte {
		return tiffFile(little, 1, 1, 8, samples, tiffRGB, fields, []byte{1, 2, 3, 4, 5})
	}
	palette := func(bits, colours int) []byte {
		return tiffFile(little, 1, 1, bits, 1, tiffPalette, tiffFields{320: make([]int, 3*colours)}, []byte{1, 2})
	}
	for _, row := range []struct {
		says string
		file []byte
	}{
		{"NewSubfileType 1 (a smaller picture, as RAW", rgb(3, tiffFields{254: {1}, 330: {8}})},
		{"SubfileType 2", rgb(3, tiffFields{255: {2}})},
		{"separate planes, of which", tiffFile(little, 2, 1, 8, 3, tiffRGB, tiffFields{284: {2}}, []byte{1, 2}, []byte{3, 4}, []byte{5, 6})},
		{"SamplesPerPixel 2", grey(8, tiffFields{277: {2}})},
		{"1 samples of 8 bits for 2", grey(8, tiffFields{258: {8, 8}})},
		{"3 samples of 8 bits for 3, 0 extra, with PhotometricInterpretation 1", tiffFile(little, 1, 1, 8, 3, blackIsZero, nil, []byte{1, 2, 3})},
		{"1 samples of 8 bits for 1, 1 extra", grey(8, tiffFields{338: {1}})},
		{"3 samples of 8 bits for 3, 1 extra", rgb(3, tiffFields{338: {1}})},
		{"4 samples of 1 bits for 4", tiffFile(little, 1, 1, 1, 4, tiffRGB, tiffFields{338: {2}}, []byte{1})},
		{"SamplesPerPixel 5", tiffFile(little, 1, 1, 8, 5, tiffRGB, tiffFields{258: {8, 8, 8, 8}}, []byte{1, 2, 3, 4, 5})},
		{"wrong number of samples for 8bit RGB", rgb(3, tiffFields{258: {8, 8, 16}})},
		{"8 bits of Predictor 2 and FillOrder 1 with Compression 1", grey(8, tiffFields{317: {2}})},
		{"1 bits of Predictor 2 and FillOrder 1 with Compression 8", grey(1, tiffFields{259: {8}, 317: {2}})},
		{"Predictor 3", grey(8, tiffFields{259: {8}, 317: {3}})},
		{"FillOrder 2 with Compression 1", grey(1, tiffFields{266: {2}})},
		{"T4Options 1", grey(1, tiffFields{259: {3}, 292: {1}})},
		{"T6Options 2", grey(1, tiffFields{259: {4}, 293: {2}})},
		{"1 samples of 8 bits for 1, 0 extra, with PhotometricInterpretation 1 and Compression 4", grey(8, tiffFields{259: {4}})},
		{"Compression 7 (JPEG)", grey(8, tiffFields{259: {7}})},
		{"Compression 0", grey(8, tiffFields{259: {0}})},
		{"LZW as libtiff wrote it before version 3", tiffFile(little, 1, 1, 8, 1, blackIsZero, tiffFields{259: {5}}, []byte{0, 1, 2, 3})},
		{"LZW as libtiff", tiffFile(little, 1, 1, 8, 1, blackIsZero, tiffFields{259: {5}}, []byte{0x80, 0x80, 2, 3})},
		{"LZW as libtiff", tiffFile(little, 8, 9, 8, 1, blackIsZero, tiffFields{259: {5}, 322: {16}, 323: {16}}, []byte{0, 1, 2, 3})},
		{"PhotometricInterpretation 5 (CMYK)", tiffFile(little, 1, 1, 8, 4, 5, nil, []byte{1, 2, 3, 4})},
		{"no PhotometricInterpretation", photometric},
		{"fourth sample that ExtraSamples does not call alpha", rgb(4, nil)},
		{"fourth sample that ExtraSamples does not call alpha", rgb(4, tiffFields{338: {0}})},
		{"no ExtraSamples, with too many", rgb(4, tiffFields{338: {2, 2}})},
		{"BitsPerSample 4", grey(4, nil)},
		{"BitsPerSample 32", grey(32, nil)},
		{"SampleFormat 2 (signed)", grey(16, tiffFields{339: {2}})},
		{"Matteing 1", grey(8, tiffFields{32995: {1}})},
		{"DataType 1", grey(8, tiffFields{32996: {1}})},
		{"palette (ColorMap) of 6 values for 8 bits", palette(8, 2)},
		{"palette (ColorMap) of 768 values for 16 bits", palette(16, 256)},
		{"palette (ColorMap) of 0 values for 8 bits", palette(8, 0)},
		{"strips or tiles, or with both", grey(8, tiffFields{324: {8}})},
		{"strips or tiles, or with both", grey(8, tiffFields{322: {16}, 323: {16}, 324: {}})},
		{"strips or tiles, or with both", grey(8, tiffFields{322: {16}, 323: {16}, 273: {8}, 279: {4}})},
		{"strips or tiles, or with both", grey(8, tiffFields{273: {}})},
		{"16000 x 16000 pixels do not fit", tiffFile(little, 16000, 16000, 8, 1, blackIsZero, nil, []byte{1})},
		{"13000 x 13000 pixels do not fit", tiffFile(little, 13000, 13000, 16, 3, tiffRGB, nil, make([]byte, 9000))},
		{"zero-size", tiffFile(little, 0, 1, 8, 1, blackIsZero, nil, []byte{1})},
		{"tiff: ", tiffFile(little, 2, 2, 8, 1, blackIsZero, nil, []byte{1})},
		{"zlib: invalid header", tiffFile(little, 2, 2, 8, 1, blackIsZero, tiffFields{259: {8}}, []byte{1, 2, 3})},
		{"no Compression, with too many, or of another type", bytewise},
		{"no Compression, with too many", grey(8, tiffFields{259: {}})},
		{"no Compression, with too many", grey(8, tiffFields{259: {1, 1}})},
		{"no BitsPerSample, with too many", tiffFile(little, 1, 1, 8, 5, tiffRGB, nil, []byte{1, 2, 3, 4, 5})},
		{"BigTIFF, of which `tiffcp`", []byte("II+\x00\x08\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00")},
		{"BigTIFF", []byte("MM\x00+\x00\x08\x00\x00")},
	} {
		d.write("in.tif", row.file)
		code, _, stderr := d.run("[...]", "./in.tif", "./out.npy")
		assert.Equal(t, exitError, code, row.says)
		assertOneLine(t, row.says, stderr)
	}
	more := grey(8, nil)
	more[len(more)-4] = 8 // another directory
	for _, file := range [][]byte{more, grey(8, tiffFields{330: {8}})} {
		d.write("in.tif", file)
		code, _, stderr := d.run("-force", "[...]", "./in.tif", "./out.npy")
		assert.Equal(t, exitOK, code)
		assertOneLine(t, "in.tif: the first of several pages", stderr)
	}
}
