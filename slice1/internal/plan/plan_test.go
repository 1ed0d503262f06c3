package plan

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

func TestALoopAscendsFromItsOtherEnd(t *testing.T) {
	p := program.Draft{Program: program.Program{Src: 1000, Dst: 100}}
	j := job{p: &p}
	d := program.Dim{Extent: 5, Src: -30, Dst: 7}
	j.ascend(&d)
	assert.Equal(t, program.Dim{Extent: 5, Src: 30, Dst: -7}, d)
	assert.Equal(t, [2]int64{1000 - 4*30, 100 + 4*7}, [2]int64{p.Src, p.Dst})
	for _, same := range []program.Dim{{Extent: 5, Src: 0, Dst: 7}, {Extent: 5, Src: 30, Dst: 7}} {
		d := same
		j.ascend(&d)
		assert.Equal(t, same, d)
		assert.Equal(t, [2]int64{880, 128}, [2]int64{p.Src, p.Dst})
	}
}

func TestLinkedLoopsStepFromTheLastRow(t *testing.T) {
	p := program.Program{}
	rebaseStrides(&p)
	assert.Equal(t, [2]program.Dim{{Extent: 1}, {Extent: 1}}, [2]program.Dim{p.Innermost, p.Next})

	p = program.Program{Outer: 1, Dims: [program.MaxRank]program.Dim{{Extent: 4, Src: 10, Dst: 5}}}
	rebaseStrides(&p)
	assert.Equal(t, [2]program.Dim{{Extent: 4, Src: 10, Dst: 5}, {Extent: 1}}, [2]program.Dim{p.Innermost, p.Next})

	p = program.Program{Outer: 3, Dims: [program.MaxRank]program.Dim{{Extent: 2, Src: 1000, Dst: 900}, {Extent: 3, Src: -100, Dst: 80}, {Extent: 4, Src: 10, Dst: 5}}}
	rebaseStrides(&p)
	assert.Equal(t, program.Dim{Extent: 4, Src: 10, Dst: 5}, p.Innermost)
	assert.Equal(t, program.Dim{Extent: 3, Src: -100 - 3*10, Dst: 80 - 3*5}, p.Next)
	assert.Equal(t, program.Dim{Extent: 2, Src: 1000 + 2*100 - 3*10, Dst: 900 - 2*80 - 3*5}, p.Dims[0])
}

// The longest loop around the row becomes the row if it has more iterations. Of several, the
// outermost does.
func TestExchangeMakesTheLongestLoopTheRow(t *testing.T) {
	for _, c := range []struct{ from, want []int64 }{
		{[]int64{1}, nil},
		{[]int64{9}, nil},
		{[]int64{20, 3}, []int64{3, 20}},
		{[]int64{3, 3}, nil},
		{[]int64{20, 9, 3}, []int64{9, 3, 20}},
		{[]int64{9, 20, 3}, []int64{9, 3, 20}},
		{[]int64{20, 20, 3}, []int64{20, 3, 20}},
		{[]int64{2, 5, 4, 3}, []int64{2, 4, 3, 5}},
	} {
		j := job{p: &program.Draft{}}
		loops := func() (extents []int64) {
			for _, d := range j.p.Dims[:j.p.Outer] {
				extents = append(extents, d.Extent)
			}
			return append(extents, j.p.Row.Extent)
		}
		for i, extent := range c.from {
			j.p.Dims[i] = program.Dim{Extent: extent, Src: int64(i)}
		}
		j.p.Outer = int32(len(c.from)) - 1
		j.p.Row = j.p.Dims[j.p.Outer]
		assert.Equal(t, c.want != nil, j.exchange(), "%v", c.from)
		if c.want == nil {
			c.want = c.from
		}
		assert.Equal(t, c.want, loops(), "%v", c.from)
	}
}

func TestKeptIterations(t *testing.T) {
	h := HostOf(cpuid.Features{L1D: 48 << 10})
	for stride, want := range map[int64]int64{1: 384 * 64, 64: 384, 128: 192, 4096: 6, 1 << 40: 6} {
		assert.Equal(t, want, h.resident(stride), stride)
	}
	h = HostOf(cpuid.Features{L1D: 32 << 10})
	for stride, want := range map[int64]int64{
		0: 256 * 64, 1: 256 * 64, -1: 256 * 64, 2: 128 * 64, 63: 260, 64: 256, -64: 256, 65: 256, 96: 256,
		128: 128, 192: 256, 256: 64, 4096: 4, 8192: 4, -12288: 4, 1 << 40: 4,
	} {
		assert.Equal(t, want, h.resident(stride), stride)
	}
}

