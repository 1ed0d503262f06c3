package plan

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// inStagesAtRandom returns a problem whose parts have stages: numbers, or a source that is made row
// by row. Its loops are in any order in the source, some of them go backwards there, and one may
// have values of its own.
func inStagesAtRandom(rng *rand.Rand, made bool) *Problem {
	types := []program.ElementType{program.Uint8, program.Int16, program.Float32, program.Float64}
	from, to := types[max(0, rng.IntN(7)-3)], types[rng.IntN(4)]
	p := &Problem{Nest: nest.Nest{Rank: 3, Width: int32(from.Size())}, Kernels: everyKernel, Stores: Stores{Cached: true, NonTemporal: true}}
	if !made || rng.IntN(2) == 0 {
		p.Cast = Cast{Src: from, Dst: to}
	} else {
		to = from
	}
	extents := [3]int64{1 + rng.Int64N(5), 1 + rng.Int64N(12), 1 + rng.Int64N(100)}
	order := rng.Perm(3)
	if made {
		order = []int{0, 1 + rng.IntN(2), 0}
		order[2] = 3 - order[1]
	}
	src, dst := from.Size()*(1+rng.Int64N(3)), to.Size()
	for i := 2; i >= 0; i-- {
		d := &p.Nest.Dims[i]
		*d = nest.Dim{Extent: extents[i], Dst: dst}
		dst = dst*extents[i] + rng.Int64N(2)*to.Size()
		p.Nest.Dims[order[i]].Src = src
		src *= extents[order[i]]
		if !made && rng.IntN(3) == 0 {
			p.Nest.Dims[order[i]].Src *= -1
		}
	}
	for i := range p.Nest.Dims[:3] { // the sources of loops that were reset
		if p.Nest.Dims[i].Src == 0 {
			p.Nest.Dims[i].Src = from.Size()
		}
	}
	return p
}

// elements calls f for each element of loops, with its places.
func elements(loops []nest.Dim, src, dst int64, f func(src, dst int64)) {
	if len(loops) == 0 {
		f(src, dst)
		return
	}
	for i := range loops[0].Extent {
		elements(loops[1:], src+i*loops[0].Src, dst+i*loops[0].Dst, f)
	}
}

// The stages of the parts of every way, one after another, move each element from where the nest
// reads it to where the nest writes it, and nothing else.
func TestStagesMoveEveryElement(t *testing.T) {
	rng := rand.New(rand.NewPCG(77, 10))
	seen := map[Stages]int{}
	for range 100 {
		p := inStagesAtRandom(rng, false)
		for p.Cast.Opaque() {
			p = inStagesAtRandom(rng, false)
		}
		want := map[int64]int64{} // the source's place of each place of the destination
		elements(p.Nest.Dims[:3], 0, 0, func(src, dst int64) { want[dst] = src })
		for _, c := range p.variants(p.inStages(everyKernel)) {
			if rng.IntN(4) > 0 {
				continue
			}
			made, got := p.Plan(c), map[int64]int64{}
			for part := range made.Pieces.Count {
				srcOff, dstOff, shape := made.Pieces.Part(part)
				moveByStages(t, p, &made.Steps[shape], c, srcOff, dstOff, got)
			}
			require.Equal(t, want, got, "%v of %+v", c, p.Nest)
			seen[c.Stages]++
		}
	}
	for _, s := range (&Problem{Cast: Cast{Dst: program.Uint8}}).stages() {
		assert.True(t, seen[s] > 0 || s == Windows && !windowsHere(), s.String())
	}
}

// windowsHere reports whether this build has a kernel that takes elements by windows: those in C
// have.
func windowsHere() bool {
	for k := range Kernel(len(program.Sets)) {
		if program.InC(int32(k)) {
			return true
		}
	}
	return false
}

// moveByStages adds to `got` what the steps of a part move.
func moveByStages(t *testing.T, p *Problem, steps *Steps, c Candidate, srcOff, dstOff int64, got map[int64]int64) {
	srcSize, dstSize := p.Sizes()
	// A map of each stage: which place it reads for a place that it writes. Slices move elements
	// that the normal form may have widened, so they are counted by their smallest elements.
	slice := func(n *nest.Nest, size int64) map[int64]int64 {
		moved := map[int64]int64{}
		elements(n.Dims[:n.Rank], n.SrcOff, n.DstOff, func(src, dst int64) {
			for b := int64(0); b < int64(n.Width); b += size {
				moved[dst+b] = src + b
			}
		})
		return moved
	}
	first := steps.Start
	rows := map[int64]int64{}
	if r := &steps.Rows; r.Places == 0 {
		elements(r.Loop[:r.Loops], 0, 0, func(src, dst int64) {
			for i := range r.Count {
				rows[dst+i*dstSize] = src + i*srcSize
			}
		})
	} else {
		elements(r.Loop[:r.Loops], 0, 0, func(src, dst int64) {
			for i := range r.Count {
				rows[dst+i*dstSize] = src + placeByWindow(r, i, program.Sets[c.Kernel].Masks)
			}
		})
	}
	var before, after map[int64]int64
	if steps.SliceIn != nil {
		before = slice(&steps.SliceIn.Nest, srcSize)
	}
	if steps.SliceOut != nil {
		after = slice(&steps.SliceOut.Nest, dstSize)
	} else {
		after = map[int64]int64{}
		for dst := range rows {
			after[dst] = dst
		}
	}
	for dst, at := range after {
		src, ok := rows[at]
		require.True(t, ok)
		if before != nil {
			src, ok = before[src]
			require.True(t, ok)
		}
		_, twice := got[dstOff+dst]
		require.False(t, twice)
		got[dstOff+dst] = srcOff + first + src
	}
}

