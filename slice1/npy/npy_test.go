package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// file builds an .npy file of the given version and dictionary, with `data` bytes of zeros behind
// the header.
func file(major byte, dict string, data int) []byte {
	b := append([]byte(magic), major, 0)
	if major == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(dict)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(dict)))
	}
	b = append(b, dict...)
	return append(b, make([]byte, data)...)
}

func dictOf(descr, fortran, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, fortran, shape)
}

func TestParseReadsEveryTypeAndByteOrder(t *testing.T) {
	types := map[string]slice1.DataType{
		"f2": slice1.Float16, "f4": slice1.Float32, "f8": slice1.Float64,
		"i1": slice1.Int8, "i2": slice1.Int16, "i4": slice1.Int32, "i8": slice1.Int64,
		"u1": slice1.Uint8, "u2": slice1.Uint16, "u4": slice1.Uint32, "u8": slice1.Uint64,
	}
	for code, want := range types {
		for order, big := range map[string]bool{"<": false, ">": true, "=": hostBigEndian, "|": hostBigEndian, "": hostBigEndian} {
			h, err := Parse(file(1, dictOf(order+code, "False", "(2, 3)"), 6*want.Size()))
			require.NoError(t, err, order+code)
			assert.Equal(t, want, h.Type, order+code)
			assert.Equal(t, big && want.Size() > 1, h.BigEndian, order+code)
			assert.Equal(t, int64(6*want.Size()), h.Size, order+code)
		}
	}
}

func TestParseFindsTheDataInEveryVersion(t *testing.T) {
	dict := dictOf("<f4", "False", "(2, 3)")
	for version, preamble := range map[byte]int{1: 10, 2: 12, 3: 12} {
		h, err := Parse(file(version, dict, 24+5))
		require.NoError(t, err)
		assert.Equal(t, Header{Type: slice1.Float32, Shape: []int{2, 3}, Offset: int64(preamble + len(dict)), Size: 24}, h, "version %d", version)
	}
}

func TestReadHeaderAtIsParseOfTheStart(t *testing.T) {
	dict := dictOf("<f4", "False", "(2, 3)")
	for _, behind := range []int{-1, 0, 5, 2 * maxStart} {
		file := file(1, dict, 24+behind)
		want, wantErr := Parse(file)
		h, err := ReadHeaderAt(io.NewSectionReader(bytes.NewReader(file), 0, int64(len(file))))
		assert.Equal(t, wantErr, err, behind)
		assert.Equal(t, want, h, behind)
	}
	_, err := ReadHeaderAt(io.NewSectionReader(bytes.NewReader(file(1, dict, 24)), 0, 1<<40))
	require.ErrorIs(t, err, io.EOF, "a file shorter than its size")
}

func TestReadHeaderIsParseWithoutTheData(t *testing.T) {
	for version := byte(1); version <= 3; version++ {
		whole := file(version, dictOf("<f4", "False", "(2, 3)"), 24)
		want, err := Parse(whole)
		require.NoError(t, err)
		for n := range len(whole) + 1 {
			r := bytes.NewReader(whole[:n])
			h, err := ReadHeader(r)
			if n < int(want.Offset) {
				_, wantErr := Parse(whole[:n])
				assert.Equal(t, wantErr, err)
				continue
			}
			require.NoError(t, err)
			assert.Equal(t, want, h)
			assert.Equal(t, n-int(want.Offset), r.Len(), "taken beyond the header")
		}
	}
	_, err := ReadHeader(strings.NewReader("text that is no array"))
	require.ErrorIs(t, err, ErrFormat)
	_, err = ReadHeader(iotest.ErrReader(io.ErrClosedPipe))
	require.ErrorIs(t, err, io.ErrClosedPipe)
}

