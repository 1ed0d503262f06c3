package plan

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// A move is a byte of the destination and the byte of the source that is copied to it. Two nests
// mean the same if they have the same moves.
type move struct{ dst, src int64 }

// moves returns how often a nest makes each move.
func moves(n *nest.Nest) map[move]int {
	m := make(map[move]int)
	each(n, 0, n.DstOff, n.SrcOff, func(dst, src int64) {
		for b := range int64(n.Width) {
			m[move{dst + b, src + b}]++
		}
	})
	return m
}

// randomNest returns a nest of up to eight small loops.
func randomNest(rng *rand.Rand) nest.Nest {
	n := nest.Nest{Rank: rng.Int32N(nest.MaxRank + 1), Width: 1 << rng.IntN(4), SrcOff: 1000, DstOff: 2000}
	for i := range n.Rank {
		n.Dims[i] = nest.Dim{Extent: 1 + rng.Int64N(3), Src: rng.Int64N(64) - 32, Dst: 1 + rng.Int64N(64)}
	}
	return n
}

func TestPartsCoverEveryMoveOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	check := func(n nest.Nest, limit int64) {
		p := cut(&n, limit, rng.IntN(2) == 0)
		got := make(map[move]int)
		for i := range p.Count {
			src, dst, shape := p.Part(i)
			require.Less(t, shape, p.NumShapes)
			part := p.Shapes[shape]
			part.SrcOff += src
			part.DstOff += dst
			for m, times := range moves(&part) {
				got[m] += times
			}
		}
		if !assert.ObjectsAreEqual(moves(&n), got) {
			t.Fatalf("parts of %d bytes of %+v: %+v", limit, n, p)
		}
	}
	runs, views, step := 10_000, 40, int64(1)
	if testing.Short() {
		runs, views, step = 1000, 10, 7
	}
	for range runs {
		n := randomNest(rng)
		check(n, 1+rng.Int64N(100))
	}
	for range views {
		n := nest.Nest{Rank: 2, Width: 1}
		tall, wide, pitch := 1+rng.Int64N(50), 1+rng.Int64N(1200), 64+rng.Int64N(1000)
		if rng.IntN(2) == 0 {
			wide = roundUp(wide, csrc.LineBytes)
		}
		n.Dims[0] = nest.Dim{Extent: tall, Src: 1 + rng.Int64N(10), Dst: wide}
		n.Dims[1] = nest.Dim{Extent: wide, Src: -pitch, Dst: 1}
		check(n, 1+rng.Int64N(5000))
	}
	for extent := int64(1); extent < 400; extent += step {
		n := nest.Nest{Rank: 1, Width: 1}
		n.Dims[0] = nest.Dim{Extent: extent, Src: -2, Dst: 1}
		check(n, 1+rng.Int64N(100))
		n.Rank = 2
		n.Dims[1] = nest.Dim{Extent: 3, Src: 7, Dst: 1000}
		check(n, 1+rng.Int64N(100))
	}
}

func TestPartsAreOfAboutTheLimit(t *testing.T) {
	for _, dims := range [][]nest.Dim{
		{{Extent: 1 << 30, Src: 2, Dst: 1}},
		{{Extent: 3, Src: 1 << 40, Dst: 1 << 40}, {Extent: 1<<30 + 7, Src: 2, Dst: 1}},
		{{Extent: 100000, Src: 1000, Dst: 1000}, {Extent: 1000, Src: -1, Dst: 1}},
		{{Extent: 1 << 20, Src: 4, Dst: 4 << 20}, {Extent: 1 << 20, Src: 4 << 20, Dst: 1}},
		{{Extent: 1 << 20, Src: 128, Dst: 128}, {Extent: 4, Src: 16, Dst: 32}, {Extent: 4, Src: 4, Dst: 8}, {Extent: 4, Src: -1, Dst: 2}},
	} {
		n := nest.Nest{Rank: int32(len(dims)), Width: 1}
		copy(n.Dims[:], dims)
		p := cut(&n, 1<<18, false)
		assert.GreaterOrEqual(t, nest.Bytes(&p.Shapes[0]), int64(1<<17), "%+v", dims)
		assert.LessOrEqual(t, nest.Bytes(&p.Shapes[0]), int64(1<<19), "%+v", dims)
		assert.GreaterOrEqual(t, p.Count, nest.Bytes(&n)>>19, "%+v", dims)
	}
}

func TestShapesOfParts(t *testing.T) {
	for _, c := range []struct {
		name  string
		limit int64
		count int64
		dims  []nest.Dim
		shape []nest.Dim
	}{
		{"a row is cut at multiples of a cache line", 100, 8,
			[]nest.Dim{{Extent: 1000, Src: 2, Dst: 1}},
			[]nest.Dim{{Extent: 128, Src: 2, Dst: 1}}},
		{"rows are kept together as the limit has it", 64, 17,
			[]nest.Dim{{Extent: 100, Src: 40, Dst: 20}, {Extent: 10, Src: 2, Dst: 1}},
			[]nest.Dim{{Extent: 6, Src: 40, Dst: 20}, {Extent: 10, Src: 2, Dst: 1}}},
		{"transposed loops are cut at whole lines of the source", 1 << 16, 12,
			[]nest.Dim{{Extent: 1000, Src: 1, Dst: 1000}, {Extent: 1000, Src: 4096, Dst: 1}},
			[]nest.Dim{{Extent: 256, Src: 1, Dst: 1000}, {Extent: 384, Src: 4096, Dst: 1}}},
	} {
		n := nestOf(1, c.dims...)
		p := cut(&n, c.limit, false)
		assert.Equal(t, c.count, p.Count, c.name)
		assert.Equal(t, c.shape, p.Shapes[0].Dims[:p.Shapes[0].Rank], c.name)
	}
}

func TestPartsOfShortRowsBeginWithLines(t *testing.T) {
	for _, text := range []string{
		"1 90000:200:100 100:1:1", "1 90000:130:104 65:1:1", "4 90000:80:36 9:8:4", "2 70000:-90:66 33:-2:2", "1 3000:5000:4095 4095:1:1",
		"8 90000:160:72 9:8:8", "1 1000000:7:1",
	} {
		n := parseNest(text)
		p := Cut(&n, Stores{Cached: true})
		require.Greater(t, p.Count, int64(1), text)
		for i := range p.Count {
			_, dst, _ := p.Part(i)
			assert.Zero(t, dst%csrc.LineBytes, "part %d of %s", i, text)
		}
	}
}
