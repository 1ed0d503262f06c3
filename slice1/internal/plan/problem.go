package plan

import (
	"math"

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
	Nest    nest.Nest
	Numbers Numbers // none for a slice

	// Pitch is for a source that is made row by row while it is read. It is the bytes from row to
	// row, and Nest.SrcOff is how far into its row the first element is. The loop of the nest that
	// moves the source by Pitch bytes goes over the rows. Without such a loop there is one row. All
	// other loops stay inside a row, and Pitch must be larger than the bytes that they span. The
	// nest of a slice need not be in normal form then. Pitch is 0 if the source is memory.
	Pitch int64
	// InPlace is whether a slice's rows are made in the destination. The loops must then move the
	// source and the destination alike, and a row that is made must consist of the slice's
	// elements.
	InPlace bool
	// Band is how many rows should be made at once, as far as there are enough of them for all
	// goroutines. It is 0 if it takes no longer to make them one by one.
	Band int64
	// Taken is how many bytes are read to make the rows. It decides, like the bytes of the output,
	// how many goroutines may run. It is 0 if it is about as many as the rows have.
	Taken int64

	Kernels Kernels // to choose among
	Stores  Stores  // to choose among
	Workers int32   // goroutines that may run it, the caller's included
	// AloneBelow is in picoseconds: a way that costs less by estimate is not compared with others.
	// If it is Never, no way is.
	AloneBelow int64
}

// Never is the AloneBelow of a problem that does not learn.
const Never = math.MaxInt64

// Learns reports whether runs may be timed to find the fastest way.
func (p *Problem) Learns() bool { return p.AloneBelow != Never }

// Numbers says what becomes of the elements of a nest. The zero Numbers leaves them opaque.
type Numbers struct {
	Src, Dst program.ElementType // of the source's elements and of the destination's
	Swap     bool                // whether the source has the other byte order than the machine
	Rule     program.NumberRule
}

// NumbersOf returns what becomes of elements of type src that are stored as type dst. values says
// whether there is a scale or a bias.
func NumbersOf(src, dst program.ElementType, values bool) Numbers {
	n := Numbers{Src: src, Dst: dst}
	switch {
	case values && (isWide(src) || isWide(dst)):
		n.Rule = program.InFloat64
	case values || src.KeepsBits():
	case isLarge(src) && isLarge(dst):
		n.Rule = program.Saturating
	case isWide(src) && !byFloat32(src, dst), dst == program.Uint32, dst == program.Int64, dst == program.Uint64:
		n.Rule = program.Unchanged
	}
	return n
}

// isLarge reports whether t is a type of integers of 32 bits or more.
func isLarge(t program.ElementType) bool {
	return t == program.Int32 || t == program.Uint32 || t == program.Int64 || t == program.Uint64
}

// isWide reports whether float32 does not hold all numbers of type t.
func isWide(t program.ElementType) bool { return isLarge(t) || t == program.Float64 }

// byFloat32 reports whether elements of a wide type become the nearest numbers of type dst even if
// they are rounded to float32 before that. An int32 that float32 does not hold is too large for
// integers of 16 bits, and for float16.
func byFloat32(src, dst program.ElementType) bool {
	switch dst {
	case program.Float32:
		return src == program.Int32 || src == program.Float64 // nothing is rounded twice
	case program.Uint8, program.Int8, program.Uint16, program.Int16, program.Float16, program.Sample:
		return src == program.Int32
	}
	return false
}

// Opaque reports whether elements stay as they are.
func (n *Numbers) Opaque() bool { return n.Dst == program.Opaque }

// Sizes returns the bytes of an element of the source and of the destination.
func (p *Problem) Sizes() (src, dst int64) {
	if p.Numbers.Opaque() {
		return int64(p.Nest.Width), int64(p.Nest.Width)
	}
	return p.Numbers.Src.Size(), p.Numbers.Dst.Size()
}

// Bytes returns the bytes of all elements of the destination.
func (p *Problem) Bytes() int64 {
	_, size := p.Sizes()
	written := nest.Nest{Rank: p.Nest.Rank, Width: int32(size), Dims: p.Nest.Dims} // the bytes of as many elements of the source may overflow
	return nest.Bytes(&written)
}

// Strongest returns the last of the kernels that this build has in C, which is the strongest. If it
// has none of them in C, Strongest returns the first that is not plain Go, or else plain Go.
func (ks Kernels) Strongest() Kernel {
	best := Go
	for k := range Kernel(len(program.Sets)) {
		if ks.Contains(k) && (best < 0 || program.InC(int32(k))) {
			best = k
		}
	}
	return best
}

// notAbove returns the kernels whose loops slice for kernel k: those in C among ks that are not
// stronger, or else k alone.
func (ks Kernels) notAbove(k Kernel) Kernels {
	among := OneKernel(k)
	for weaker := range k {
		if ks.Contains(weaker) && program.InC(int32(weaker)) && program.InC(int32(k)) {
			among |= OneKernel(weaker)
		}
	}
	return among
}

// inC reports whether kernel k makes the numbers in C. Where it does not, Go makes them.
func (n *Numbers) inC(k Kernel) bool {
	return k >= 0 && program.InC(int32(k)) && !n.Opaque() && (n.Rule == program.InFloat32 || n.Rule == program.ByTable || n.Rule <= program.Saturating && n.Dst != program.Sample) &&
		(cpuid.Host().F16C || n.Src != program.Float16 && n.Dst != program.Float16)
}
