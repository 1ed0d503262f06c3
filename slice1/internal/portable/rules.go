package portable

import "github.com/seed2e45c115/dml/slice1/internal/nest"

// By these rules Run and NewTable choose a kernel, and package plan prices nests. Run and NewTable
// apply Words, Every, Turns and Pairs only where wordKernels is true. Package plan applies Words and
// Every everywhere.

const (
	// MaxUnits is the most units that the list of a table has. With 64, the
	// loops around the table cost little, and the list is still set up fast.
	MaxUnits = 64
	// fewRows is the most rows that each block of a Short nest has. For blocks of
	// more rows, a call of a kernel for each block costs less than a table.
	fewRows = 16
	// fewBlocks is the most blocks for which a nest of three loops is not Short: so
	// few calls of a kernel cost less than to make a table.
	fewBlocks = 4
	// MaxCopied is the longest contiguous row, in bytes, that copyRows copies
	// itself. It leaves longer rows to the runtime.
	MaxCopied = 128
	// everyRow is the fewest elements of a row that Every accepts. In shorter rows,
	// the calls that every makes cost more than words of the source save.
	everyRow = 96
	// Strip is the most rows that columns takes at a time, if it goes down the
	// rows: few enough that the lines of the source that four columns have loaded
	// are still in the cache for the next four.
	Strip = 256
)

// Short reports whether n is run by a table of its inner loops, since a call of a kernel for each
// block would cost more. `in` is the extent of the innermost loop, `out` that of the loop around
// it. A Short nest has at least three loops, at most fewRows rows in a block and at most nest.Line
// bytes in a row. If it has three loops, it has more than fewBlocks blocks.
func Short(n *nest.Nest, in, out int64) bool {
	return n.Rank >= 3 && out <= fewRows && in*int64(n.Width) <= nest.Line &&
		(n.Rank > 3 || n.Dims[0].Extent > fewBlocks)
}

// Words reports whether there is a kernel that stores words for rows of `class`, with `extent`
// elements of `width` bytes: reverse1, reverse2, reverse4, fill, pack or every. Rows of fewer than
// 8 elements have none.
func Words(class nest.Class, width, extent int64) bool {
	switch class {
	case nest.Reversed, nest.Strided:
		return width < 8 && extent >= 8
	case nest.Repeated:
		return extent >= 8
	}
	return false
}

// Every reports whether function every, which loads words of the source, makes a row of `extent`
// elements of one byte, and not pack, which loads elements. The row's class must be nest.Strided;
// `stride` is the source's, in bytes.
func Every(extent, stride int64) bool {
	return extent >= everyRow && (2 <= stride && stride <= 5 || -4 <= stride && stride <= -2)
}

// Turns reports whether rows that are too short for Words are copied two elements at a time: one
// load takes both, they change places, and one store puts both. If the number of elements is odd,
// the last one is copied alone.
func Turns(class nest.Class, width int64) bool { return class == nest.Reversed && width < 8 }

// Pairs reports whether a table copies each row by a single move of its two elements, which change
// places.
func Pairs(class nest.Class, width, extent int64) bool { return extent == 2 && Turns(class, width) }

// Transposed reports whether the block of two loops is a transposed view: each step of `in`, the
// inner loop, leaves a line of the source, and a step of `out`, the outer one, is shorter than a
// line. A transposed view has at least 8 iterations of both loops, and `class`, which is that of
// the inner one, is nest.Strided.
func Transposed(class nest.Class, in, out nest.Dim) bool {
	return class == nest.Strided && min(in.Extent, out.Extent) >= 8 &&
		nest.Leaves(in.Src) && !nest.Leaves(out.Src)
}

// Along reports whether columns, which copies element by element, goes along each row of `in`
// elements. Otherwise it goes down the `out` rows, at most four columns at a time.
func Along(in, out int64) bool { return in >= 32 || in/4 >= out }
