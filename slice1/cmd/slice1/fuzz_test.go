package main

import (
	"archive/zip"
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// For any bytes from a pipe that are no picture, the command writes either an .npy file or an error
// message, and nothing else.
func FuzzFile(f *testing.F) {
	for _, h := range []npy.Header{
		{Type: slice1.Uint8, Shape: []int{3, 4}},
		{Type: slice1.Float64, BigEndian: true, Shape: []int{2, 2, 2}},
		{Type: slice1.Int16, Shape: []int{}},
		{Type: slice1.Int16, Shape: []int{0, 4}},
		{Type: slice1.Int8, Shape: []int{1, 1, 1, 1, 1, 1, 1, 1, 1}},
	} {
		f.Add(npyFile(h, make([]byte, 64)), "[::-1]")
		f.Add(npyFile(h, make([]byte, 64)), "[..., 1:, None]")
	}
	cut := npyFile(npy.Header{Type: slice1.Float64, Shape: []int{2, 2, 2}}, make([]byte, 48))
	f.Add(cut, "[:, 0]") // takes elements of the row that is cut off
	f.Add(cut, "[::9]")  // takes none of that row
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		f.Add(archive(f, method, map[string][]byte{"x.npy": cut}, "x.npy"), "[::9]") // an error, since a member must be complete
		f.Add(archive(f, method, map[string][]byte{"x.npy": append(cut, cut...)}, "x.npy"), "[::9]")
	}
	f.Fuzz(func(t *testing.T, file []byte, index string) {
		if pictureOf(file) != nil || strings.HasPrefix(index, "-") {
			return // FuzzPicture is for pictures; a text that begins with - may be a flag and no index
		}
		var stdout, stderr bytes.Buffer
		code := run([]string{index, "-", "-"}, bytes.NewReader(file), &stdout, &stderr)
		if code != exitOK {
			require.Contains(t, []int{exitError, exitUsage}, code)
			if !strings.Contains(stderr.String(), "truncated") { // the rows that had come from a pipe were passed on
				require.Empty(t, stdout.Bytes())
			}
			require.True(t, strings.HasPrefix(stderr.String(), "slice1: "))
			require.True(t, strings.HasSuffix(stderr.String(), "\n"))
			return
		}
		require.Empty(t, stderr.String())
		out, err := npy.Parse(stdout.Bytes())
		require.NoError(t, err)
		require.Equal(t, out.Offset+out.Size, int64(stdout.Len()))
		if begins(file, "PK") {
			return
		}
		in, err := npy.ReadHeader(bytes.NewReader(file))
		require.NoError(t, err)
		if missing := in.Offset + in.Size - int64(len(file)); missing > 0 && missing < flowBytes {
			whole := append(slices.Clip(file), bytes.Repeat([]byte{1}, int(missing))...)
			var same bytes.Buffer
			require.Equal(t, exitOK, run([]string{index, "-", "-"}, bytes.NewReader(whole), &same, &stderr))
			require.Equal(t, same.Bytes(), stdout.Bytes()) // no byte that is missing was taken
		}
		require.Equal(t, []any{in.TypeName(), in.Descr, in.BigEndian, false}, []any{out.TypeName(), out.Descr, out.BigEndian, out.Fortran})
		require.LessOrEqual(t, out.Size, in.Size)
	})
}