func TestParseTakesWhatPythonTakes(t *testing.T) {
	for _, dict := range []string{
		"{'descr': '<u2', 'fortran_order': True, 'shape': (4, 2)}",
		"{'shape': (4, 2), 'fortran_order': True, 'descr': '<u2', }",
		`{"fortran_order":True,"shape":(4,2,),"descr":"<u2"}`,
		"  {\n'descr'\t:\r'<u2' , 'shape' : ( 4 , 2 ) , 'fortran_order' : True\n}  \n",
		"{u'descr': u'<u2', 'fortran_order': True, 'shape': (4L, 2L), }", // of Python 2
	} {
		h, err := Parse(file(1, dict, 16))
		require.NoError(t, err, dict)
		assert.Equal(t, Header{Type: slice1.Uint16, Fortran: true, Shape: []int{4, 2}, Offset: int64(10 + len(dict)), Size: 16}, h, dict)
	}
}

func TestParseReadsShapes(t *testing.T) {
	most := "(" + strings.Repeat("1, ", maxRank) + ")"
	ones := make([]int, maxRank)
	for i := range ones {
		ones[i] = 1
	}
	for text, want := range map[string][]int{
		"()": {}, "(7,)": {7}, "(0,)": {0}, "(3, 0, 2)": {3, 0, 2}, "(7, 1)": {7, 1}, most: ones,
	} {
		h, err := Parse(file(1, dictOf("|i1", "False", text), 8))
		require.NoError(t, err, text)
		assert.Equal(t, want, h.Shape, text)
	}
}

// broken is a file that Parse refuses, with the error and a part of its text.
type broken struct {
	name string
	file []byte
	err  error
	says string
}

var whole = file(1, dictOf("<f4", "False", "(2, 3)"), 24)

// edited returns file whole with byte b at a place.
func edited(at int, b byte) []byte {
	c := bytes.Clone(whole)
	c[at] = b
	return c
}

// These return files with the given shape, type, dictionary or list of fields.
func ofShape(s string) []byte { return file(1, dictOf("<f4", "False", s), 64) }
func ofType(s string) []byte  { return file(1, dictOf(s, "False", "(2,)"), 64) }
func ofDict(s string) []byte  { return file(1, s, 64) }
func ofFields(s string) []byte {
	return ofDict("{'descr': " + s + ", 'fortran_order': False, 'shape': (2,)}")
}

var brokenStarts = []broken{
	{"empty file", nil, ErrTruncated, "0 bytes"},
	{"another format", []byte("\x89PNG\r\n\x1a\n"), ErrFormat, "does not start"},
	{"broken magic", edited(3, 'X'), ErrFormat, "does not start"},
	{"magic alone", whole[:6], ErrTruncated, "6 bytes"},
	{"no header length", whole[:9], ErrTruncated, "9 bytes"},
	{"half a header", whole[:30], ErrTruncated, "the header has 60 bytes, the file has 20 of them"},
	{"no data", whole[:70], ErrTruncated, "needs 24 bytes of data, has 0"},
	{"data one short", whole[:len(whole)-1], ErrTruncated, "needs 24 bytes of data, has 23"},
	{"version 0", edited(6, 0), ErrFormat, "version 0.0"},
	{"version 4", edited(6, 4), ErrFormat, "version 4.0"},
	{"version 1.1", edited(7, 1), ErrFormat, "version 1.1"},
	{"header longer than the file", edited(9, 0xff), ErrTruncated, "the header has 65340 bytes"},
	{"header of 4 GiB", []byte(magic + "\x02\x00\xff\xff\xff\xff{}"), ErrTruncated, "4294967295"},
	{"header mostly padding", file(2, strings.Repeat(" ", maxHeader+1), 0), ErrFormat, "at most"},
}

