package plan

import (
	"math"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/vector"
)

// Kernel is what executes a nest: Go, Go's vectors, or the loops of a set in C.
type Kernel int32

const (
	Go     Kernel = -2 // package portable
	Vector Kernel = -1 // package vector
	// From 0 on, numbers of csrc.Sets.
)

// Best returns the kernel that is expected to run n fastest, a nest in normal form that
// copies so many bytes and, if once, runs a single time. strongest is the kernel of the
// strongest set that the host can run, or Go if there is none; vectors says that it can
// run those of package vector.
func Best(n *nest.Nest, bytes int64, once, vectors bool, strongest Kernel) Kernel {
	best, from := Go, breakEven(n, once)
	if vectors && bytes >= vectorBytes && vector.Suits(n) {
		best, from = Vector, max(from, vectorBreakEven)
	}
	if bytes < from || strongest == Go {
		return best
	}
	return strongest
}

// Bytes of output from which on package vector is faster than package portable, and
// from which on a kernel in C makes up for the call where package vector has a kernel
// too; measured as those of breakEven.
const (
	vectorBytes     = 256
	vectorBreakEven = 2 << 10
)

// breakEven returns the bytes of output from which on a kernel in C makes up for the
// call into C, about 10 ns, and for its program if that runs once: a shuffle takes
// about a hundred times as long as the call to prepare, anything else ten times. The
// numbers are, about, what
//
//	go test ./slice1 -run - -bench BreakEven -benchtime 1x
//
// prints on Zen 4 and Zen 5.
func breakEven(n *nest.Nest, once bool) int64 {
	if n.Rank == 0 {
		return math.MaxInt64
	}
	w, in, class := int64(n.Width), n.Inner(), n.Class()
	row := in.Extent * w
	from, prepare := 256*w, int64(32)
	switch {
	case class == nest.Scattered:
		prepare = 64
	case class == nest.Contiguous && (n.Rank == 1 || row >= 4<<10):
		from, prepare = 32<<10, 2
	case class == nest.Contiguous && row >= 1<<10:
		from, prepare = 8<<10, 8
	case class == nest.Contiguous && row < 16 && n.Dims[n.Rank-2].Dst == row:
		// Rows that chain: C shuffles several at once.
	case class == nest.Contiguous && row < 32:
		from = 2 << 10
	case class == nest.Contiguous || class == nest.Repeated:
		from, prepare = 2<<10, 8
	case class == nest.Reversed:
		from = 1 << 10
	case nest.Transposed(n) >= 0:
		from, prepare = 1<<10, 2
	case nest.Leaves(in.Src):
		from, prepare = 16<<10, 8
	}
	if once {
		from *= prepare
	}
	return from
}
