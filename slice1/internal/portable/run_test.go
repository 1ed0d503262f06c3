package portable

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

var widths = []int{1, 2, 4, 8}

// check runs the nest of the loops on buffers that begin dstAlign and srcAlign bytes
// behind an 8-byte boundary. The destination is filled with canaries, and check compares
// every byte of it with the oracle's: output elements, gaps, and 16 bytes before and
// behind. It runs the nest by function Slice, and by what Prepare returns.
func check(t *testing.T, width int, dims []nest.Dim, dstAlign, srcAlign int) {
	t.Helper()
	n, dst, src := place(width, dims)
	const guard = 16
	src = aligned(len(src), srcAlign)
	for i := range src {
		src[i] = byte(i*167 + i>>8*31 + 13)
	}
	want := aligned(len(dst)+2*guard, dstAlign)
	for i := range want {
		want[i] = byte(0xC0 + i%31)
	}
	got := aligned(len(want), dstAlign)
	copy(got, want)

	before := bytes.Clone(want)
	oracle(&n, want[guard:], src)
	Slice(&n, unsafe.Pointer(&got[guard]), unsafe.Pointer(&src[0]))
	if !bytes.Equal(want, got) {
		require.Equal(t, want, got, "width %d dims %v dst+%d src+%d", width, dims, dstAlign, srcAlign)
	}
	copy(got, before)
	Prepare(&n).Slice(unsafe.Pointer(&got[guard]), unsafe.Pointer(&src[0]))
	if !bytes.Equal(want, got) {
		require.Equal(t, want, got, "prepared, width %d dims %v dst+%d src+%d", width, dims, dstAlign, srcAlign)
	}
}

// aligned returns n bytes that start align bytes behind an 8-byte boundary. They end less
// than 8 bytes before the end of what is allocated, so that checkptr can find an access
// behind them.
func aligned(n, align int) []byte {
	words := make([]uint64, (n+align+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))[align:][:n:n]
}

// lengths returns the extents from 1 to 70 and a few longer ones.
func lengths() []int64 {
	var l []int64
	for i := int64(1); i <= 70; i++ {
		l = append(l, i)
	}
	return append(l, 127, 128, 129, 255, 257)
}

var strides = []int64{-64, -9, -8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 64, 129}

func TestRunCopiesOneElement(t *testing.T) {
	for _, w := range widths {
		for a := range 64 {
			check(t, w, nil, a%8, a/8)
		}
	}
}

func TestRunMatchesOracleOnOneLoop(t *testing.T) {
	for _, w := range widths {
		for _, s := range strides {
			for _, extent := range lengths() {
				for _, d := range []int64{1, 2, 3, -1, 10} {
					check(t, w, []nest.Dim{{Extent: extent, Src: s * int64(w), Dst: d * int64(w)}},
						int(extent)%8, int(extent)/8%8)
				}
			}
		}
	}
}

func TestRunMatchesOracleAtEveryAlignment(t *testing.T) {
	for _, w := range widths {
		for _, s := range strides {
			for a := range 64 {
				for _, extent := range []int64{1, 3, 8, 17, 33} {
					check(t, w, []nest.Dim{{Extent: extent, Src: s * int64(w), Dst: int64(w)}}, a%8, a/8)
				}
			}
		}
	}
}

// Strides in bytes need not be multiples of the width, for example after a nest was widened.
func TestRunMatchesOracleOnOddByteStrides(t *testing.T) {
	for _, w := range widths {
		for s := int64(-19); s <= 19; s++ {
			for _, extent := range []int64{1, 2, 5, 8, 9, 31, 64} {
				for _, d := range []int64{0, 1, 3} {
					check(t, w, []nest.Dim{{Extent: extent, Src: s, Dst: int64(w) + d}}, 1, 3)
				}
			}
		}
	}
}

func TestRunMatchesOracleOnTwoLoops(t *testing.T) {
	for _, w := range widths {
		for _, s := range []int64{-3, -2, -1, 0, 1, 2, 3, 5} {
			for _, inner := range []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 65} {
				for _, outer := range []int64{1, 2, 3, 4, 7, 20} {
					for _, gap := range []int64{0, 1, 5} {
						for _, so := range []int64{0, 1, -1, 7, -70} {
							w := int64(w)
							check(t, int(w), []nest.Dim{
								{Extent: outer, Src: so * w, Dst: (inner + gap) * w},
								{Extent: inner, Src: s * w, Dst: w},
							}, int(outer)%8, int(inner)%8)
						}
					}
				}
			}
		}
	}
}

func TestRunMatchesOracleOnPixels(t *testing.T) {
	for _, w := range []int64{1, 2} {
		for _, pitch := range []int64{0, 1, 2, 3, 4, 5, 7, 8, 31, 63, 64, -1, -2, -3, -4, -5, -31, -63, -64} {
			for _, step := range []int64{w, -w} {
				for outer := int64(1); outer <= 41; outer++ {
					for _, gap := range []int64{0, 1} {
						check(t, int(w), []nest.Dim{
							{Extent: outer, Src: pitch * w, Dst: 3*w + gap},
							{Extent: 3, Src: step, Dst: w},
						}, int(outer)%8, int(outer)/8)
					}
				}
			}
		}
	}
}

