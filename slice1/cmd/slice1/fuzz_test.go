package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

var windowAxis = regexp.MustCompile(`^(-?[0-9]+)\+(-?[0-9]+)(?:/(-?[0-9]+))?$`)

// slowWindow reports whether text is a window of an array of the given shape, and returns
// that window. It uses a regular expression and large integers.
func slowWindow(text string, shape []int) (offsets, sizes, strides, out []int, ok bool) {
	parts := strings.Split(text, ",")
	if len(parts) != len(shape) {
		return nil, nil, nil, nil, false
	}
	for axis, part := range parts {
		m := windowAxis.FindStringSubmatch(part)
		if m == nil {
			return nil, nil, nil, nil, false
		}
		if m[3] == "" {
			m[3] = "1"
		}
		var n [3]*big.Int
		for i := range n {
			n[i], _ = new(big.Int).SetString(m[1+i], 10)
			if !n[i].IsInt64() || int64(int(n[i].Int64())) != n[i].Int64() {
				return nil, nil, nil, nil, false
			}
		}
		offset, size, stride := n[0], n[1], n[2]
		end := new(big.Int).Add(offset, size)
		if offset.Sign() < 0 || size.Sign() < 1 || stride.Sign() == 0 || end.Cmp(big.NewInt(int64(shape[axis]))) > 0 {
			return nil, nil, nil, nil, false
		}
		taken := 0
		for at := new(big.Int); at.Cmp(size) < 0; at.Add(at, new(big.Int).Abs(stride)) {
			taken++
		}
		offsets, sizes = append(offsets, int(offset.Int64())), append(sizes, int(size.Int64()))
		strides, out = append(strides, int(stride.Int64())), append(out, taken)
	}
	return offsets, sizes, strides, out, true
}

func FuzzWindow(f *testing.F) {
	for _, text := range []string{
		"1+5/2,0+1/-2147483648,2+3", "0+3/1,1+4/1,0+5", "0+3/0,0+1,0+1", "0+9223372036854775807,0+1,0+1", "-0+1,0+1/-0,0+1",
		"0+1/-9223372036854775808,0+1/9223372036854775807,0+1/9223372036854775808", "", ",,", "0++1,0+1,0+1", "0+1/+1,0+1,0+1", "é+1",
	} {
		f.Add(text, []byte{6, 1, 5})
	}
	f.Add("0+7/-3", []byte{200})
	f.Fuzz(func(t *testing.T, text string, extents []byte) {
		shape := make([]int, min(len(extents), 9))
		for axis := range shape {
			shape[axis] = int(extents[axis])
		}
		w, err := parseWindow(text, shape)
		offsets, sizes, strides, out, ok := slowWindow(text, shape)
		require.Equal(t, ok, err == nil, "%q of %v: %v", text, shape, err)
		if !ok {
			var ie *slice1.IndexError
			require.ErrorAs(t, err, &ie)
			require.True(t, errors.Is(err, slice1.ErrSyntax))
			require.Equal(t, text, ie.Expr)
			require.GreaterOrEqual(t, ie.Column, 0)
			require.LessOrEqual(t, ie.Column, len(text))
			require.GreaterOrEqual(t, ie.Length, 1)
			require.LessOrEqual(t, ie.Column+ie.Length, max(len(text), ie.Column+1))
			return
		}
		require.Equal(t, slice1.Window{Offsets: offsets, Sizes: sizes, Strides: strides, Out: out}, w, "%q of %v", text, shape)
	})
}

// For any bytes that come through a pipe, unless they are a picture, the command writes either an .npy
// file or an error message, and nothing else.
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
			return // FuzzPicture is for pictures; what begins with - may be a flag and no index
		}
		var stdout, stderr bytes.Buffer
		code := run([]string{index, "-", "-"}, bytes.NewReader(file), &stdout, &stderr)
		if code != exitOK {
			require.Contains(t, []int{exitError, exitUsage}, code)
			require.Empty(t, stdout.Bytes())
			require.True(t, strings.HasPrefix(stderr.String(), "slice1: "))
			require.True(t, strings.HasSuffix(stderr.String(), "\n"))
			return
		}
		require.Empty(t, stderr.String())
		out, err := npy.Parse(stdout.Bytes())
		require.NoError(t, err)
		require.Equal(t, out.Offset+out.Size, int64(stdout.Len()))
		if isArchive(file) {
			return
		}
		in, err := npy.PeekHeader(bufio.NewReaderSize(bytes.NewReader(file), flowBytes).Peek)
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
