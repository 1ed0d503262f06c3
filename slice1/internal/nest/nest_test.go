package nest

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A move is the copy of one byte. Nests with the same set of moves do the same.
type move struct{ dst, src int64 }

// moves counts how many times a nest makes each move.
func moves(n *Nest) map[move]int {
	m := make(map[move]int)
	var walk func(axis int, dst, src int64)
	walk = func(axis int, dst, src int64) {
		if axis == int(n.Rank) {
			for b := range int64(n.Width) {
				m[move{dst + b, src + b}]++
			}
			return
		}
		for i := range n.Dims[axis].Extent {
			walk(axis+1, dst+i*n.Dims[axis].Dst, src+i*n.Dims[axis].Src)
		}
	}
	walk(0, n.DstOff, n.SrcOff)
	return m
}

var passes = map[string]func(*Nest){
	"Order": Order, "Coalesce": Coalesce, "widen": widen, "Normalize": Normalize,
}

// everyNest calls f with all nests of up to two loops, and some of three, with extents 1 to 4 and a
// few strides, so that the loops of some continue each other.
func everyNest(f func(n Nest)) {
	dims := []Dim{}
	for extent := int64(1); extent <= 4; extent++ {
		for _, src := range []int64{0, 1, -1, 2, 4, -8} {
			for _, dst := range []int64{1, -1, 2, 4, 12} {
				dims = append(dims, Dim{Extent: extent, Src: src, Dst: dst})
			}
		}
	}
	for _, width := range []int32{1, 4} {
		n := Nest{Width: width, SrcOff: 100, DstOff: 200}
		f(n)
		for i, a := range dims {
			n.Rank, n.Dims = 1, [MaxRank]Dim{a}
			f(n)
			for j, b := range dims {
				n.Rank, n.Dims = 2, [MaxRank]Dim{a, b}
				f(n)
				if width == 1 && i%10 == 0 && j%11 == 0 {
					for _, c := range dims {
						n.Rank, n.Dims = 3, [MaxRank]Dim{a, b, c}
						f(n)
					}
				}
			}
		}
	}
}

func TestPassesKeepEveryMove(t *testing.T) {
	count := 0
	everyNest(func(n Nest) {
		if count++; testing.Short() && count%16 != 0 {
			return
		}
		checkPasses(t, n)
	})
}

// checkPasses fails the test if a pass changes the moves of n.
func checkPasses(t *testing.T, n Nest) {
	want := moves(&n)
	for name, pass := range passes {
		got := n
		pass(&got)
		if !assert.ObjectsAreEqual(want, moves(&got)) {
			t.Fatalf("%s changed what %+v copies: %+v", name, n, got)
		}
	}
}

func TestPassesKeepEveryMoveOfRandomNests(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	runs := 5000
	if testing.Short() {
		runs = 500
	}
	for range runs {
		checkPasses(t, randomNest(rng))
	}
}

// randomNest returns a nest of up to eight loops of one to three iterations. Some loops continue
// the loop inside them, and some have negative strides.
func randomNest(rng *rand.Rand) Nest {
	n := Nest{Rank: rng.Int32N(MaxRank + 1), Width: 1 << rng.IntN(4), SrcOff: 1000, DstOff: 2000}
	inner := Dim{Extent: 1, Src: int64(n.Width), Dst: int64(n.Width)}
	for i := int(n.Rank) - 1; i >= 0; i-- {
		d := Dim{Extent: 1 + rng.Int64N(3), Src: inner.Src * inner.Extent, Dst: inner.Dst * inner.Extent}
		if rng.IntN(2) == 0 {
			d.Src, d.Dst = rng.Int64N(64)-32, 1+rng.Int64N(64)
		}
		if rng.IntN(4) == 0 {
			d.Src, d.Dst = -d.Src, -d.Dst
		}
		n.Dims[i], inner = d, d
	}
	return n
}

func TestNormalFormOf(t *testing.T) {
	nestOf := func(width int32, src, dst int64, dims ...Dim) Nest {
		n := Nest{Rank: int32(len(dims)), Width: width, SrcOff: src, DstOff: dst}
		copy(n.Dims[:], dims)
		return n
	}
	for _, c := range []struct {
		name      string
		raw, want Nest
	}{
		{"a packed copy is one element where it fits one",
			nestOf(1, 0, 0, Dim{Extent: 2, Src: 4, Dst: 4}, Dim{Extent: 4, Src: 1, Dst: 1}),
			nestOf(8, 0, 0)},
		{"a packed copy is one loop",
			nestOf(2, 6, 8, Dim{Extent: 5, Src: 14, Dst: 14}, Dim{Extent: 7, Src: 2, Dst: 2}),
			nestOf(2, 6, 8, Dim{Extent: 35, Src: 2, Dst: 2})},
		{"reversal of both axes is reversal of one",
			nestOf(1, 11, 0, Dim{Extent: 3, Src: -4, Dst: 4}, Dim{Extent: 4, Src: -1, Dst: 1}),
			nestOf(1, 11, 0, Dim{Extent: 12, Src: -1, Dst: 1})},
		{"reversed RGBA pixels are reversed 4-byte elements",
			nestOf(1, 36, 0, Dim{Extent: 10, Src: -4, Dst: 4}, Dim{Extent: 4, Src: 1, Dst: 1}),
			nestOf(4, 36, 0, Dim{Extent: 10, Src: -4, Dst: 4})},
		{"a transposed destination is a transposed source",
			nestOf(8, 0, 0, Dim{Extent: 5, Src: 24, Dst: 8}, Dim{Extent: 3, Src: 8, Dst: 40}),
			nestOf(8, 0, 0, Dim{Extent: 3, Src: 8, Dst: 40}, Dim{Extent: 5, Src: 24, Dst: 8})},
		{"a crop stays two loops",
			nestOf(1, 0, 0, Dim{Extent: 5, Src: 24, Dst: 20}, Dim{Extent: 20, Src: 1, Dst: 1}),
			nestOf(1, 0, 0, Dim{Extent: 5, Src: 24, Dst: 20}, Dim{Extent: 20, Src: 1, Dst: 1})},
	} {
		got := c.raw
		Normalize(&got)
		assert.Equal(t, c.want.Rank, got.Rank, c.name)
		assert.Equal(t, c.want.Width, got.Width, c.name)
		assert.Equal(t, c.want.SrcOff, got.SrcOff, c.name)
		assert.Equal(t, c.want.DstOff, got.DstOff, c.name)
		assert.Equal(t, c.want.Dims[:c.want.Rank], got.Dims[:got.Rank], c.name)
	}
}

