package slice1

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// disjointSlowly is disjoint by a list of every byte that n reads.
func disjointSlowly(n *nest.Nest, width, after int64) bool {
	read := map[int64]bool{}
	each(n, func(src, _ int64) {
		for b := range int64(n.Width) {
			read[src+b] = true
		}
	})
	apart := true
	each(n, func(_, dst int64) {
		for b := range width {
			apart = apart && !read[dst+b+after]
		}
	})
	return apart
}

// each calls f with the position of each element that a nest reads and the position that the nest
// writes it to.
func each(n *nest.Nest, f func(src, dst int64)) {
	var walk func(i int32, src, dst int64)
	walk = func(i int32, src, dst int64) {
		if i == n.Rank {
			f(src, dst)
			return
		}
		for k := range n.Dims[i].Extent {
			walk(i+1, src+k*n.Dims[i].Src, dst+k*n.Dims[i].Dst)
		}
	}
	walk(0, n.SrcOff, n.DstOff)
}

// On small random nests and distances, the search with a large budget is exact; with its usual
// budget it reports apart only if that is true.
func TestDisjointIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	count := map[bool]int{}
	for range 3000 {
		n := nest.Nest{Rank: rng.Int32N(4), Width: 1 << rng.IntN(4), SrcOff: rng.Int64N(20)}
		for i := range n.Rank {
			n.Dims[i] = nest.Dim{Extent: 1 + rng.Int64N(5), Src: rng.Int64N(81) - 40, Dst: rng.Int64N(80) + 1}
			if rng.IntN(2) == 0 { // strides of equal size, with equal or opposite signs
				n.Dims[i].Src = n.Dims[i].Dst * (2*rng.Int64N(2) - 1)
			}
			if rng.IntN(2) == 0 {
				n.Dims[i].Src *= int64(n.Width)
				n.Dims[i].Dst *= int64(n.Width)
			}
		}
		for range 12 {
			after, width := rng.Int64N(241)-120, int64(n.Width)
			if rng.IntN(3) == 0 {
				width = 1 << rng.IntN(4)
			}
			want := disjointSlowly(&n, width, after)
			require.Equal(t, want, disjoint(&n, width, after, 1<<20), "%+v, width %d, %d bytes after", n, width, after)
			require.True(t, want || !disjoint(&n, width, after, disjointBudget), "%+v, width %d, %d bytes after", n, width, after)
			count[want]++
		}
	}
	assert.Greater(t, count[true], 5000)
	assert.Greater(t, count[false], 5000)
}

// firstWithin finds the same x as trying every x, for every m up to 24.
func TestFirstWithin(t *testing.T) {
	for m := int64(2); m <= 24; m++ {
		for a := int64(1); a < m; a++ {
			for lo := int64(1); lo < m; lo++ {
				for hi := lo; hi < m; hi++ {
					want := int64(0)
					for x := int64(1); x < m && want == 0; x++ {
						if v := x * a % m; v >= lo && v <= hi {
							want = x
						}
					}
					for _, most := range []int64{0, want - 1, want, m} {
						got, ok := firstWithin(a, m, lo, hi, most)
						require.Equal(t, want > 0 && want <= most, ok, "%d*x mod %d in [%d, %d], x <= %d", a, m, lo, hi, most)
						if ok {
							require.Equal(t, want, got)
						}
					}
				}
			}
		}
	}
}

// entangled returns nests of large random steps, for which the search takes long.
func entangled(rank int32) (nests []nest.Nest) {
	rng := rand.New(rand.NewPCG(31, 2))
	for range 200 {
		n := nest.Nest{Rank: rank, Width: 1}
		for i := range rank {
			n.Dims[i] = nest.Dim{Extent: 2 + rng.Int64N(60), Src: 1000 + rng.Int64N(1_000_000), Dst: 1000 + rng.Int64N(1_000_000)}
		}
		nests = append(nests, n)
	}
	return nests
}

// BenchmarkDisjoint measures the search on two slices of everyday use. Then it prints, for each
// rank, the time of the longest of the searches that entangled provides.
func BenchmarkDisjoint(b *testing.B) {
	frame := nest.Nest{Rank: 2, Width: 4, Dims: [maxRank]nest.Dim{{Extent: 1080, Src: 7680, Dst: 7680}, {Extent: 960, Src: -4, Dst: 4}}}
	pitch := nest.Nest{Rank: 2, Width: 1, Dims: [maxRank]nest.Dim{{Extent: 1080, Src: 7680, Dst: 5800}, {Extent: 960, Src: 4, Dst: 4}}}
	for _, n := range []nest.Nest{frame, pitch} {
		b.Run(fmt.Sprint("step=", n.Dims[0].Dst), func(b *testing.B) {
			for b.Loop() {
				disjoint(&n, int64(n.Width), 3, disjointBudget)
			}
		})
	}
	for rank := int32(1); rank <= maxRank; rank++ {
		b.Run(fmt.Sprint("rank=", rank), func(b *testing.B) {
			nests := entangled(rank)
			longest := 0.0
			for b.Loop() {
				for i := range nests {
					longest = max(longest, quickest(func() { disjoint(&nests[i], 1, 1, disjointBudget) }))
				}
			}
			b.ReportMetric(longest, "longest-ns")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// quickest returns the time of a call of f in nanoseconds. It is the mean of the calls of one
// round, the shortest of several rounds: something disturbed the longer ones.
func quickest(f func()) float64 {
	least := math.Inf(1)
	for range 10 {
		start := time.Now()
		for range 20 {
			f()
		}
		least = min(least, float64(time.Since(start).Nanoseconds())/20)
	}
	return least
}

// FuzzApart is TestDisjointIsExact for nests of two loops.
func FuzzApart(f *testing.F) {
	f.Add(uint8(2), int8(3), int8(5), int8(4), int8(-2), int8(7), uint8(3), uint8(9), int16(11))
	f.Fuzz(func(t *testing.T, log uint8, src0, dst0, src1, dst1, start int8, extent0, extent1 uint8, after int16) {
		n, width := nest.Nest{Rank: 2, Width: 1 << (log % 4), SrcOff: int64(start)}, int64(1)<<(log>>2%4)
		n.Dims[0] = nest.Dim{Extent: 1 + int64(extent0%32), Src: int64(src0), Dst: int64(dst0)}
		n.Dims[1] = nest.Dim{Extent: 1 + int64(extent1%32), Src: int64(src1), Dst: int64(dst1)}
		want := disjointSlowly(&n, width, int64(after))
		require.Equal(t, want, disjoint(&n, width, int64(after), 1<<20), "%+v, width %d, %d bytes after", n, width, after)
		require.True(t, want || !disjoint(&n, width, int64(after), disjointBudget), "%+v, width %d, %d bytes after", n, width, after)
	})
}