var brokenShapes = []broken{
	{"shape larger than the data", ofShape("(1000, 1000)"), ErrTruncated, "needs 4000000 bytes"},
	{"product overflow", ofShape("(2147483647, 2147483647, 2147483647)"), ErrFormat, "overflows"},
	{"bytes overflow", ofShape("(2147483647, 2147483647, 1)"), ErrFormat, "overflows"},
	{"overflow beside an extent of 0", ofShape("(0, 2147483647, 2147483647, 2147483647)"), ErrFormat, "overflows"},
	{"extent beyond 64 bits", ofShape("(99999999999999999999,)"), ErrFormat, "extent"},
	{"negative extent", ofShape("(2, -3)"), ErrFormat, "negative extent -3"},
	{"65 axes", ofShape("(" + strings.Repeat("1, ", 65) + ")"), ErrFormat, "more than 64 axes"},
	{"number for a shape", ofShape("6"), ErrFormat, "'(' missing"},
	{"parenthesised number", ofShape("(6)"), ErrFormat, "',' missing"},
	{"list for a shape", ofShape("[2, 3]"), ErrFormat, "'(' missing"},
	{"two commas", ofShape("(2,, 3)"), ErrFormat, `extent ""`},
	{"long integer of no digits", ofShape("(L, 3)"), ErrFormat, `extent "L"`},
	{"fraction", ofShape("(2.5, 3)"), ErrFormat, "missing"},
	{"hexadecimal", ofShape("(0x2, 3)"), ErrFormat, "0x2"},
	{"open shape", ofDict("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3"), ErrFormat, "missing"},
}

var brokenDicts = []broken{
	{"no dictionary", ofDict(""), ErrFormat, "'{' missing"},
	{"open dictionary", ofDict("{'descr': '<f4', "), ErrFormat, "no string"},
	{"open string", ofDict("{'descr"), ErrFormat, "a broken one"},
	{"escape", ofDict(`{'de\x73cr': '<f4'}`), ErrFormat, "unknown key"},
	{"no colon", ofDict("{'descr' '<f4'}"), ErrFormat, "':' missing"},
	{"no comma", ofDict("{'descr': '<f4' 'shape': ()}"), ErrFormat, "',' or '}' missing"},
	{"missing descr", ofDict("{'fortran_order': False, 'shape': ()}"), ErrFormat, `no "descr"`},
	{"missing order", ofDict("{'descr': '<f4', 'shape': ()}"), ErrFormat, `no "fortran_order"`},
	{"missing shape", ofDict("{'descr': '<f4', 'fortran_order': False}"), ErrFormat, `no "shape"`},
	{"twice", ofDict("{'shape': (), 'shape': ()}"), ErrFormat, `second "shape"`},
	{"unknown key", ofDict("{'order': 'C'}"), ErrFormat, `unknown key "order"`},
	{"text behind", ofDict("{'descr': '<f4', 'fortran_order': False, 'shape': ()} x"), ErrFormat, "text after"},
	{"NUL behind", ofDict("{'descr': '<f4', 'fortran_order': False, 'shape': ()}\x00"), ErrFormat, "text after"},
	{"number for an order", ofDict(dictOf("<f4", "0", "()")), ErrFormat, "not True or False"},
	{"number for a type", ofDict("{'descr': 4}"), ErrFormat, "no string"},
}

var brokenTypes = []broken{
	{"pickled", ofType("|O"), ErrType, `pickled Python objects, "|O"`},
	{"no such size", ofType("<i16"), ErrType, `"<i16"`},
	{"no size", ofType("|S"), ErrType, `"|S"`},
	{"size 0", ofType("|S0"), ErrType, `"|S0"`},
	{"huge size", ofType("<U999999999999"), ErrType, `"<U999999999999"`},
	{"odd complex", ofType("<c7"), ErrType, `"<c7"`},
	{"wide bool", ofType("|b2"), ErrType, `"|b2"`},
	{"bool with a size", ofType("?1"), ErrType, `"?1"`},
	{"short date", ofType("<M4[s]"), ErrType, `"<M4[s]"`},
	{"quoted unit", ofType("<M8[s~]"), ErrType, `"<M8[s~]"`},
	{"long number", ofType("|S" + strings.Repeat("0", 50) + "1"), ErrType, "..."},
	{"open unit", ofType("<M8[s"), ErrType, `"<M8[s"`},
	{"empty unit", ofType("<m8[]"), ErrType, `"<m8[]"`},
	{"no name", ofType(""), ErrType, `""`},
	{"order alone", ofType("<"), ErrType, `"<"`},
	{"two orders", ofType("<>f4"), ErrType, `"<>f4"`},
	{"long name", ofType(strings.Repeat("é", 200)), ErrType, "..."},
}