func TestNormalFormDoesNotDependOnTheOrderOfLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 2000 {
		n := randomNest(rng)
		for i := range n.Dims[:n.Rank] {
			d := &n.Dims[i]
			d.Extent++
			if d.Dst < 0 {
				d.Src, d.Dst = -d.Src, -d.Dst
			}
		}
		shuffled := n
		rng.Shuffle(int(n.Rank), func(i, j int) {
			shuffled.Dims[i], shuffled.Dims[j] = shuffled.Dims[j], shuffled.Dims[i]
		})
		Normalize(&n)
		Normalize(&shuffled)
		require.Equal(t, n.Dims[:n.Rank], shuffled.Dims[:shuffled.Rank])
		require.Equal(t, [3]int64{int64(n.Width), n.SrcOff, n.DstOff}, [3]int64{int64(shuffled.Width), shuffled.SrcOff, shuffled.DstOff})
	}
}

func TestCoalesceSurvivesStridesAtTheLimit(t *testing.T) {
	n := Nest{Rank: 2, Width: 1}
	n.Dims[0] = Dim{Extent: 2, Src: -1 << 62, Dst: 1 << 62}
	n.Dims[1] = Dim{Extent: 2, Src: 1<<62 - 1, Dst: 1<<62 - 1}
	want := n
	Coalesce(&n)
	assert.Equal(t, want, n)
}

func TestSpanHoldsEveryMove(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 2000 {
		n := randomNest(rng)
		first := true
		var srcLo, srcHi, dstLo, dstHi int64
		for m := range moves(&n) {
			if first {
				srcLo, srcHi, dstLo, dstHi, first = m.src, m.src+1, m.dst, m.dst+1, false
			}
			srcLo, srcHi = min(srcLo, m.src), max(srcHi, m.src+1)
			dstLo, dstHi = min(dstLo, m.dst), max(dstHi, m.dst+1)
		}
		gotSrcLo, gotSrcHi, gotDstLo, gotDstHi := Span(&n)
		require.Equal(t, [4]int64{srcLo, srcHi, dstLo, dstHi}, [4]int64{gotSrcLo, gotSrcHi, gotDstLo, gotDstHi})
	}
}

func TestClassesOfLoops(t *testing.T) {
	for _, c := range []struct {
		width, src, dst int64
		want            Class
	}{
		{4, 4, 4, Contiguous}, {4, -4, 4, Reversed}, {4, 0, 4, Repeated}, {4, 8, 4, Strided}, {4, 3, 4, Strided}, {4, -8, 4, Strided},
		{4, 4, 5, Scattered}, {4, 4, 8, Scattered}, {4, -4, -4, Scattered}, {4, 0, 8, Scattered}, {1, 4, 4, Scattered},
	} {
		assert.Equal(t, c.want, ClassOf(c.width, c.src, c.dst), "%+v", c)
		n := Nest{Rank: 2, Width: int32(c.width), Dims: [MaxRank]Dim{{Extent: 2, Src: 100, Dst: 100}, {Extent: 3, Src: c.src, Dst: c.dst}}}
		assert.Equal(t, c.want, n.Class(), "%+v", c)
		assert.Equal(t, Dim{Extent: 3, Src: c.src, Dst: c.dst}, n.Inner())
	}
	n := Nest{Width: 8}
	assert.Equal(t, Dim{Extent: 1, Src: 8, Dst: 8}, n.Inner())
	assert.Equal(t, Contiguous, n.Class())
}

func TestStridesLeaveALine(t *testing.T) {
	for src, want := range map[int64]bool{0: false, 63: false, 64: true, -63: false, -64: true, 1 << 40: true} {
		assert.Equal(t, want, Leaves(src), src)
	}
}

func TestBytesOfANest(t *testing.T) {
	n := Nest{Width: 8}
	assert.Equal(t, int64(8), Bytes(&n))
	n.Rank, n.Dims[0], n.Dims[1], n.Dims[2] = 2, Dim{Extent: 1 << 30}, Dim{Extent: 3}, Dim{Extent: 5}
	assert.Equal(t, int64(24<<30), Bytes(&n))
}
