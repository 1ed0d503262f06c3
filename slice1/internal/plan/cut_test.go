package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
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

// cut is Cut with `limit` bytes in place of PartBytes.
func cut(n *nest.Nest, limit int64, nt bool, cutting Cutting) (p Pieces) {
	p.set(n, gridOf(n, limit, nt, cutting))
	return p
}

func TestPartsCoverEveryMoveOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	check := func(n nest.Nest, limit int64) {
		p := cut(&n, limit, rng.IntN(2) == 0, Cutting{Parts: Parts(rng.IntN(3)), Order: Order(rng.IntN(3))})
		got := make(map[move]int)
		var counts [4]int64
		for i := range p.Count {
			src, dst, shape := p.Part(i)
			require.Less(t, shape, p.NumShapes)
			counts[shape]++
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
		for shape := range p.NumShapes {
			require.Equal(t, counts[shape], p.CountOf(shape), "shape %d of %+v", shape, p)
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
			wide = roundUp(wide, program.LineBytes)
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
		p := cut(&n, 1<<18, false, Cutting{})
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
		p := cut(&n, c.limit, false, Cutting{})
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
		p := Cut(&n, Stores{Cached: true}, Cutting{})
		require.Greater(t, p.Count, int64(1), text)
		for i := range p.Count {
			_, dst, _ := p.Part(i)
			assert.Zero(t, dst%program.LineBytes, "part %d of %s", i, text)
		}
	}
}

// The parts of Boxes make each iteration once, have at most so many elements, and at most so many
// iterations of a loop that has values of its own.
func TestBoxesAreWithinTheirLimits(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 91))
	cutting, whole := 0, 0
	for range runsOf(t, 3000) {
		n := randomNest(rng)
		for i := range n.Dims[:n.Rank] {
			if d := &n.Dims[i]; rng.IntN(3) == 0 {
				d.Extent *= 1 + rng.Int64N(20)
				d.Src, d.Dst = d.Src*4, d.Dst*4
			}
		}
		paramLoop, params, size := rng.IntN(int(n.Rank)+1)-1, 1+rng.Int64N(10), 1+rng.Int64N(200)
		if paramLoop >= 0 {
			n.Dims[paramLoop].Param = 1
		}
		g := Boxes(n.Dims[:n.Rank], size, usualParts, params)
		seen, elements := make(map[[nest.MaxRank]int64]int), int64(1)
		for _, d := range n.Dims[:n.Rank] {
			elements *= d.Extent
		}
		if elements > 20_000 {
			continue
		}
		for i := range g.Count {
			src, dst, shape := g.Offsets(i)
			var first, at [nest.MaxRank]int64
			wantSrc, wantDst, part := int64(0), int64(0), int64(1)
			for l, d := range n.Dims[:n.Rank] {
				first[l] = g.FirstIteration(i, l)
				wantSrc += first[l] * d.Src
				wantDst += first[l] * d.Dst
				part *= g.Iterations(l, shape)
				if l == paramLoop {
					require.LessOrEqual(t, g.Iterations(l, shape), params)
				}
			}
			require.Equal(t, [2]int64{wantSrc, wantDst}, [2]int64{src, dst})
			require.LessOrEqual(t, part, size, "%s", textOf(&n))
			for range part {
				var index [nest.MaxRank]int64
				for l := range n.Dims[:n.Rank] {
					index[l] = first[l] + at[l]
				}
				seen[index]++
				for l := int(n.Rank) - 1; l >= 0; l-- {
					if at[l]++; at[l] < g.Iterations(l, shape) {
						break
					}
					at[l] = 0
				}
			}
		}
		require.Len(t, seen, int(elements), "%s", textOf(&n))
		for _, times := range seen {
			require.Equal(t, 1, times)
		}
		if g.Count > 1 {
			cutting++
		} else {
			whole++
		}
	}
	assert.Positive(t, cutting)
	assert.Positive(t, whole)
}

