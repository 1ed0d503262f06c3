package plan

import (
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// pixels is a row of bytes that are converted where they lie: pixels of channels. For example, R, G
// and B of RGBX pixels are elements 0, 1, 2, 3, 4, 5, 6, ... of a row, at bytes 0, 1, 2, 4, 5, 6,
// 8, ...
//
// A period of such a row is 48 elements in 64 bytes. By windows of 16 bytes for four elements, the
// first window begins with byte 0 and gives bytes 0, 1, 2 and 4. The next one begins with byte 5
// and gives bytes 5, 6, 8 and 9.
type pixels struct {
	pixel, channel nest.Dim
}

// place returns where element i lies, from the first one.
func (r pixels) place(i int64) int64 {
	return i/r.channel.Extent*r.pixel.Src + i%r.channel.Extent*r.channel.Src
}

// rowOf returns the row that the last loops make, and how many loops are left around it. Elements
// of the destination have `size` bytes. ok is false if the loops make no row of bytes, or if scale
// and bias do not repeat with its windows.
func rowOf(loops []nest.Dim, size int64) (r pixels, around int, ok bool) {
	last := len(loops) - 1
	if last < 0 || loops[last].Dst != size {
		return r, 0, false
	}
	r = pixels{loops[last], nest.Dim{Extent: 1}}
	if last > 0 && program.Period%r.pixel.Extent == 0 && loops[last-1].Dst == size*r.pixel.Extent {
		last--
		r = pixels{loops[last], r.pixel}
	}
	return r, last, r.pixel.Param == 0
}

// placesOf returns the conversion of merged loops of bytes where they lie, to elements of `size`
// bytes. If masks is true, a window has 64 bytes and is for 16 elements, else it has 16 bytes and
// is for 4. ok is false if windows do not reach the bytes of a group, if a window's distance from
// its period's first element does not fit 32 bits, or if windows behind the whole periods leave the
// row.
func placesOf(loops []nest.Dim, size int64, masks bool) (c program.Conversion, ok bool) {
	r, around, ok := rowOf(loops, size)
	if !ok || r.pixel.Extent*r.channel.Extent < program.Period {
		return c, false
	}
	c = program.Conversion{Places: 1, Count: r.pixel.Extent * r.channel.Extent, Advance: r.place(program.Period)}
	if r.channel.Param != 0 {
		c.Period = program.Period
	}
	c.Loops = int64(copy(c.Loop[:], loops[:around]))
	group, width := int64(4), int64(16)
	if masks {
		group, width = 16, 64
	}
	// Windows are longer than what is taken out of them. Windows of First extend in the direction
	// of the row, windows of Last in the other one.
	upward, downward := &c.First, &c.Last
	if r.pixel.Src < 0 {
		upward, downward = downward, upward
	}
	var highest, lowest int64 // how far the windows of a period extend upward and downward from its first element
	for g := int64(0); g < program.Period; g += group {
		low, high := r.place(g), r.place(g)
		for i := g; i < g+group; i++ {
			low, high = min(low, r.place(i)), max(high, r.place(i))
		}
		below := high + 1 - width
		if high-low >= width || low != int64(int32(low)) || below != int64(int32(below)) {
			return c, false
		}
		highest, lowest = max(highest, low+width), min(lowest, below)
		r.set(upward, g, group, low)
		r.set(downward, g, group, below)
	}
	begin, end, _, _ := nest.Span(&nest.Nest{Rank: 2, Width: 1, Dims: [nest.MaxRank]nest.Dim{r.pixel, r.channel}})
	inside := func(i int64, w *program.Picks) bool {
		first := i/program.Period*c.Advance + r.place(i%program.Period)
		if w == upward {
			return first+highest <= end
		}
		return first+lowest >= begin
	}
	c.Whole = c.Count / program.Period
	for c.Whole > 0 && !inside((c.Whole-1)*program.Period, &c.First) {
		c.Whole--
		if c.Advance == 0 {
			c.Whole = 0
		}
	}
	behind := c.Whole * program.Period
	return c, behind == c.Count || inside(min(behind, c.Count-program.Period), &c.Last)
}

// set sets the window of the group of elements that begins with element g. The window begins
// `offset` bytes from the period's first element.
func (r pixels) set(w *program.Picks, g, group, offset int64) {
	w.At[g/group] = int32(offset)
	for i := g; i < g+group; i++ {
		w.Pick[i] = [4]uint8{uint8(r.place(i) - offset), program.NoByte, program.NoByte, program.NoByte}
	}
}