var brokenFields = []broken{
	{"no fields", ofFields("[]"), ErrType, `"[]"`},
	{"fields of nothing", ofFields("[('x', '<f4', (0,))]"), ErrType, `"[('x', '<f4', (0,))]"`},
	{"pickled field", ofFields("[('x', '<f4'), ('y', [('z', '|O')])]"), ErrType, "pickled"},
	{"huge field", ofFields("[('x', '<f4', (1000000, 1000))]"), ErrType, "a field of shape [1000000 1000]"},
	{"huge fields", ofFields("[" + strings.Repeat("('x', '|S200000000'), ", 2) + "]"), ErrType, "fields of more than"},
	{"many fields", ofFields("[" + strings.Repeat("('x', '<f4'), ", 3000) + "]"), ErrType, "('x', '<f4'), ('x'"},
	{"field overflow", ofFields("[('x', '<f4', (2147483647, 2147483647, 3))]"), ErrType, "a field of shape"},
	{"bad extents of a field", ofFields("[('x', '<f4', 3)]"), ErrFormat, "'(' missing"},
	{"fields without brackets", ofFields("('x', '<f4')"), ErrFormat, "no string"},
	{"open fields", ofFields("[('x', '<f4')"), ErrFormat, "'(' missing"}, {"fields without a comma", ofFields("[('x', '<f4') ('y', '<f4')]"), ErrFormat, "',' or ']' missing"},
	{"open field", ofFields("[('x', '<f4']"), ErrFormat, "')' missing"},
	{"field without brackets", ofFields("['x', '<f4']"), ErrFormat, "'(' missing"},
	{"field without a type", ofFields("[('x')]"), ErrFormat, "',' missing"},
	{"field with a number for a type", ofFields("[('x', 4)]"), ErrFormat, "no string"},
	{"escape that Python does not know", ofFields(`[('\q', 'u1')]`), ErrFormat, "a broken one"},
	{"escape of no letter", ofFields(`[('\U00110000', 'u1')]`), ErrFormat, "a broken one"},
	{"string that an escape leaves open", ofFields(`[('x\', 'u1')]`), ErrFormat, "',' missing"},
	{"array without extents", ofFields("[('x', ('u1'))]"), ErrFormat, "',' missing"},
	{"huge array in an array", ofFields("[('x', ('<f4', (1000000,)), (1000,))]"), ErrType, "a field of shape [1000]"},
	{"title without a name", ofFields("[(('x'), '<f4')]"), ErrFormat, "',' missing"},
}

func TestParseRefusesBrokenFiles(t *testing.T) {
	for _, row := range slices.Concat(brokenStarts, brokenShapes, brokenDicts, brokenTypes, brokenFields) {
		h, err := Parse(row.file)
		require.ErrorIs(t, err, row.err, row.name)
		assert.Contains(t, err.Error(), row.says, row.name)
		assert.NotContains(t, err.Error(), "\n", row.name)
		assert.Less(t, len(err.Error()), 300, row.name)
		assert.Zero(t, h, row.name)
	}
}

// The window of a scalar suits the tensor of Desc.
func TestScalarsAreSliced(t *testing.T) {
	h := Header{Type: slice1.Int16}
	tensor, err := h.Desc()
	require.NoError(t, err)
	w, shape, err := h.ParseIndex("[...]")
	require.NoError(t, err)
	assert.Empty(t, shape)
	dst := make([]byte, 2)
	require.NoError(t, slice1.CopyBytes(dst, []byte{1, 2}, w.Of(tensor)))
	assert.Equal(t, []byte{1, 2}, dst)
}