// Boxes are whole lines of one side or the other where there is room for a line.
func TestBoxesAreWholeLines(t *testing.T) {
	for _, c := range []struct {
		nest string
		size int64
		run  []int64
	}{
		{"1 1000:4:1", 300, []int64{256}},
		{"4 1000:1:4", 300, []int64{288}},
		{"1 1000:4:1", 60, []int64{60}},
		{"4 100:1:4000 1000:100:4", 1000, []int64{62, 16}},
		{"4 300:1:4000 1000:300:4", 16384, []int64{128, 128}},
	} {
		n := parseNest(c.nest)
		g := Boxes(n.Dims[:n.Rank], c.size, usualParts, 0)
		assert.Equal(t, c.run, g.chunk[:n.Rank], c.nest)
	}
}

// The other ways to cut a slice differ from the usual one and from each other, and are in blocks if
// the slice is large. For copies there are also ways with the parts of others and another order of
// loops. Variants differ in one thing from their candidate.
func TestCuttingsDiffer(t *testing.T) {
	defer func(large, block int64) { LargeBytes, BlockBytes = large, block }(LargeBytes, BlockBytes)
	names := make(map[string]int)
	for _, large := range []int64{1 << 40, 2 << 20} {
		LargeBytes, BlockBytes = large, 1<<20
		for _, text := range []string{"4 4096:4:4096 1024:16384:4", "1 64:1:262144 64:64:4096 64:4096:64 64:262144:1", "8 700:8:5600 700:5600:8"} {
			n := parseNest(text)
			for _, may := range []Stores{{Cached: true}, {Cached: true, NonTemporal: true}} {
				c := Candidate{Kernel: Go}
				known, in := []Pieces{Cut(&n, may, Cutting{})}, &n
				if blocks := Blocks(&n); Large(&n) {
					known, in = nil, &blocks.Shapes[0]
				}
				others := Cuttings(&n, may, c)
				for _, by := range others {
					require.Equal(t, Large(&n), by.Blocks)
					p := Cut(in, may, by)
					require.NotContains(t, known, p, "%s: %s", text, by)
					known = append(known, p)
					names[by.String()]++
				}
				for _, nt := range []bool{false, true} {
					copies := Cuttings(&n, may, Candidate{Kind: kindCopy, NonTemporal: nt})
					require.Subset(t, copies, others)
					for _, by := range copies {
						if slices.Contains(others, by) {
							continue
						}
						p := Cut(in, may, by)
						require.Contains(t, known, p, "%s: %s", text, by)
						require.True(t, crossed(p.Shapes[0].Dims[:p.Shapes[0].Rank-1]))
						names[fmt.Sprint("loops", by.Order)]++
					}
				}
				require.LessOrEqual(t, len(plainHost().Variants(&n, may, c)), MaxVariants)
				for _, v := range plainHost().Variants(&n, may, c) {
					require.True(t, v.Parts == usualParts || v.Order == usualOrder, v)
					require.Equal(t, Go, v.Kernel)
				}
			}
		}
	}
	for _, name := range []string{" boxes", " bands", " by source", " by destination", " boxes by destination", " in blocks", " boxes in blocks", "loops1", "loops2"} {
		assert.Positive(t, names[name], "%q of %v", name, names)
	}
}

// A slice of one part is also cut, unless its output fits the first-level cache.
func TestSlicesOfOnePartHaveVariants(t *testing.T) {
	for text, want := range map[string][]string{
		"8 7:8:63080 7885:704:8": {"go boxes", "go bands"},
		"8 7:8:4096 512:704:8":   nil,
	} {
		n := parseNest(text)
		require.EqualValues(t, 1, Cut(&n, Stores{Cached: true}, Cutting{}).Count)
		var names []string
		for _, v := range plainHost().Variants(&n, Stores{Cached: true}, Candidate{Kernel: Go}) {
			names = append(names, v.String())
		}
		assert.Equal(t, want, names, text)
	}
}

