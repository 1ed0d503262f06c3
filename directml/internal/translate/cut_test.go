package translate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/directml/internal/testdata/samples"
	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/testdata/sentencetest"
)

// requireSeen fails t unless the part is valid at the level and no view has more than most
// elements.
func requireSeen(t *testing.T, p *Part, level slice1.FeatureLevel, most int64) {
	t.Helper()
	require.NoError(t, p.desc().ValidateFor(level), "%v", p)
	width := uint64(p.DataType.Size())
	require.LessOrEqual(t, max(p.Input.Total, p.Output.Total)/width, uint64(most), "%v", p)
}

// moves lists the bytes that a part of Spans copies, by their places in the tensors of d.
func (p *Part) moves(g Geometry) []samples.Move {
	all := samples.Moves(p.desc())
	to := map[int64]int64{}
	if p.Scatter != nil {
		for _, m := range samples.Moves(p.Scatter) {
			to[m.Src] = m.Dst
		}
	}
	for i, m := range all {
		if p.Scatter != nil {
			m.Dst = to[m.Dst]
		}
		all[i] = samples.Move{Dst: p.Dst + m.Dst, Src: g.SrcLo + p.Src + m.Src}
	}
	return all
}

func sortMoves(all []samples.Move) {
	slices.SortFunc(all, func(a, b samples.Move) int { return int(a.Dst - b.Dst) })
}

// The parts of Spans copy each byte of the descriptor once. Their inputs go from the first to the
// last byte taken, and their outputs have no gaps. The place of the window makes no difference.
func TestSpansMoveTheSameBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	one, several, scattered := 0, 0, 0
	for range 400 {
		d := samples.RandomOrRows(rng)
		g := GeometryOf(d)
		want := samples.Moves(d)
		elsewhere := samples.Moved(d, samples.Corner(rng, d))
		most := samples.Pick(rng, MostElements, 8, 8+rng.Int64N(60), 8+rng.Int64N(4000))
		for _, c := range capabilities {
			op, err := MovableOf(d, c)
			if err != nil {
				continue // TestTranslationsMoveTheSameBytes checks which descriptors have no operator
			}
			parts := op.Spans(most)
			got := make([]samples.Move, 0, len(want))
			operators := map[Operator]bool{}
			for i := range parts {
				p := &parts[i]
				requireSeen(t, p, c.Level, most)
				all := p.moves(g)
				got = append(got, all...)
				lo, hi := all[0].Src, int64(0)
				for _, m := range all {
					lo, hi = min(lo, m.Src), max(hi, m.Src+1)
				}
				require.Equal(t, []int64{lo - g.SrcLo, hi - lo, int64(len(all))}, []int64{p.Src, p.SrcSize, p.DstSize}, "%v", p)
				require.Equal(t, uint64(p.DstSize+3)&^3, p.Output.Total)
				p.requireEnds(t, all, g, int64(p.DataType.Size()), hi)
				operators[p.Operator] = true
				if p.Scatter != nil {
					scattered++
				}
			}
			sortMoves(got)
			require.Equal(t, want, got, "%v\nby %d", &op, most)
			if len(parts) == 1 {
				one++
				require.Equal(t, []int64{0, g.SrcHi - g.SrcLo, 0}, []int64{parts[0].Src, parts[0].SrcSize, parts[0].Dst})
			} else {
				several++
			}
			if len(parts) > 50 {
				require.LessOrEqual(t, len(operators), 1<<op.Rank)
			}
			other, err := MovableOf(elsewhere, c)
			require.NoError(t, err)
			require.Equal(t, parts, other.Spans(most), "%v at %v", samples.Describe(d), elsewhere.WindowOffsets)
		}
	}
	assert.Greater(t, one, 800)
	assert.Greater(t, several, 800)
	assert.Greater(t, scattered, 800)
}

