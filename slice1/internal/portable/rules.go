package portable

import "github.com/seed2e45c115/dml/slice1/internal/nest"

// By these rules Run and NewTable take one kernel or another, and package plan prices nests. The
// rules hold for processors that have kernels of words.

const (
	// MaxUnits is the size of a table: enough to forget the cost of the loops
	// around it, and little to set up.
	MaxUnits = 64
	// fewRows is the most rows of a block for which calling a kernel per block
	// costs more than a table.
	fewRows = 16
	// fewBlocks is how many calls of a kernel cost less than to make a table.
	fewBlocks = 4
	// MaxCopied is the longest contiguous row, in bytes, that the runtime does not
	// copy.
	MaxCopied = 128
	// everyRow is the shortest row, in elements, for which a call more costs less
	// than words of the source save.
	everyRow = 96
	// Strip is how many rows columns takes at a time: few enough to find the lines
	// of the first four columns still in the cache for the next four.
	Strip = 256
)

// Short reports whether n, whose two innermost loops have `in` and `out` iterations, consists of
// several loops that are too short to be run block by block.
func Short(n *nest.Nest, in, out int64) bool {
	return n.Rank >= 3 && out <= fewRows && in*int64(n.Width) <= nest.Line &&
		(n.Rank > 3 || n.Dims[0].Extent > fewBlocks)
}

// Words reports whether kernels make whole words of a row of a class.
func Words(class nest.Class, width, extent int64) bool {
	switch class {
	case nest.Reversed, nest.Strided:
		return width < 8 && extent >= 8
	case nest.Repeated:
		return extent >= 8
	}
	return false
}

// Every reports whether a row of bytes, which must be Strided, is loaded by words of the source.
func Every(extent, stride int64) bool {
	return extent >= everyRow && (2 <= stride && stride <= 5 || -4 <= stride && stride <= -2)
}

// Turns reports whether rows too short for Words are copied in pairs of elements, which change
// places on the way.
func Turns(class nest.Class, width int64) bool { return class == nest.Reversed && width < 8 }

// Pairs reports whether a table has one move for a row, of two elements that change places.
func Pairs(class nest.Class, width, extent int64) bool { return extent == 2 && Turns(class, width) }

// Transposed reports whether the outer of two loops follows the lines of the source, and the
// inner one, which is of a class, does not.
func Transposed(class nest.Class, in, out nest.Dim) bool {
	return class == nest.Strided && min(in.Extent, out.Extent) >= 8 &&
		nest.Leaves(in.Src) && !nest.Leaves(out.Src)
}

// Along reports whether the kernel that copies element by element goes along each row of
// `in` elements. Otherwise it goes down the `out` rows, four columns at a time.
func Along(in, out int64) bool { return in >= 32 || in/4 >= out }