func TestStridesAreColumnMajorInFortranOrder(t *testing.T) {
	for _, row := range []struct {
		fortran bool
		shape   []int
		want    []int
	}{
		{false, []int{4, 3, 2}, nil},
		{true, []int{4, 3, 2}, []int{1, 4, 12}},
		{true, []int{4, 0, 2}, []int{1, 4, 4}},
		{true, []int{4}, nil},
		{true, nil, nil},
	} {
		assert.Equal(t, row.want, Header{Fortran: row.fortran, Shape: row.shape}.Strides(), "%v", row)
	}
}

func TestAppendHeaderWritesWhatNumPyWrites(t *testing.T) {
	start := magic + "\x01\x00v\x00{'descr': "
	for _, row := range []struct {
		h    Header
		dict string
	}{
		{Header{Type: slice1.Float32, Shape: []int{2, 3}}, "'<f4', 'fortran_order': False, 'shape': (2, 3), }"},
		{Header{Type: slice1.Uint16, BigEndian: true}, "'>u2', 'fortran_order': False, 'shape': (), }"},
		{Header{Type: slice1.Uint8, BigEndian: true, Shape: []int{5}}, "'|u1', 'fortran_order': False, 'shape': (5,), }"},
		{Header{Type: slice1.Int64, Fortran: true, Shape: []int{0, 3}}, "'<i8', 'fortran_order': False, 'shape': (0, 3), }"},
		{Header{Type: slice1.Float64, Shape: []int{100, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2}}, "'<f8', 'fortran_order': False, 'shape': (100, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2), }"},
	} {
		want := start + row.dict
		want += strings.Repeat(" ", 127-len(want)) + "\n"
		got, err := AppendHeader(nil, row.h)
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
	}
}

// headerOf returns the header that AppendHeader makes of h.
func headerOf(t *testing.T, h Header) []byte {
	b, err := AppendHeader(nil, h)
	require.NoError(t, err)
	return b
}

func TestAppendHeaderRoundTrips(t *testing.T) {
	for typ := slice1.Float32; typ <= slice1.Int64; typ++ {
		for rank := range maxRank {
			h := Header{Type: typ, BigEndian: rank%2 == 1 && typ.Size() > 1, Shape: make([]int, rank), Size: int64(typ.Size())}
			for i := range h.Shape {
				h.Shape[i] = 1 + i%2
				h.Size *= int64(h.Shape[i])
			}
			if rank > 20 {
				h.Shape[rank/2], h.Size = 0, 0
			}
			b, err := AppendHeader([]byte("before"), h)
			require.NoError(t, err)
			b = b[len("before"):]
			h.Offset = int64(len(b))
			got, err := Parse(append(b, make([]byte, h.Size)...))
			require.NoError(t, err)
			assert.Equal(t, h, got)
			assert.Zero(t, h.Offset%64)
		}
	}
}

// AppendHeader returns the bytes before and an error for what no file can have.
func TestAppendHeaderRefuses(t *testing.T) {
	for _, c := range []struct {
		h    Header
		is   error
		text string
	}{
		{Header{Shape: []int{2}}, ErrType, "npy: element type not supported: Header.Type is DataType(0), which NumPy does not have"},
		{Header{Type: 12}, ErrType, "npy: element type not supported: Header.Type is DataType(12), which NumPy does not have"},
		{Header{Type: slice1.BFloat16}, ErrType, "npy: element type not supported: Header.Type is bfloat16, which NumPy does not have"},
		{Header{Descr: "<q9"}, ErrType, ""},
		{Header{Descr: "'"}, ErrFormat, ""},
		{Header{Descr: "<f4', 'x': '"}, ErrFormat, ""},
		{Header{Descr: "["}, ErrFormat, ""},
		{Header{Type: slice1.Uint8, Shape: []int{-1}}, ErrFormat, ""},
		{Header{Type: slice1.Uint8, Shape: []int{3, math.MinInt}}, ErrFormat, ""},
		{Header{Type: slice1.Float64, Shape: []int{math.MaxInt, math.MaxInt, math.MaxInt}}, ErrFormat, ""},
		{Header{Type: slice1.Int8, Shape: make([]int, 65)}, ErrFormat, ""},
		{Header{Type: slice1.Int8, Shape: make([]int, 1<<15)}, ErrFormat, ""},
	} {
		b, err := AppendHeader([]byte("before"), c.h)
		require.ErrorIs(t, err, c.is, "%q %v", c.h.Descr, c.h.Type)
		require.Equal(t, "before", string(b))
		if c.text != "" {
			require.EqualError(t, err, c.text)
		}
	}
}