// requireEnds fails t unless the ends of p are copies of width bytes that p makes. They must be the
// copies to its last and its first output element, and the copy from its last input element, which
// must end at end.
func (p *Part) requireEnds(t *testing.T, all []samples.Move, g Geometry, width, end int64) {
	t.Helper()
	first, last := all[0].Dst, int64(0)
	for _, m := range all {
		first, last = min(first, m.Dst), max(last, m.Dst+1)
	}
	require.Equal(t, []int64{last, first, end - g.SrcLo}, []int64{p.Ends[0].Dst + width, p.Ends[1].Dst, p.Ends[2].Src + width}, "%v", p)
	for _, r := range p.Ends {
		require.Equal(t, width, r.Size)
		for b := range r.Size {
			require.True(t, slices.Contains(all, samples.Move{Dst: r.Dst + b, Src: g.SrcLo + r.Src + b}), "%v", p)
		}
	}
}

// The parts of Parts copy each byte of the descriptor once, and are bound at multiples of 16
// bytes. None reaches past the whole tensors.
func TestPartsMoveTheSameBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	one, several, none := 0, 0, 0
	for range 400 {
		d := samples.RandomOrRows(rng)
		want := samples.Moves(d)
		most := samples.Pick(rng, MostElements, 64+rng.Int64N(60), 64+rng.Int64N(4000))
		for _, c := range capabilities {
			op, err := OperatorOf(d, c)
			if err != nil {
				continue
			}
			parts, err := op.Parts(most)
			if err != nil {
				require.ErrorIs(t, err, slice1.ErrOverflow)
				none++
				continue
			}
			got := make([]samples.Move, 0, len(want))
			for i := range parts {
				p := &parts[i]
				requireSeen(t, p, c.Level, most)
				require.Zero(t, p.Src%16+p.Dst%16, "%v", p)
				require.LessOrEqual(t, uint64(p.Src)+p.Input.Total, op.Input.Total)
				require.LessOrEqual(t, uint64(p.Dst)+p.Output.Total, op.Output.Total)
				for _, m := range samples.Moves(p.desc()) {
					got = append(got, samples.Move{Dst: p.Dst + m.Dst, Src: p.Src + m.Src})
				}
			}
			sortMoves(got)
			require.Equal(t, want, got, "%v\nby %d", &op, most)
			if len(parts) == 1 {
				one++
			} else {
				several++
			}
		}
	}
	assert.Greater(t, one, 800)
	assert.Greater(t, several, 500)
	assert.Greater(t, none, 100)
}

