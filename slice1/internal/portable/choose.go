package portable

import (
	"math/bits"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// method is how a nest is run: by which loop, and what one call of that loop copies.
type method uint8

const (
	listed   method = iota // a table of the inner loops, once for each iteration of the others
	long                   // copyLong: a block, row by row, by the built-in copy
	turned                 // tiles: a block that is a transposed view
	copied                 // copyRows: a block of contiguous rows
	pixels                 // movePixels: a block of pixels
	grouped                // group: a block of rows of at most four elements
	columns                // columns: a block, element by element
	filled                 // fill: a row, in words, like the next two
	reversed               // reverse1, reverse2 or reverse4: a row
	packed                 // pack or every: a row
)

const (
	// maxUnits is the most units that the list of a table has. With 64, the loops around the table
	// cost little, and the list is still set up fast.
	maxUnits = 64
	// fewRows is the most rows of a block of a nest that choose lists. For blocks of more rows, a
	// call of a kernel for each block costs less than a table.
	fewRows = 16
	// fewBlocks is the most blocks of a nest of three loops that choose does not list, however few
	// its rows are. A call of a kernel for each of so few blocks costs less than to make a table.
	fewBlocks = 4
	// maxCopied is the longest contiguous row, in bytes, that copyRows copies itself. Longer rows
	// are left to the runtime.
	maxCopied = 128
	// strip is the most rows that columns takes at a time if it goes down the rows: few enough that
	// the lines of the source that four columns have loaded are still in the cache for the next
	// four.
	strip = 256
)

// choose returns the method to run n by. b is the block of n. If `words` is false, no loop moves
// elements by words.
func (b *block) choose(n *nest.Nest, words bool) method {
	size := b.inner.n * b.width
	switch {
	case n.Rank >= 3 && b.outer.n <= fewRows && size <= program.LineBytes && (n.Rank > 3 || n.Dims[0].Extent > fewBlocks):
		if words && b.rectangles() {
			return turned
		}
		return listed
	case words && b.isPixels():
		return pixels
	case b.class == nest.Contiguous && size <= maxCopied:
		return copied
	case b.class == nest.Contiguous:
		return long
	case b.transposed():
		return turned
	}
	return b.rows(words)
}

// rows is choose for a block by itself that is not contiguous, not pixels and not a transposed
// view.
func (b *block) rows(words bool) method {
	switch narrow := b.width < 8; {
	case b.inner.n <= 4:
		return grouped
	case !words || b.inner.n < 8:
		return columns
	case b.class == nest.Repeated:
		return filled
	case b.class == nest.Reversed && narrow:
		return reversed
	case b.class == nest.Strided && narrow:
		return packed
	}
	return columns
}

// transposed reports whether the block is a transposed view whose loops have at least 8 iterations
// each. The inner one's class is nest.Strided.
func (b *block) transposed() bool {
	return b.class == nest.Strided && min(b.inner.n, b.outer.n) >= 8 &&
		nest.Crosses(int64(b.inner.src), int64(b.outer.src))
}

// rectangles reports whether a small transposed view is turned rather than listed: tiles turn it by
// rectangles in registers, as tile says, and it has 11 elements or more on each side. On a Zen 5
// that takes .3 to .9 of the time of a table, for example in BenchmarkRun/class=views. Most views
// of 10 by 10 elements and less take longer by it.
func (b *block) rectangles() bool {
	return b.class == nest.Strided && b.width <= 2 && max(b.outer.src, -b.outer.src) == b.width &&
		min(b.inner.n, b.outer.n) >= 11
}

// isPixels reports whether the block copies pixels of three elements, at least six in a row. An
// element has one byte or two. The elements of a pixel lie side by side on both sides. Elements of
// one byte may be in reverse order in the source. In the destination the pixels are packed. In the
// source they do not overlap, and each begins less than a cache line above or below the one before.
func (b *block) isPixels() bool {
	inner, outer := &b.inner, &b.outer
	return inner.n == channels && b.width <= 2 && (b.class == nest.Contiguous || b.class == nest.Reversed && b.width == 1) &&
		outer.n >= 6 && outer.dst == channels*b.width &&
		max(outer.src, -outer.src) >= channels*b.width && !nest.Leaves(int64(outer.src))
}

// alongRows reports whether columns, which copies element by element, goes along each of so many
// rows of so many elements. Otherwise it goes down the rows, at most four columns at a time.
func alongRows(elements, rows int) bool { return elements >= 32 || elements/4 >= rows }

// A listing says what a table lists: as many of the inner loops of a nest as it has room for.
type listing struct {
	columns int   // moves of a unit, 1 to 4
	units   int   // of a row
	outside int   // how many loops are not listed
	total   int64 // units in the list: those of a row, for each position of the loops that are listed
}

// listing returns what the table of n lists. b is the block of n. A contiguous row is one move if
// it is as long as a move, two moves up to twice that length, else two units of two moves. The last
// unit may overlap the one before. If `words` is true, a row of two elements in reverse order is a
// move.
func (b *block) listing(n *nest.Nest, words bool) listing {
	l := listing{columns: min(4, b.inner.n), units: 1}
	switch size := b.inner.n * b.width; {
	case b.class == nest.Contiguous:
		l.columns = 2
		if size == moveOf(size) {
			l.columns = 1
		} else if size > 2*moveBytes {
			l.units = 2
		}
	case words && b.pairs():
		l.columns = 1
	default:
		for b.inner.n%l.columns != 0 {
			l.columns--
		}
		l.units = b.inner.n / l.columns
	}
	l.fill(n)
	return l
}

// fill sets how many loops of n are not listed, and how many units the others have if a row has
// l.units.
func (l *listing) fill(n *nest.Nest) {
	l.total = int64(l.units)
	for l.outside = max(0, int(n.Rank)-1); l.outside > 0; l.outside-- {
		extent := n.Dims[l.outside-1].Extent
		if extent > maxUnits || extent*l.total > maxUnits {
			break
		}
		l.total *= extent
	}
}

// moveBytes is the most bytes that a table, or copyRows, loads and stores at once.
const moveBytes = 16

// moveOf returns the bytes of the moves of a contiguous row of `size` bytes in a table: a power of
// two.
func moveOf(size int) int { return min(moveBytes, 1<<(bits.Len(uint(size))-1)) }

// pairs reports whether a row is two elements, in reverse order in the source, that a word holds.
func (b *block) pairs() bool { return b.inner.n == 2 && b.class == nest.Reversed && b.width < 8 }

// tabled reports whether NewTable makes a table of that listing. b is the block of the nest, and m
// the method by which Slice runs it. Loops in words, pixels and long rows need no table. A table of
// only some of the loops is worth it only if each run would make one without it.
func (b *block) tabled(m method, l listing, words bool) bool {
	return b.inner.n*b.width <= program.LineBytes && (m == listed || m != pixels && b.rows(words) < filled && l.outside == 0)
}

// Steps are how often each step comes in a run of a nest. A move is a load and a store of at most
// 16 bytes.
type Steps struct {
	Blocks int64 // a block: all iterations of the two innermost loops
	// Rows are rows that are not contiguous, or have more than 128 bytes. In blocks that are copied
	// down the columns, each is four columns of up to 256 rows.
	Rows     int64
	Copied   int64 // a move of a contiguous row of at most 128 bytes
	Bulk     int64 // 16 bytes of a longer contiguous row, or of one that repeats an element
	Reversed int64 // an element of a reversed row that is stored in words
	Packed   int64 // an element of a strided row that is stored in words
	Elements int64 // an element of another row
	Turned   int64 // an element of a transposed view
	Listed   int64 // putting a unit into a table for one run
	Units    int64 // a unit of a table, each time that it is copied
	Moves    int64 // a move of a unit, each time that the unit is copied
}

// Count returns the steps of a run of n. If single is true, it is the only run, else one of many,
// and [NewTable] has been asked for a table. Count counts loops in words also for builds that have
// none, so that costs are the same everywhere. The costs were fitted to coarser counts, which stay:
// pixels are rows like others; in a table, a contiguous row is one unit, of as many moves as it has
// 16 bytes; and two elements in reverse order are two moves.
func Count(n *nest.Nest, single bool) (s Steps) {
	var b block
	b.set(n)
	m, rows, innerN, outerN := b.choose(n, true), int64(1), int64(b.inner.n), int64(b.outer.n)
	if m == pixels && b.class == nest.Contiguous {
		m = copied
	} else if m == pixels {
		m = grouped
	}
	for _, d := range n.Dims[:max(0, n.Rank-1)] {
		rows *= d.Extent
	}
	moves, l := (innerN*int64(b.width)+moveBytes-1)/moveBytes, b.listing(n, false)
	if b.class == nest.Contiguous {
		l.units = 1
		l.fill(n)
	}
	if tabled := !single && b.tabled(m, l, true); tabled || m == listed {
		repeats := int64(1)
		for _, d := range n.Dims[:l.outside] {
			repeats *= d.Extent
		}
		if !tabled || l.outside > 0 {
			s.Blocks = repeats
		}
		if single {
			s.Listed = l.total
		}
		if s.Units, s.Moves = repeats*l.total, rows*moves; b.class != nest.Contiguous {
			s.Moves = rows * innerN
		}
		return s
	}
	if m != long {
		s.Blocks = rows / outerN
	}
	switch m {
	case long, filled:
		s.Rows, s.Bulk = rows, rows*moves
	case turned:
		s.Turned = rows * innerN
	case copied:
		s.Copied = rows * moves
	case reversed:
		s.Rows, s.Reversed = rows, rows*innerN
	case packed:
		s.Rows, s.Packed = rows, rows*innerN
	default:
		s.Rows, s.Elements = s.Blocks*((outerN+strip-1)/strip)*((innerN+3)/4), rows*innerN
		if m == columns && alongRows(b.inner.n, b.outer.n) {
			s.Rows = rows
		}
	}
	return s
}