// placeByWindow returns the place that the windows of whole periods give for element i of a row. A
// window of a set with masks is for 16 elements, else for 4.
func placeByWindow(r *program.Conversion, i int64, masks bool) int64 {
	at := i % program.Period
	return i/program.Period*r.Advance + int64(r.First.At[at/groupOf(masks)]) + int64(r.First.Pick[at][0])
}

func groupOf(masks bool) int64 {
	if masks {
		return 16
	}
	return 4
}

// The windows of rows of places have each element, and lie inside the row: those of the whole
// periods and those of the periods behind them, the last of which ends with the row.
func TestPlacesLieInsideTheirRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(77, 11))
	found := [2]int{}
	for turn := range 4000 {
		masks := turn%2 == 0
		channels := []int64{1, 2, 3, 4, 6, 8, 12, 16}[rng.IntN(8)]
		pixel, channel := channels+rng.Int64N(4), []int64{1, 1, -1, 2}[rng.IntN(4)]
		if rng.IntN(3) == 0 {
			pixel = -pixel
		}
		loops := []nest.Dim{{Extent: 1 + rng.Int64N(200), Src: pixel, Dst: 4 * channels}, {Extent: channels, Src: channel, Dst: 4}}
		c, ok := stridedOf(loops, 4, masks)
		if !ok {
			continue
		}
		found[turn%2]++
		if c.Count == channels { // a row of channels alone
			loops = loops[1:]
		}
		place := func(i int64) int64 {
			if len(loops) == 1 {
				return i * loops[0].Src
			}
			return i/channels*pixel + i%channels*channel
		}
		low, high := int64(0), int64(0)
		for i := range c.Count {
			low, high = min(low, place(i)), max(high, place(i))
		}
		width, group := int64(16), groupOf(masks)
		if masks {
			width = 64
		}
		check := func(first int64, picks *program.Picks) {
			for k := range int64(program.Period) {
				begin := place(first) + int64(picks.At[k/group])
				require.True(t, begin >= low && begin+width <= high+1, "a window from %d to %d of %d to %d", begin, begin+width, low, high+1)
				require.Equal(t, place(first+k), begin+int64(picks.Pick[k][0]))
			}
		}
		for period := range c.Whole {
			require.Equal(t, place(period*program.Period), period*c.Advance)
			check(period*program.Period, &c.First)
		}
		for i := c.Whole * program.Period; i < c.Count; i += program.Period {
			i = min(i, c.Count-program.Period)
			check(i, &c.Last)
		}
	}
	assert.Greater(t, found[0], 50)
	assert.Greater(t, found[1], 50)
}

// What a part reads and makes in scratch memory fits the memory that the plan asks for, and lies in
// the first-level cache unless parts are long.
func TestScratchOfStages(t *testing.T) {
	rng := rand.New(rand.NewPCG(77, 12))
	for turn := range 60 {
		p := inStagesAtRandom(rng, turn%2 == 0)
		if p.Pitch = 0; turn%2 == 0 {
			p.Pitch = p.Nest.Dims[0].Src
		}
		if !p.InStages() {
			continue
		}
		for i := range p.Nest.Dims[:3] { // large enough for several parts
			p.Nest.Dims[i].Extent *= 3
			p.Nest.Dims[i].Dst *= 9
		}
		for _, c := range p.variants(p.inStages(everyKernel)) {
			if rng.IntN(4) > 0 {
				continue
			}
			var check func(made *Plan)
			check = func(made *Plan) {
				for i := range made.Bands {
					require.LessOrEqual(t, made.Made+made.Bands[i].Memory, made.Memory)
					check(&made.Bands[i])
				}
				for s := range made.Pieces.NumShapes {
					before, after := int64(0), int64(0)
					if x := made.Steps[s].SliceIn; x != nil {
						_, _, _, before = nest.Span(&x.Nest)
						require.LessOrEqual(t, before, made.Made)
						require.LessOrEqual(t, before, scratchOf(c))
					}
					if x := made.Steps[s].SliceOut; x != nil && made.Bands == nil && c.Stages != Slice {
						_, after, _, _ = nest.Span(&x.Nest)
						require.LessOrEqual(t, after, scratchOf(c))
					}
					require.LessOrEqual(t, made.Made+after+program.LineBytes, made.Memory)
					require.LessOrEqual(t, made.Params, int64(program.MaxParams))
				}
			}
			check(p.Plan(c))
		}
	}
}