func TestRunMatchesOracleOnManyShortRows(t *testing.T) {
	for _, w := range widths {
		for inner := int64(1); inner <= 12; inner++ {
			for _, outer := range []int64{strip - 1, strip, strip + 1, 2*strip + 3} {
				for _, s := range []int64{-1, 1, 2} {
					for _, d := range []int64{1, 2} {
						w := int64(w)
						check(t, int(w), []nest.Dim{
							{Extent: outer, Src: 13 * w, Dst: (inner*d + 1) * w},
							{Extent: inner, Src: s * w, Dst: d * w},
						}, 3, 5)
					}
				}
			}
		}
	}
}

// Every other loop goes backwards in the source, and the destination has gaps, so that no two
// loops can be coalesced.
func TestRunMatchesOracleOnManyShortLoops(t *testing.T) {
	for _, w := range widths {
		for rank := 3; rank <= nest.MaxRank; rank++ {
			for _, extent := range []int64{2, 3, 5} {
				for inner := int64(1); inner <= 34; inner += 1 + int64(rank)/6 {
					w := int64(w)
					dims := make([]nest.Dim, rank)
					dims[rank-1] = nest.Dim{Extent: inner, Src: w, Dst: w}
					step := inner * w
					for i := rank - 2; i >= 0; i-- {
						e := extent
						if step > 4096 {
							e = 1
						}
						dims[i] = nest.Dim{Extent: e, Src: step, Dst: step + w}
						if (rank-i)%2 == 0 {
							dims[i].Src = -step
						}
						step *= e + 1
					}
					check(t, int(w), dims, rank%8, int(extent))
					dims[rank-1].Src = -w
					check(t, int(w), dims, rank%8, int(extent))
				}
			}
		}
	}
}

func TestRunMatchesOracleOnTransposedViews(t *testing.T) {
	for _, w := range widths {
		for _, rows := range []int64{1, 7, 8, 16, 17, 35, 64, 65, 71, 130} {
			for _, cols := range []int64{1, 7, 9, 63, 64, 70} {
				for _, step := range []int64{1, -1, 2} {
					w := int64(w)
					check(t, int(w), []nest.Dim{
						{Extent: rows, Src: step * w, Dst: cols * w},
						{Extent: cols, Src: 2 * 130 * w, Dst: w},
					}, 2, 7)
				}
			}
		}
	}
}

// Five views or more, one beside the other, of about as many elements on a side as are turned.
func TestRunMatchesOracleOnSmallViews(t *testing.T) {
	for _, w := range []int64{1, 2, 4} {
		for rows := int64(4); rows <= 16; rows++ {
			for cols := int64(4); cols <= 16; cols++ {
				for _, step := range []int64{1, -1, 2} {
					check(t, int(w), []nest.Dim{
						{Extent: 5, Src: 2 * rows * cols * w, Dst: rows * cols * w},
						{Extent: rows, Src: step * w, Dst: cols * w},
						{Extent: cols, Src: 2 * rows * w, Dst: w},
					}, int(rows%8), int(cols%8))
				}
			}
		}
	}
}

func TestRunMatchesOracleOnLongRows(t *testing.T) {
	for _, size := range []int64{256, 2047, 2048, 2049, 4096, 5000, 9001} {
		for a := range 16 {
			check(t, 1, []nest.Dim{{Extent: 2, Src: size + 1, Dst: size + 5}, {Extent: size, Src: 1, Dst: 1}}, a%8, a/2)
		}
	}
}

func TestRunMatchesOracleOnRandomNests(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		width := widths[r.IntN(len(widths))]
		check(t, width, randomDims(r, width), r.IntN(8), r.IntN(8))
	}
}

// randomDims returns loops whose output elements share no byte. It takes the loops in a
// random order, and the destination stride of each is at least the span of those taken
// before. The signs of strides are random.
func randomDims(r *rand.Rand, width int) []nest.Dim {
	dims := make([]nest.Dim, r.IntN(nest.MaxRank+1))
	count, below := int64(1), int64(width)
	for _, i := range r.Perm(len(dims)) {
		extent := 1 + r.Int64N(1+r.Int64N(9))
		if r.IntN(8) == 0 {
			extent = 1 + r.Int64N(70)
		}
		if count*extent > 3000 {
			extent = 1
		}
		count *= extent
		gap := r.Int64N(3) * r.Int64N(2) * int64(width)
		d := nest.Dim{Extent: extent, Dst: below + gap, Src: (r.Int64N(21) - 10) * int64(width)}
		if r.IntN(4) == 0 {
			d.Src += r.Int64N(200) - 100
		}
		below = d.Dst * extent
		if r.IntN(4) == 0 {
			d.Dst = -d.Dst
		}
		dims[i] = d
	}
	if r.IntN(2) == 0 {
		normalize(dims)
	}
	return dims
}