func TestBlocksOfTiles(t *testing.T) {
	h := HostOf(cpuid.Features{L1D: 32 << 10})
	for _, c := range []struct{ pitch, w, wide, want int64 }{
		{100, 1, 32, 256}, {100, 2, 16, 256}, {100, 4, 8, 128}, {100, 8, 4, 64},
		{1024, 1, 32, 32}, {1024, 2, 16, 32}, {4096, 1, 32, 32}, {4096, 4, 8, 8}, {4096, 8, 4, 8}, {512, 1, 32, 64}, {-512, 1, 32, 64}, {320, 8, 4, 64},
	} {
		assert.Equal(t, c.want, h.blockOf(c.pitch, c.w, c.wide), "%+v", c)
	}
}

func TestDivisors(t *testing.T) {
	for _, c := range []struct{ n, most, want int64 }{{12, 12, 12}, {12, 11, 6}, {12, 5, 4}, {12, 1, 1}, {12, 0, 1}, {13, 12, 1}, {2, 256, 2}, {1, 9, 1}} {
		assert.Equal(t, c.want, divisor(c.n, c.most), "%+v", c)
	}
}

func TestQuotientsAreRounded(t *testing.T) {
	for a := int64(-20); a <= 20; a++ {
		for b := int64(1); b < 7; b++ {
			up, down := ceilDiv(a, b), floorDiv(a, b)
			assert.True(t, up*b >= a && (up-1)*b < a, "ceilDiv(%d, %d) is %d", a, b, up)
			assert.True(t, down*b <= a && (down+1)*b > a, "floorDiv(%d, %d) is %d", a, b, down)
		}
	}
}

// grainOf returns the grain of a row whose byte i comes from byte from[i] of the source: the
// largest power of two, at most width, that divides the row's bytes into runs that lie together in
// the source, each at a multiple of the power.
func grainOf(from []int64, width int64) int64 {
	for grain := width; grain > 1; grain /= 2 {
		together := int64(len(from))%grain == 0
		for i := int64(0); together && i < int64(len(from)); i++ {
			together = from[i] == from[i/grain*grain]+i%grain && from[i/grain*grain]%grain == 0
		}
		if together {
			return grain
		}
	}
	return 1
}

// By collect, source and positions, each byte of a row comes from where the nest says.
func TestRowsAreThoseOfTheNest(t *testing.T) {
	for _, text := range append([]string{"1", "8", "4 9:0:4", "1 33:2:33 33:1:1", "1 9:50:32 32:1:1"}, rare...) {
		n := parseNest(text)
		var want []int64
		for first := n.Rank; ; first-- {
			inner := nest.Nest{Rank: n.Rank - first, Width: n.Width}
			copy(inner.Dims[:], n.Dims[first:n.Rank])
			var r row
			r.collect(&n, 32)
			if int(first) == r.outer {
				want = make([]int64, nest.Bytes(&inner))
				each(&inner, 0, 0, 0, func(to, from int64) {
					for b := range int64(n.Width) {
						want[to+b] = from + b
					}
				})
				assert.EqualValues(t, len(want), r.bytes(), text)
				lo, hi, _, _ := nest.Span(&inner)
				assert.Equal(t, [2]int64{lo, hi}, [2]int64{r.lo, r.hi}, text)
				require.Equal(t, grainOf(want, int64(n.Width)), r.grain, text)
				got, shifted := make([]int64, len(want)/int(r.grain)), make([]int64, len(want)/int(r.grain))
				for i := range got {
					assert.Equal(t, want[i*int(r.grain)], r.source(int64(i)*r.grain), text)
				}
				r.positions(got, 0, 0)
				r.positions(shifted[1:], r.grain, 7)
				for i := range got {
					assert.Equal(t, want[i*int(r.grain)], got[i], text)
					assert.Equal(t, i > 0, shifted[i] == got[i]-7, text)
				}
				break
			}
		}
	}
}