// Elements of a type that slice1 does not have get an unsigned Type and keep its name.
func TestElementsOfOtherTypesAreBits(t *testing.T) {
	order := "<"
	if hostBigEndian {
		order = ">"
	}
	for _, row := range []struct {
		descr, want, name string
		dtype             slice1.DataType
		inner             int
	}{
		{"|b1", "|b1", "bool", slice1.Uint8, 1}, {"?", "|b1", "bool", slice1.Uint8, 1},
		{"<c8", "<c8", "complex64", slice1.Uint64, 1}, {">c16", ">c16", "complex128", slice1.Uint64, 2}, {"=c8", order + "c8", "complex64", slice1.Uint64, 1},
		{"<M8[ns]", "<M8[ns]", "datetime64[ns]", slice1.Uint64, 1}, {"<m8[25s]", "<m8[25s]", "timedelta64[25s]", slice1.Uint64, 1},
		{">M8", ">M8", "datetime64", slice1.Uint64, 1}, {"<m8", "<m8", "timedelta64", slice1.Uint64, 1},
		{"|S5", "|S5", "S5", slice1.Uint8, 5}, {"|a5", "|S5", "S5", slice1.Uint8, 5}, {"<U3", "<U3", "U3", slice1.Uint32, 3}, {"|V6", "|V6", "V6", slice1.Uint16, 3},
		{"<f16", "<f16", "f16", slice1.Uint64, 2}, {"<f12", "<f12", "f12", slice1.Uint32, 3},
	} {
		file := headerOf(t, Header{Descr: row.descr, Shape: []int{2}})
		file = append(file, make([]byte, 2*row.inner*row.dtype.Size())...)
		h, err := Parse(file)
		require.NoError(t, err, row.descr)
		assert.Equal(t, []any{row.dtype, row.inner, row.want, false}, []any{h.Type, h.Inner, h.Descr, h.BigEndian}, row.descr)
		assert.Equal(t, row.name, h.TypeName())
		assert.Equal(t, int64(2*row.inner*row.dtype.Size()), h.Size)
		_, err = Parse(file[:len(file)-1])
		assert.ErrorContains(t, err, "of "+row.name+" needs")
	}
	assert.Equal(t, "int16", Header{Type: slice1.Int16}.TypeName())
}