// normalize makes destination strides positive and sorts the loops like a plan, the one of the
// smallest destination stride innermost. Fast kernels need such an order.
func normalize(dims []nest.Dim) {
	for i := range dims {
		if dims[i].Dst < 0 {
			dims[i].Dst, dims[i].Src = -dims[i].Dst, -dims[i].Src
		}
		for j := i; j > 0 && dims[j].Dst > dims[j-1].Dst; j-- {
			dims[j], dims[j-1] = dims[j-1], dims[j]
		}
	}
}

func TestSmallNestsHaveTables(t *testing.T) {
	type expected struct {
		units, columns, width int // units is 0 if there is no table.
		dims                  []nest.Dim
	}
	ofWords := expected{2, 4, 4, []nest.Dim{{Extent: 8, Src: 8, Dst: 4}}}
	if wordKernels {
		ofWords.units = 0
	}
	for _, c := range []expected{
		{1, 1, 4, nil},
		{2, 2, 4, []nest.Dim{{Extent: 2, Src: 32, Dst: 8}, {Extent: 2, Src: 8, Dst: 4}}},
		{12, 1, 16, []nest.Dim{{Extent: 3, Src: 256, Dst: 64}, {Extent: 4, Src: 32, Dst: 16}, {Extent: 4, Src: 4, Dst: 4}}},
		{5, 2, 8, []nest.Dim{{Extent: 5, Src: 32, Dst: 16}, {Extent: 3, Src: 4, Dst: 4}}},
		{2, 3, 4, []nest.Dim{{Extent: 6, Src: 8, Dst: 4}}},
		{7, 1, 4, []nest.Dim{{Extent: 7, Src: 8, Dst: 4}}},
		{64, 2, 16, []nest.Dim{{Extent: 32, Src: 80, Dst: 64}, {Extent: 16, Src: 4, Dst: 4}}},

		{0, 0, 4, []nest.Dim{{Extent: 33, Src: 80, Dst: 64}, {Extent: 16, Src: 4, Dst: 4}}}, // too many units
		{0, 0, 4, []nest.Dim{{Extent: 2, Src: 80, Dst: 68}, {Extent: 17, Src: 4, Dst: 4}}},  // rows longer than a line
		ofWords,
	} {
		n, _, _ := place(4, c.dims)
		table := NewTable(&n)
		if c.units == 0 {
			assert.Nil(t, table, c.dims)
			continue
		}
		require.NotNil(t, table, c.dims)
		assert.Equal(t, []int{c.units, c.columns, c.width}, []int{len(table.units), table.columns, table.width}, c.dims)
	}
}

// A short nest whose loops do not all fit in a table has a table of its inner loops.
func TestShortNestsHaveTablesOfInnerLoops(t *testing.T) {
	dims := []nest.Dim{{Extent: 5, Src: 4096, Dst: 1024}, {Extent: 8, Src: 256, Dst: 128}, {Extent: 8, Src: 32, Dst: 16}, {Extent: 4, Src: 4, Dst: 4}}
	n, _, _ := place(4, dims)
	table := NewTable(&n)
	require.NotNil(t, table)
	assert.Equal(t, []int{1, 64, 1, 16}, []int{table.outside, len(table.inner.units), table.inner.columns, table.inner.width})
	assert.Equal(t, n, *table.nest)
}

func TestRunDoesNotAllocate(t *testing.T) {
	for _, s := range shapes {
		for _, width := range widths {
			dims := s.dims(int64(width), 4096)
			n, dst, src := place(width, dims)
			allocs := testing.AllocsPerRun(10, func() {
				local := n
				Slice(&local, unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]))
			})
			assert.Zero(t, allocs, "%s width %d", s.name, width)
		}
	}
}

func TestClassNamesTheInnermostLoop(t *testing.T) {
	for _, c := range []struct {
		width, src, dst int64
		want            string
	}{
		{4, 4, 4, "copy"},
		{4, -4, 4, "reverse"},
		{4, 0, 4, "fill"},
		{4, 8, 4, "stride2"},
		{2, 6, 2, "stride3"},
		{8, -16, 8, "stride-2"},
		{1, 640, 1, "stride640"},
		{4, 6, 4, "stride"},
		{4, 4, 8, "scatter"},
		{4, 4, -4, "scatter"},
	} {
		n := nest.Nest{Rank: 2, Width: int32(c.width)}
		n.Dims[0] = nest.Dim{Extent: 3, Src: 1000, Dst: 1000}
		n.Dims[1] = nest.Dim{Extent: 3, Src: c.src, Dst: c.dst}
		assert.Equal(t, c.want, Class(&n), fmt.Sprint(c))
	}
	assert.Equal(t, "element", Class(&nest.Nest{Width: 8}))
}