// Slices are cut if they have more elements than Direct3D 12 guarantees that an adapter sees.
func TestLargeSlicesAreCut(t *testing.T) {
	type part struct {
		src, srcSize, dst, dstSize int64
		scatter                    bool
	}
	const m = 1 << 27
	for name, c := range map[string]struct {
		d     *slice1.Desc
		spans []part
		parts int   // 0 if Parts returns an error
		kinds int   // how many different operators the spans have
		got   int64 // elements that the error of Parts names
	}{
		"as many as are seen": {samples.Flipped(slice1.Uint8, m), []part{{0, m, 0, m, false}}, 1, 1, 0},
		"four more, reversed": {samples.Flipped(slice1.Uint8, m+4), []part{{m/2 + 2, m/2 + 2, 0, m/2 + 2, false}, {0, m/2 + 2, m/2 + 2, m/2 + 2, false}}, 2, 1, 0},
		"doubles":             {samples.Flipped(slice1.Float64, 2*m), []part{{8 * m, 8 * m, 0, 8 * m, false}, {0, 8 * m, 8 * m, 8 * m, false}}, 2, 1, 0},
		"turned": {
			&slice1.Desc{
				Input:         slice1.TensorDesc{DataType: slice1.Float32, Sizes: []int{1 << 14, 1 << 14}, Strides: []int{1, 1 << 14}},
				Output:        slice1.TensorDesc{DataType: slice1.Float32, Sizes: []int{1 << 14, 1 << 14}},
				WindowOffsets: []int{0, 0}, WindowSizes: []int{1 << 14, 1 << 14}, WindowStrides: []int{1, 1},
			},
			[]part{{0, 4 * m, 0, 4 * m, true}, {4 * m, 4 * m, 4 << 13, 4 * m, true}}, 4, 1, 0,
		},
		"rows of an odd size": {samples.Flipped(slice1.Uint8, 7, m/2+1), []part{
			{6 * (m/2 + 1), m/2 + 1, 0, m/2 + 1, false}, {5 * (m/2 + 1), m/2 + 1, m/2 + 1, m/2 + 1, false}, {4 * (m/2 + 1), m/2 + 1, m + 2, m/2 + 1, false},
			{3 * (m/2 + 1), m/2 + 1, 3*m/2 + 3, m/2 + 1, false}, {2 * (m/2 + 1), m/2 + 1, 2*m + 4, m/2 + 1, false},
			{m/2 + 1, m/2 + 1, 5*m/2 + 5, m/2 + 1, false}, {0, m/2 + 1, 3*m + 6, m/2 + 1, false},
		}, 0, 1, 7*m/2 + 8},
	} {
		op, err := OperatorOf(c.d, Capability(samples.Newest))
		require.NoError(t, err)
		var got []part
		kinds := map[Operator]bool{}
		for _, p := range op.Spans(MostElements) {
			got = append(got, part{p.Src, p.SrcSize, p.Dst, p.DstSize, p.Scatter != nil})
			kinds[p.Operator] = true
		}
		assert.Equal(t, c.spans, got, name)
		assert.Len(t, kinds, c.kinds, name)
		parts, err := op.Parts(MostElements)
		assert.Len(t, parts, c.parts, name)
		if c.parts == 0 {
			sentencetest.Check(t, "directml", []sentencetest.Row{sentencetest.Place(err,
				fmt.Sprintf("Input.Sizes: an operator sees %d elements, an adapter may see at most 134217728, and no parts of the tensors begin at multiples of 16 bytes", c.got),
				slice1.ErrOverflow, "Input.Sizes", -1, c.got, m)})
		}
	}
}

// Within refuses a part if its output or its input ends beyond 4 GiB of an allocation.
func TestPartsEndWithin4GiB(t *testing.T) {
	const most = 1 << 30 // elements of 4 bytes
	for n, want := range map[int]int{most: 0, most + 1: 2} {
		op, err := OperatorOf(samples.Flipped(slice1.Uint32, n), Capability(samples.Newest))
		require.NoError(t, err)
		parts, err := op.Parts(MostElements)
		require.NoError(t, err)
		far := 0
		for i := range parts {
			if err := parts[i].CheckReach(0, 0); err != nil {
				assert.ErrorIs(t, err, slice1.ErrOverflow)
				far++
			}
		}
		assert.Equal(t, want, far, "the last part of the output, and the first one, whose input is the last")
	}
	near := samples.Flipped(slice1.Uint32, most+1)
	near.WindowSizes[0], near.Output.Sizes[0] = 100, 100
	op, err := OperatorOf(near, Capability(samples.Newest))
	require.NoError(t, err)
	parts, err := op.Parts(MostElements)
	require.NoError(t, err)
	require.Len(t, parts, 1)
	assert.NoError(t, parts[0].CheckReach(0, 0))
	assert.NoError(t, parts[0].CheckReach(1<<32-400, 1<<32-400))
	sentencetest.Check(t, "directml", []sentencetest.Row{
		sentencetest.Place(parts[0].CheckReach(1<<32-384, 0), "dst: the operator's view ends at byte 4294967312 of the allocation, must end at byte 4294967296 at most, because drivers fail beyond",
			slice1.ErrOverflow, "dst", -1, 1<<32+16, 1<<32),
		sentencetest.Place(parts[0].CheckReach(0, 1<<32-384), "src: the operator's view ends at byte 4294967312 of the allocation, must end at byte 4294967296 at most, because drivers fail beyond",
			slice1.ErrOverflow, "src", -1, 1<<32+16, 1<<32),
	})
}
