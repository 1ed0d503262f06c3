package convert

import (
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// row is a row of bytes that are converted where they lie: pixels of channels.
type row struct {
	pixel, channel nest.Dim
}

// place returns where element i lies, from the first one.
func (r row) place(i int64) int64 {
	return i/r.channel.Extent*r.pixel.Src + i%r.channel.Extent*r.channel.Src
}

// rowOf returns the row that the last loops make, and how many loops are left around it. ok is
// false if they make no row of bytes, or if scale and bias do not repeat with its windows.
func rowOf(loops []nest.Dim, to int64) (r row, around int, ok bool) {
	last := len(loops) - 1
	if last < 0 || loops[last].Dst != to {
		return r, 0, false
	}
	r = row{loops[last], nest.Dim{Extent: 1}}
	if last > 0 && program.Period%r.pixel.Extent == 0 && loops[last-1].Dst == to*r.pixel.Extent {
		last--
		r = row{loops[last], r.pixel}
	}
	return r, last, r.pixel.Param == 0
}

// placesOf returns the conversion of merged loops of bytes where they lie, to elements of `to`
// bytes. If masks is true, a window has 64 bytes and is for 16 elements, else it has 16 bytes and
// is for 4. ok is false if windows do not reach the bytes of a group, if a window's distance from
// its period's first element does not fit 32 bits, or if windows behind the whole periods leave the
// row.
func placesOf(loops []nest.Dim, to int64, masks bool) (c program.Conversion, ok bool) {
	r, around, ok := rowOf(loops, to)
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
	var low, high int64 // of the row
	for _, l := range [2]nest.Dim{r.pixel, r.channel} {
		end := (l.Extent - 1) * l.Src
		low, high = low+min(0, end), high+max(0, end)
	}
	// Windows are longer than what is taken out of them. Windows of First extend in the direction
	// of the row, windows of Last in the other one.
	back := r.pixel.Src < 0
	var first, last [2]int64 // what the windows of a period span
	for g := int64(0); g < program.Period; g += group {
		from, to := r.place(g), r.place(g)
		for i := g; i < g+group; i++ {
			from, to = min(from, r.place(i)), max(to, r.place(i))
		}
		if to-from >= width {
			return c, false
		}
		above, below := from+width, to+1-width
		if from != int64(int32(from)) || below != int64(int32(below)) {
			return c, false
		}
		if back {
			first[0], last[1] = min(first[0], below), max(last[1], above)
			r.set(&c.First, g, group, below)
			r.set(&c.Last, g, group, from)
		} else {
			first[1], last[0] = max(first[1], above), min(last[0], below)
			r.set(&c.First, g, group, from)
			r.set(&c.Last, g, group, below)
		}
	}
	inside := func(i int64, span [2]int64) bool {
		at := i/program.Period*c.Advance + r.place(i%program.Period)
		return at+span[0] >= low && at+span[1] <= high+1
	}
	c.Whole = c.Count / program.Period
	for c.Whole > 0 && !inside((c.Whole-1)*program.Period, first) {
		c.Whole--
		if c.Advance == 0 {
			c.Whole = 0
		}
	}
	behind := c.Whole * program.Period
	return c, behind == c.Count || inside(min(behind, c.Count-program.Period), last)
}

// set sets the window of the group that begins with element g to the one that begins at `at`.
func (r row) set(w *program.Picks, g, group, at int64) {
	w.At[g/group] = int32(at)
	for i := g; i < g+group; i++ {
		w.Pick[i] = [4]uint8{uint8(r.place(i) - at), program.NoByte, program.NoByte, program.NoByte}
	}
}
