package plan

import (
	"runtime"
	"slices"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Problem is a nest, what becomes of its elements, and the rules for running it. It is a chain of
// stages, of which most problems have only the first slice:
//
//	source -> [slice] -> [numbers] -> [slice] -> destination
//
// The source is memory, or its rows are made while they are read. Slices that differ only in where
// they begin in their buffers have equal problems.
type Problem struct {
	// Nest is in normal form, or for numbers it has its loops ordered and merged. Its SrcOff is 0
	// unless the source is made.
	Nest nest.Nest
	Cast Cast // none for a slice

	// Pitch is for a source that is made row by row while it is read. It is the bytes from row to
	// row, and Nest.SrcOff is how far into its row the first element is. The loop of the nest that
	// moves the source by Pitch bytes goes over the rows. Without such a loop there is one row. All
	// other loops stay inside a row, and Pitch must be larger than the bytes that they span. It
	// must not be the step times the extent of one of them: every second one of 5 columns takes 3,
	// and with a Pitch of 2*3 all rows would be merged into one. The nest of a slice need not be in
	// normal form then. Pitch is 0 if the source is memory.
	Pitch int64
	// InPlace is whether a slice's rows are made in the destination. The loops must then move the
	// source and the destination alike, and a row that is made must consist of the slice's
	// elements.
	InPlace bool
	// RowsAtOnce is how many rows should be made at once, as far as there are enough of them for
	// all goroutines. It is 0 if it takes no longer to make them one by one.
	RowsAtOnce int64
	// BytesRead is how many bytes are read to make the rows. It decides, like the bytes of the
	// output, how many goroutines may run. It is 0 if it is about as many as the rows have.
	BytesRead int64

	Kernels Kernels // to choose among
	Stores  Stores  // to choose among
	Workers int32   // goroutines that may run it, the caller's included
	Fixed   bool    // whether no runs are timed: the first choice is the only way
}

// Cast says what becomes of the elements of a nest. The zero Cast leaves them opaque.
type Cast struct {
	Src, Dst program.ElementType // of the source's elements and of the destination's
	Swap     bool                // whether the source has the other byte order than the machine
	Rule     program.NumberRule
}

// Opaque reports whether elements stay as they are.
func (n *Cast) Opaque() bool { return n.Dst == program.Opaque }

// Sizes returns the bytes of an element of the source and of the destination.
func (p *Problem) Sizes() (src, dst int64) {
	if p.Cast.Opaque() {
		return int64(p.Nest.Width), int64(p.Nest.Width)
	}
	return p.Cast.Src.Size(), p.Cast.Dst.Size()
}

// Bytes returns the bytes of all elements of the destination.
func (p *Problem) Bytes() int64 {
	_, size := p.Sizes()
	written := nest.Nest{Rank: p.Nest.Rank, Width: int32(size), Dims: p.Nest.Dims} // the bytes of as many elements of the source may overflow
	return nest.Bytes(&written)
}

// InStages reports whether parts of p have stages, for which a run needs scratch memory. Otherwise
// they are slices from memory to memory.
func (p *Problem) InStages() bool { return !p.Cast.Opaque() || p.Pitch > 0 }

// Kernel is what executes a nest: plain Go, or the loops of a list of instruction sets of
// program.Sets, in C or in Go's vectors. For example, kernel avx512 has the loops of AVX-512, and
// AVX2's loops for the kinds for which AVX-512 has none.
type Kernel int32

const (
	Go Kernel = -1 // plain Go: package portable
	// Kernel k >= 0 has the loops of the sets in program.Sets[k].Kernel. Set k is the strongest of
	// them and names the kernel.
)

// String returns the name that slice1.WithKernel takes.
func (k Kernel) String() string {
	if k == Go {
		return "go"
	}
	return program.Sets[k].Name
}

// Lacks returns a feature that kernel k needs and that a host with features f does not have, as
// [cpuid.Features.Has] takes it, or "" if the host has all.
func (k Kernel) Lacks(f cpuid.Features) string {
	if k == Go {
		return ""
	}
	for _, set := range program.Sets[k].Kernel {
		if needs := program.Sets[set].Needs; !f.Has(needs) {
			return needs
		}
	}
	return ""
}

// Built reports whether the build includes kernel k. The host may lack k's instructions.
func (k Kernel) Built() bool {
	if k == Go {
		return true
	}
	for _, set := range program.Sets[k].Kernel {
		if s := &program.Sets[set]; !(program.InVectors && s.InGo && s.Arch == runtime.GOARCH) && !program.InC(set) {
			return false
		}
	}
	return true
}

// CallsC reports whether a run by kernel k is a call into C.
func (k Kernel) CallsC() bool { return k >= 0 && !(program.InVectors && program.Sets[k].InGo) }

// Kernels are some of the kernels, with a bit for each.
type Kernels uint8

// This does not compile if there are more kernels than bits.
const _ = Kernels(1 << len(program.Sets))

// OneKernel returns k alone.
func OneKernel(k Kernel) Kernels { return 1 << (k - Go) }

// Contains reports whether k is one of ks.
func (ks Kernels) Contains(k Kernel) bool { return ks&OneKernel(k) != 0 }

// Stores says which stores are allowed.
type Stores struct {
	Cached, NonTemporal bool // ordinary stores; non-temporal ones
	// Compared is whether non-temporal stores are allowed for ways that runs compare with the first
	// choice. The first choice and the parts are then those of ordinary stores.
	Compared bool
}

// Allow reports whether a candidate has stores that are allowed.
func (s Stores) Allow(c Candidate) bool {
	if c.NonTemporal {
		return s.NonTemporal || s.Compared
	}
	return s.Cached
}

// Kind is what a candidate of one slice does with each row. Of two kinds of a
// kernel that cost the same, List puts the later one first: kindTile before kindTable.
type Kind int8

const (
	kindCopy    Kind = iota // copies rows that are contiguous on both sides
	kindString              // copies such rows by the processor's instruction that copies strings
	kindTable               // does what kindTile does for small views, by the loop that has tables
	kindTile                // reads tiles of a transposed view and turns them in registers
	kindUnits               // makes equal units of a contiguous row; a table says where each is in the source
	kindShuffle             // makes vectors of a contiguous row from at most eight windows of the source
	kindSpread              // makes vectors under masks, with gaps between the elements in the destination
	kindGather              // loads each element of a contiguous row by itself and stores whole vectors
	kindElement             // loads and stores each element by itself
	kindLong                // as kindElement, with the longest loop as row, inside the nest's innermost loop
	kinds                   // how many kinds of programs there are
)

// formsOf has forms of each kind: a set that has one of them has loops for programs of the kind.
var formsOf = [kinds][]program.Form{
	kindCopy:    {program.Copy},
	kindString:  {program.String},
	kindTable:   {program.Table},
	kindTile:    {program.Tile},
	kindUnits:   {program.UnitsLanes, program.UnitsPermute},
	kindShuffle: {program.Lanes, program.Permute},
	kindSpread:  {program.Permute},
	kindGather:  {program.Gather},
	kindElement: {program.Element},
	kindLong:    {program.Element},
}

// setOf has, for each kernel except Go and each kind, the number of the set whose loops run the
// kind's programs. It is the last set of the kernel's list that has such loops, or the kernel's own
// set if none has. For example, kernel avx512 runs AVX2's tiles.
var setOf = func() (sets [len(program.Sets)][kinds]int32) {
	for k := range sets {
		for kind, forms := range formsOf {
			sets[k][kind] = int32(k)
			for _, set := range program.Sets[k].Kernel {
				if slices.ContainsFunc(forms, func(f program.Form) bool { return program.HasLoop(set, f) }) {
					sets[k][kind] = set
				}
			}
		}
	}
	return sets
}()

// shared reports whether kernel k runs the kind by the loops of another kernel that is in ks.
func (k Kernel) shared(kind Kind, ks Kernels) bool {
	set := Kernel(setOf[k][kind])
	return set != k && ks.Contains(set)
}

// Candidate is one way to run a problem, or a part of it: a kernel, its stages or the kind of its
// one slice, unless plain Go runs that, ordinary or non-temporal stores, and a way to cut the nest.
// Kernel and kind together say whose loops run it. Non-temporal stores keep the output out of the
// caches.
type Candidate struct {
	Kernel      Kernel
	Kind        Kind   // of the one slice, if there are no Stages
	Stages      Stages // none for one slice from memory to memory
	NonTemporal bool
	Cutting           // if the nest is cut
	Cost        int64 // picoseconds, by estimate or as package engine measured them
}

// sortsLoops reports whether the loops around the rows of c's programs come in the order of the
// source if the lines of the nest do not fit the first-level cache. Most kinds are faster so for
// nearly all such slices. Rows that are copied by ordinary stores, and tiles, may be faster or
// slower. So for them this order is a way of its own, sourceOrder. kindLong, which chooses its row
// itself, is treated like them.
//
// In the order of the source, copies by non-temporal stores take .58 to .98 of the time on a Zen 5,
// and .35 to 1.10 of it on a Xeon with AMX-BF16. The records of permutations in bench/records show
// it.
func (c Candidate) sortsLoops() bool {
	switch {
	case c.Kernel == Go:
		return false
	case c.Kind == kindCopy && c.NonTemporal:
		return c.Order != destinationOrder
	case c.Kind == kindCopy || c.Kind == kindString || c.Kind == kindTile || c.Kind == kindTable || c.Kind == kindLong:
		return c.Order == sourceOrder
	}
	return true
}
