//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"bytes"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
)

// Nests have the kernels they are meant to have, which do what portable's do.
func TestNestsThatHaveAKernel(t *testing.T) {
	for _, c := range []struct {
		name  string
		suits bool
		width int32
		dims  []nest.Dim
	}{
		{"reversal", true, 1, []nest.Dim{{Extent: 1001, Src: -1, Dst: 1}}},
		{"reversal in pairs and one", true, 4, []nest.Dim{{Extent: 100, Src: -4, Dst: 4}}},
		{"rows reversed", true, 2, []nest.Dim{{Extent: 9, Src: 200, Dst: 190}, {Extent: 90, Src: -2, Dst: 2}}},
		{"every second", true, 4, []nest.Dim{{Extent: 33, Src: 8, Dst: 4}}},
		{"every third of planes and rows", true, 1, []nest.Dim{{Extent: 3, Src: 3000, Dst: 600}, {Extent: 7, Src: 300, Dst: 80}, {Extent: 77, Src: 3, Dst: 1}}},
		{"every fourth backwards", true, 2, []nest.Dim{{Extent: 71, Src: -8, Dst: 2}}},
		{"BGR", true, 1, []nest.Dim{{Extent: 333, Src: 3, Dst: 3}, {Extent: 3, Src: -1, Dst: 1}}},
		{"BGR of rows", true, 1, []nest.Dim{{Extent: 5, Src: 900, Dst: 700}, {Extent: 200, Src: 3, Dst: 3}, {Extent: 3, Src: -1, Dst: 1}}},
		{"mirrored pixels of four in four", true, 4, []nest.Dim{{Extent: 200, Src: -16, Dst: 16}, {Extent: 4, Src: -4, Dst: 4}}},
		{"three of seven", true, 1, []nest.Dim{{Extent: 400, Src: 7, Dst: 3}, {Extent: 3, Src: 2, Dst: 1}}},

		{"one element", false, 4, nil},
		{"copy", false, 1, []nest.Dim{{Extent: 1000, Src: 1, Dst: 1}}},
		{"fill", false, 1, []nest.Dim{{Extent: 1000, Src: 0, Dst: 1}}},
		{"8-byte elements far apart", false, 8, []nest.Dim{{Extent: 100, Src: 32, Dst: 8}}},
		{"a short row", false, 1, []nest.Dim{{Extent: 31, Src: 2, Dst: 1}}},
		{"a long stride", false, 1, []nest.Dim{{Extent: 1000, Src: 5, Dst: 1}}},
		{"half an element further", false, 2, []nest.Dim{{Extent: 1000, Src: 3, Dst: 2}}},
		{"few pixels", false, 1, []nest.Dim{{Extent: 100, Src: 3, Dst: 3}, {Extent: 3, Src: -1, Dst: 1}}},
		{"pixels far apart", false, 1, []nest.Dim{{Extent: 400, Src: 50, Dst: 3}, {Extent: 3, Src: 1, Dst: 1}}},
		{"scatter", false, 1, []nest.Dim{{Extent: 1000, Src: 1, Dst: 2}}},
	} {
		n := nest.Nest{Rank: int32(len(c.dims)), Width: c.width, SrcOff: 32 << 10}
		copy(n.Dims[:], c.dims)
		assert.Equal(t, c.suits, Suits(&n), c.name)
		if !c.suits || !cpuid.Host().AVX2 {
			continue
		}
		src := make([]byte, 64<<10)
		for i := range src {
			src[i] = byte(i*7 + i>>8)
		}
		want, got := make([]byte, len(src)), make([]byte, len(src))
		portable.Run(&n, unsafe.Pointer(&want[0]), unsafe.Pointer(&src[0]))
		Run(&n, unsafe.Pointer(&got[0]), unsafe.Pointer(&src[0]))
		assert.True(t, bytes.Equal(want, got), c.name)
	}
}

// Rows of every length have, for every stride there is a shuffle for, the
// elements portable finds, read from exactly the memory they span.
func TestRowsOfEveryStrideAndLength(t *testing.T) {
	if !cpuid.Host().AVX2 {
		t.Log("this processor has no avx2: no shuffle can run")
		return
	}
	suited := 0
	for _, width := range []int64{1, 2, 4, 8} {
		for stride := int64(-maxStride); stride <= maxStride; stride++ {
			for extent := int64(1); extent <= 3*vector+1; extent++ {
				row := (extent-1)*max(stride, -stride)*width + width
				n := nest.Nest{Rank: 2, Width: int32(width)}
				n.Dims[0] = nest.Dim{Extent: 2, Src: row, Dst: extent*width + 3}
				n.Dims[1] = nest.Dim{Extent: extent, Src: stride * width, Dst: width}
				if stride < 0 {
					n.SrcOff = row - width
				}
				if !Suits(&n) {
					continue
				}
				suited++
				src := make([]byte, 2*row)
				for i := range src {
					src[i] = byte(i*7 + i>>8)
				}
				want, got := make([]byte, 2*extent*width+3), make([]byte, 2*extent*width+3)
				portable.Run(&n, unsafe.Pointer(&want[0]), unsafe.Pointer(&src[0]))
				Run(&n, unsafe.Pointer(&got[0]), unsafe.Pointer(&src[0]))
				if !bytes.Equal(want, got) {
					t.Fatalf("width %d, stride %d, %d elements", width, stride, extent)
				}
			}
		}
	}
	assert.Greater(t, suited, 1000)
}
