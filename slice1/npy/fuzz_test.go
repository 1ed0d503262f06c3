package npy

import (
	"math/big"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzParse parses whole files: versions, lengths, headers and data.
func FuzzParse(f *testing.F) {
	for _, dict := range []string{
		dictOf("<f4", "False", "(2, 3)"), dictOf("|O", "True", "(-1,)"), `{"shape":(),"descr":">i8","fortran_order":True}`,
	} {
		for version := byte(1); version <= 3; version++ {
			f.Add(file(version, dict, 24))
		}
	}
	arrays, err := filepath.Glob("../../testdata/arrays/*.npy")
	require.NoError(f, err)
	require.NotEmpty(f, arrays)
	for _, name := range arrays {
		b, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(b[:min(len(b), 200)])
	}
	f.Fuzz(func(t *testing.T, b []byte) { parse(t, b) })
}

// FuzzHeader parses files where only the dictionary, the version and the length of the data vary. A
// fuzzer of whole files seldom makes a header with the length that it claims.
func FuzzHeader(f *testing.F) {
	for _, dict := range []string{
		dictOf("<f4", "False", "(2, 3)"), dictOf(">u2", "True", "(0, 9223372036854775807)"), dictOf("|V4", "False", "()"), dictOf(">M8[ns]", "False", "()"),
		`{"shape":(2147483647,2147483647,4,),"descr":"i1","fortran_order":True}`, "{'descr': [('x', '<f4')]}",
		"{'descr': [(('t', 'x'), '<f4', (2, 3)), ('y', [('°', '|S3')])], 'fortran_order': False, 'shape': (2,)}",
		"  {\n'descr'\t:\r'<u2' , 'shape' : ( 4 , 2 ) , 'fortran_order' : True\n}  \n", "{'descr': '<f4', 'descr': ''}",
	} {
		f.Add(dict, byte(0), uint16(32))
	}
	f.Fuzz(func(t *testing.T, dict string, version byte, data uint16) {
		if version = version%3 + 1; version == 1 {
			dict = dict[:min(len(dict), 1<<16-1)]
		}
		parse(t, file(version, dict, int(data)))
	})
}

// parse requires that Parse either refuses b with an error of one line or returns a header
// that fits b and survives writing and parsing. It requires that Parse allocates less than
// 1 MiB in both cases.
func parse(t *testing.T, b []byte) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	h, err := Parse(b)
	runtime.ReadMemStats(&after)
	// A header has 64 KiB at most, of which Parse and an error may copy parts a few times.
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20))
	if err != nil {
		require.NotContains(t, err.Error(), "\n")
		require.Less(t, len(err.Error()), 2000)
		require.Zero(t, h)
		return
	}
	require.LessOrEqual(t, h.Offset, int64(len(b)))
	require.LessOrEqual(t, h.Size, int64(len(b))-h.Offset)
	size := big.NewInt(int64(h.Type.Size() * max(h.Inner, 1)))
	for _, extent := range h.Shape {
		require.GreaterOrEqual(t, extent, 0)
		size.Mul(size, big.NewInt(int64(extent)))
	}
	require.Zero(t, size.Cmp(big.NewInt(h.Size)))
	strides := h.Strides()
	require.True(t, strides == nil || len(strides) == len(h.Shape))

	again := headerOf(t, h)
	h.Fortran, h.Offset = false, int64(len(again))
	got, err := Parse(append(again, make([]byte, h.Size)...))
	require.NoError(t, err)
	require.Equal(t, h, got)
}

func TestParseAllocatesNothingAFileOnlyClaims(t *testing.T) {
	for _, b := range [][]byte{
		[]byte(magic + "\x02\x00\xff\xff\xff\xff{}"),
		file(1, dictOf("|u1", "False", "(2147483647,)"), 1),
		file(1, dictOf("|u1", "True", "(1073741824, 2147483647)"), 1),
		file(2, dictOf("<f8", "False", "(0, 2147483647)"), 0),
	} {
		assert.NotPanics(t, func() { parse(t, b) })
	}
}
