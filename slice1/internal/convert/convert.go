// Package convert plans slices whose elements become numbers of another type, in one pass. For
// example, the channels of RGBA pixels become the planes of a tensor, three of float16:
//
//	source        R G B A R G B A R G B A ...      bytes
//	memory        R R R ... G G G ... B B B ...    sliced by a program of package plan
//	destination   R R R ...                        float16, three rows far apart
//	              G G G ...
//	              B B B ...
//
// A conversion is cut into parts that stay in the first-level cache. A part has up to three stages:
// a slice into scratch memory, the numbers, and a slice out of scratch memory. Which slices there
// are is one of the choices that a [plan.Candidate] names.
//
// The package also has the plain Go loops that make numbers.
package convert

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// scratchBytes returns how many bytes of scratch memory the elements of a part take at most, on one
// side of its numbers: the largest power of two in half the first-level cache. A long part takes
// `longer` times as many, and so do elements that become numbers where they lie.
func scratchBytes() int64 { return 1 << (bits.Len64(uint64(plan.ThisHost().L1()/2)) - 1) }

const longer = 4

// What the steps of a conversion take, in picoseconds. Rows of bytes, of int16 and of float32 that
// lie in the second-level cache of a Zen 5 give them: there, rows from 768 bytes on, and rows of
// windows from 2048 elements on, take less time where they lie than sliced.
const (
	costOfElement = 250               // making a number in C, with its share of loading and storing
	costInGo      = 1800              // making a number in plain Go
	costInVectors = 400               // making a number in Go's vectors
	costOfValues  = 50                // a number of a row that has a scale and a bias of its own
	costOfByte    = 50                // slicing a byte into or out of scratch memory
	costOfRow     = 768 * costOfByte  // a row
	costOfWindows = 2048 * costOfByte // a row of windows, whose tables are loaded anew
	costOfPart    = 20_000            // a part
	mostDear      = 2                 // a way that is tried costs at most so many times as much as the first
)

// MaxListed is the most ways that List returns.
const MaxListed = 6

// Numbers says what a conversion makes of the elements of a nest. The zero Numbers is none:
// elements are opaque.
type Numbers struct {
	Src, Dst program.ElementType // of the source's elements and of the destination's
	Swap     bool                // whether the source has the other byte order than the machine
	Exact    bool                // whether integers become integers without being rounded to float32
}

// Work is what the planner has to know of a conversion, or of a slice whose source is made row by
// row.
type Work struct {
	Nest    nest.Nest // in normal form; of a conversion, with its loops ordered and merged
	Numbers Numbers   // none for a slice
	Half    bool      // whether C may convert float16

	// Made is for a source that is made row by row while it is read. It is the bytes from row to
	// row, and Nest.SrcOff is how far into its row the first element is. The loop of the nest that
	// moves the source by Made bytes goes over the rows. Without such a loop there is one row. All
	// other loops stay inside a row, and Made must be larger than the bytes that they span. The
	// nest of a slice need not be in normal form then. Made is 0 if the source is memory.
	Made int64
	// InPlace is whether a slice's rows are made in the destination. The loops must then move the
	// source and the destination alike, and a row that is made must consist of the slice's
	// elements.
	InPlace bool
	// Band is how many rows should be made at once, as far as there are enough of them for all
	// goroutines. It is 0 if it takes no longer to make them one by one.
	Band int64
	plan.Rules
}

// Strongest returns the last of the kernels that this build has in C, which is the strongest. If it
// has none of them in C, Strongest returns the first that is not plain Go, or else plain Go.
func Strongest(kernels plan.Kernels) plan.Kernel {
	best := plan.Go
	for k := range program.Sets {
		if k := plan.Kernel(k); kernels.Contains(k) && (best < 0 || program.InC(int32(k))) {
			best = k
		}
	}
	return best
}

// slices reports whether elements stay as they are.
func (w *Work) slices() bool { return w.Numbers.Dst == program.Opaque }

// inC reports whether kernel k makes the numbers in C.
func (w *Work) inC(k plan.Kernel) bool {
	return k >= 0 && program.InC(int32(k)) && w.Numbers.Src.InC() && w.Numbers.Dst.InC() && !w.Numbers.Exact &&
		(w.Half || w.Numbers.Src != program.Float16 && w.Numbers.Dst != program.Float16)
}

// slicing returns the kernels whose loops slice for kernel k: those in C among w's kernels that are
// not stronger, or else k alone.
func (w *Work) slicing(k plan.Kernel) plan.Kernels {
	ks := plan.OneKernel(k)
	for weaker := range k {
		if w.Kernels.Contains(weaker) && program.InC(int32(weaker)) && program.InC(int32(k)) {
			ks |= plan.OneKernel(weaker)
		}
	}
	return ks
}