// Whether the loops around rows come in the order of the source, for each order of parts: the usual
// one, by source and by destination.
func TestOrderOfLoops(t *testing.T) {
	for c, want := range map[Candidate][3]bool{
		{Kernel: Go}:                        {},
		{Kind: kindCopy}:                    {false, true, false},
		{Kind: kindCopy, NonTemporal: true}: {true, true, false},
		{Kind: kindTile, NonTemporal: true}: {false, true, false},
		{Kind: kindGather}:                  {true, true, true},
	} {
		for order := range want {
			c.Order = Order(order)
			assert.Equal(t, want[order], c.sortsLoops(), "%v %d", c, order)
		}
	}
}

// A nest that runs whole is cut in one way, except copies whose loops have two orders.
func TestCuttingsOfWholeNests(t *testing.T) {
	for text, others := range map[string][]string{
		"4 30:400:400 100:4:4":             nil,
		"4 30:4:400 100:400:4":             nil,
		"4 5:400:6000 15:2000:400 100:4:4": {" by source"},
	} {
		n := parseNest(text)
		var names []string
		for _, by := range Cuttings(&n, Stores{Cached: true}, Candidate{Kind: kindCopy}) {
			names = append(names, by.String())
		}
		assert.Equal(t, others, names, text)
	}
}

// The ways that are compared block by block are in blocks and differ. They have the kinds that List
// returns and, for the cheapest kind, each sort of stores and each way to cut. First comes that
// kind in the usual order, then what List returns, then that kind in the other orders. A slice of
// one order has only what List returns.
func TestWaysInBlocks(t *testing.T) {
	defer func(large, block int64) { LargeBytes, BlockBytes = large, block }(LargeBytes, BlockBytes)
	LargeBytes, BlockBytes = 2<<20, 1<<20
	rng := rand.New(rand.NewPCG(92, 92))
	for _, text := range []string{"4 4096:4:4096 1024:16384:4", "1 64:1:262144 64:64:4096 64:4096:64 64:262144:1", "8 700:8:5600 700:5600:8"} {
		n := parseNest(text)
		h := anyHost(rng)
		w := &Problem{Kernels: everyKernel, Stores: Stores{Cached: true, NonTemporal: true}}
		cs := h.inBlocks(&n, w, 100)
		for i, c := range cs {
			require.True(t, c.Blocks, c)
			require.False(t, slices.ContainsFunc(cs[:i], c.SameWay), c)
		}
		blocks := Blocks(&n)
		pieces := Cut(&blocks.Shapes[0], w.Stores, Cutting{})
		var ways [MaxListed]Candidate
		count := h.List(&ways, new(program.Draft), &pieces.Shapes[0], pieces.Count, w)
		for _, c := range ways[:count] {
			c.Blocks = true
			require.True(t, slices.ContainsFunc(cs, c.SameWay), c)
		}
		for _, by := range Cuttings(&n, w.Stores, ways[0]) {
			c := ways[0]
			if c.Cutting = by; by.Blocks {
				require.True(t, slices.ContainsFunc(cs, c.SameWay), c)
			}
		}
		orders := make([]Order, 0, len(cs))
		for _, c := range cs {
			orders = append(orders, c.Order)
		}
		require.True(t, slices.IsSorted(orders), "%v", cs)
		require.Greater(t, len(slices.Compact(orders)), 1, "%v", cs)
		require.Len(t, h.inBlocks(&n, w, 3), min(3, len(cs)))
	}
	n := parseNest("1 4194304:2:1")
	pieces, list := Cut(&n, Stores{Cached: true, NonTemporal: true}, Cutting{}), [MaxListed]Candidate{}
	h, w := anyHost(rng), &Problem{Kernels: everyKernel, Stores: Stores{Cached: true, NonTemporal: true}}
	count := h.List(&list, new(program.Draft), &pieces.Shapes[0], pieces.Count, w)
	assert.Equal(t, list[:count], h.inBlocks(&n, w, 100), "one order")
}