// Lists of fields are read and written byte for byte, in version 3.0 if it is needed for their
// letters.
func TestStructuredElementsAreBits(t *testing.T) {
	for _, row := range []struct {
		version byte
		descr   string
		size    int
	}{
		{1, "[('x', '<f4')]", 4}, {2, "[ ( 'x' ,'>i2' , ), (\"it's\", '|S5')]", 7}, {1, "[('a', '<f8', (2, 3)), ('', '|V3'), ('b', '|b1', (1,))]", 52},
		{1, "[(('a title', 'n'), [('x', '<c8'), ('y', '<U2', (2,))]), ('t', '<M8[ns]')]", 32},
		{1, "[('x',\n '|u1')]", 1}, {1, "[('\xb0C', '<f4')]", 4}, {3, "[('°C', '<f4')]", 4}, {3, "[('x', '<u2')]", 2},
		{1, `[('a\\b"\'\n\x7f\u00e9\U0001f600', '<i4'), ("'\"\0", '|u1')]`, 5}, {1, `[(('title\\', u'n'), '<f4')]`, 4},
		{1, "[('a', ('<i4', (2,)), (3,)), ('b', (('|u1', (5, )), (2, 2)))]", 44}, {1, "[('a', ([('b', '<f8')], (2L,)))]", 16},
	} {
		dict := "{'descr': " + row.descr + ", 'fortran_order': False, 'shape': (3,), }\n"
		in := file(row.version, dict, 3*row.size)
		h, err := Parse(in)
		require.NoError(t, err, row.descr)
		assert.Equal(t, row.descr, h.Descr)
		assert.Equal(t, row.size, h.Type.Size()*h.Inner, row.descr)
		assert.Equal(t, int64(3*row.size), h.Size, row.descr)
		assert.Equal(t, strings.Join(strings.Fields(row.descr), " "), h.TypeName())
		again := headerOf(t, h)
		assert.Contains(t, string(again), "{'descr': "+row.descr+", 'fortran_order'")
		assert.Equal(t, row.version == 3 && strings.Contains(row.descr, "°"), again[len(magic)] == 3, row.descr)
		_, err = Parse(in[:len(in)-1])
		require.ErrorIs(t, err, ErrTruncated)
	}
}

// Column-major strides that int does not hold, on 32 bits, are an error.
func TestStridesFitInInt(t *testing.T) {
	start := file(1, dictOf("|u1", "True", "(65536, 65536, 2)"), 0)
	h, err := ReadHeaderAt(io.NewSectionReader(sparse(start), 0, 1<<40))
	if strconv.IntSize == 32 {
		assert.ErrorIs(t, err, ErrFormat)
		return
	}
	require.NoError(t, err)
	side := 1 << 16
	assert.Equal(t, []int{1, side, side * side}, h.Strides())
}

// sparse is a file that begins with these bytes and goes on with zeros.
type sparse []byte

func (s sparse) ReadAt(b []byte, at int64) (int, error) {
	clear(b)
	if at < int64(len(s)) {
		copy(b, s[at:])
	}
	return len(b), nil
}

// Headers that are written by hand have NumPy's other names of types, which np.load takes: long
// names without a byte order, letters with one or without.
func TestOtherNamesOfTypes(t *testing.T) {
	header := func(name string) (Header, error) {
		text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (2,), }\n", name)
		file := append([]byte("\x93NUMPY\x01\x00"), byte(len(text)), byte(len(text)>>8))
		return ReadHeader(bytes.NewReader(append(file, text...)))
	}
	for usual, others := range map[string]string{
		"=f2": "float16 half e =e |e", "=f4": "float32 single f =f", "=f8": "float64 double d =d", "=c8": "complex64 F =F", "=c16": "complex128 D", "|b1": "bool ? |?",
		"|i1": "int8 b <b >b", "|u1": "uint8 B |B", "=i2": "int16 h", "=u2": "uint16 H", "=i4": "int32 i", "=u4": "uint32 I", "=i8": "int64 l q", "=u8": "uint64 L Q", "=f16": "g",
		"<f4": "<f", ">f8": ">d", ">i2": ">h", "<f2": "<e", ">u8": ">Q >L", ">c8": ">F",
	} {
		want, err := header(usual)
		require.NoError(t, err)
		for _, name := range strings.Fields(others) {
			got, err := header(name)
			require.NoError(t, err, name)
			got.Offset = want.Offset
			require.Equal(t, want, got, name)
		}
	}
	for _, name := range []string{"<float32", ">bool", "float", "int", "<<f", "z", "bfloat16", "long", "Float32", " f4", "fd", ""} {
		_, err := header(name)
		require.ErrorIs(t, err, ErrType, name)
		if name != "" {
			require.ErrorContains(t, err, fmt.Sprintf("%q is a name that slice1 does not know", name))
		}
	}
}