// List returns the ways to run w that are worth comparing, at most MaxListed. The first is the
// cheapest by estimate, with ordinary stores if they are allowed. Then come, as far as there is
// room, the cheapest way with non-temporal stores and the next ways that are not much dearer. Then
// comes the way whose slices are of the kind that is second by estimate: the cheapest way in longer
// bands if that is listed and has such a kind, or else the cheapest way itself. Last come longer
// bands of rows that are made, by each sort of stores. There is only one way if the first costs
// less than w.AloneBelow.
func (w *Work) List() (ways []plan.Candidate) {
	all := w.search(plan.OneKernel(Strongest(w.Kernels)))
	add := func(suits func(c plan.Candidate) bool) {
		if i := slices.IndexFunc(all, suits); i >= 0 {
			ways = append(ways, all[i])
			all = slices.Delete(all, i, i+1)
		}
	}
	add(func(c plan.Candidate) bool { return !c.NonTemporal || !w.Stores.Cached })
	first := ways[0]
	if first.Cost < w.AloneBelow {
		return ways
	}
	longer := func(c plan.Candidate) bool { return w.Made > 0 && c.Parts == plan.LongBands }
	add(func(c plan.Candidate) bool { return c.NonTemporal })
	for range MaxListed - 2 - len(ways) {
		add(func(c plan.Candidate) bool { return !c.NonTemporal && !longer(c) && c.Cost/mostDear <= first.Cost })
	}
	alike := func(c plan.Candidate) bool { return c.Kind == first.Kind && c.Parts == plan.LongBands }
	i := max(0, slices.IndexFunc(ways, alike))
	second := w.seconds(ways[i])
	if second == nil && i > 0 {
		second = w.seconds(first)
	}
	ways = append(ways, second...)
	for _, nt := range [...]bool{false, true} {
		add(func(c plan.Candidate) bool { return longer(c) && c.Kind == first.Kind && c.NonTemporal == nt })
	}
	return ways
}

// seconds returns the candidate like c whose slices are of the kind that is second by estimate, or
// nothing if there is no such kind that is not much dearer than the first.
func (w *Work) seconds(c plan.Candidate) []plan.Candidate {
	if c.Second = true; w.Made == 0 && w.Plan(c).Stages[0].second() {
		return []plan.Candidate{c}
	}
	return nil
}

// Candidates returns all ways to run w, the cheapest first.
func (w *Work) Candidates() (all []plan.Candidate) {
	for _, c := range w.search(w.Kernels) {
		all = append(append(all, c), w.seconds(c)...)
	}
	return all
}

// Packed returns the ways to pack the parts of a slice, with each sort of stores that w allows. For
// example, an array of five axes of 15 to 32 becomes another order of axes:
//
//	source        20 KiB in a row, which the part takes whole
//	memory        the same 20 KiB, and those of other parts of the source
//	destination   5 stretches of 4 KiB, of rows that lie 620 bytes apart in memory
//
// A tile of such a view loads from 32 rows at once. Processors do not prefetch these lines from the
// memory of the machine, but they prefetch what lies in a row. So a part is first copied to scratch
// memory in the order of the source, half a second-level cache at a time, and transposed from
// there. On a Zen 4, four of the 57 permutations of testdata/permutations/hptt.txt take .71 to .79
// of the time so, beside a build without packed parts (`bench -against`), and all 57 take .97 by
// geometric mean, after 16 runs of size L.
func (w *Work) Packed() (ways []plan.Candidate) {
	blocks := plan.Blocks(&w.Nest)
	block := Work{Nest: blocks.Shapes[0], Rules: w.Rules}
	c := plan.Candidate{Kernel: Strongest(w.Kernels), Kind: plan.Packed, Cutting: plan.Cutting{Blocks: true}}
	for _, c.NonTemporal = range [...]bool{false, true} {
		if !w.Stores.Allow(c) {
			continue
		}
		if p := block.Plan(c); p.Stages[0].nonTemporal() == c.NonTemporal {
			part := plan.Sum(costOfPart, plan.Sum(p.Stages[0].Before.cost, p.Stages[0].After.cost))
			c.Cost = plan.Times(part, blocks.Count*p.Pieces.Count)
			ways = append(ways, c)
		}
	}
	return ways
}

// search returns the ways to run w by some kernels that its stores allow, the cheapest first. Plain
// Go takes the place of a kernel in C that cannot make the numbers. Of ways that cost the same, the
// one that is cut by the usual rule comes first. If only non-temporal stores are allowed and no way
// has them, it returns ways with ordinary ones.
func (w *Work) search(kernels plan.Kernels) (all []plan.Candidate) {
	band, bands := w, int64(1)
	if w.Made > 0 {
		grid := w.bands(plan.Candidate{})
		band, bands = w.band(grid, 0), grid.Count
	}
	for k := plan.Go; k < plan.Kernel(len(program.Sets)); k++ {
		if !kernels.Contains(k) {
			continue
		}
		by := k
		if k.InC() && !w.inC(k) && !w.slices() {
			by = plan.Go
		}
		for s := plan.Slice; s <= plan.SliceRowsSlice; s++ {
			c := plan.Candidate{Kernel: by, Kind: s}
			cost, ok := band.cost(c)
			if !ok || slices.ContainsFunc(all, func(c plan.Candidate) bool { return c.Kernel == by && c.Kind == s }) {
				continue
			}
			c.Cost = plan.Times(cost, bands)
			cuttings := w.cuttings(c)
			for _, c.Cutting = range cuttings {
				all = append(all, c)
			}
			c.Cutting, c.NonTemporal = plan.Cutting{}, true
			if w.Stores.NonTemporal && band.Plan(c).Stages[0].nonTemporal() {
				for _, c.Cutting = range cuttings {
					all = append(all, c)
				}
			}
		}
	}
	if slices.ContainsFunc(all, w.Stores.Allow) {
		all = slices.DeleteFunc(all, func(c plan.Candidate) bool { return !w.Stores.Allow(c) })
	}
	slices.SortStableFunc(all, func(a, b plan.Candidate) int { return cmp.Compare(a.Cost, b.Cost) })
	return all
}
