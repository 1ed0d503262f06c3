package plan

import (
	"slices"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// CastOf returns what becomes of elements of type src that are stored as type dst. values says
// whether there is a scale or a bias.
func CastOf(src, dst program.ElementType, values bool) Cast {
	n := Cast{Src: src, Dst: dst}
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
		return src == program.Int32 || src == program.Float64 // float32 is what they become, so they are rounded once
	case program.Uint8, program.Int8, program.Uint16, program.Int16, program.Float16, program.Sample257:
		return src == program.Int32
	}
	return false
}

// inC reports whether kernel k makes the numbers in C. Where it does not, Go makes them: samples by
// way of float64, and zero points of integers of 64 bits, whose sums a double does not hold.
func (n *Cast) inC(k Kernel) bool {
	wide := n.Rule == program.Quantized && is64(n.Dst) || n.Rule == program.Dequantized && is64(n.Src)
	twice := (n.Rule == program.InFloat64 || n.Rule == program.Unchanged || n.Rule == program.Saturating) && n.Dst == program.Sample257
	return k >= 0 && program.InC(int32(k)) && !n.Opaque() && !wide && !twice &&
		(cpuid.Host().F16C || n.Src != program.Float16 && n.Dst != program.Float16)
}

func is64(t program.ElementType) bool { return t == program.Int64 || t == program.Uint64 }

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
func rowOf(loops []nest.Dim, size int64) (r pixels, outer int, ok bool) {
	inner := len(loops) - 1
	if inner < 0 || loops[inner].Dst != size {
		return r, 0, false
	}
	r = pixels{loops[inner], nest.Dim{Extent: 1}}
	if inner > 0 && program.Period%r.pixel.Extent == 0 && loops[inner-1].Dst == size*r.pixel.Extent {
		inner--
		r = pixels{loops[inner], r.pixel}
	}
	return r, inner, r.pixel.Param == 0
}

// stridedOf returns the conversion of merged loops of bytes where they lie, to elements of `size`
// bytes. If masks is true, a window has 64 bytes and is for 16 elements, else it has 16 bytes and
// is for 4. ok is false if windows do not reach the bytes of a group, if a window's distance from
// its period's first element does not fit 32 bits, or if windows behind the whole periods leave the
// row.
func stridedOf(loops []nest.Dim, size int64, masks bool) (c program.Conversion, ok bool) {
	r, outer, ok := rowOf(loops, size)
	if !ok || r.pixel.Extent*r.channel.Extent < program.Period {
		return c, false
	}
	c = program.Conversion{Places: 1, Count: r.pixel.Extent * r.channel.Extent, Advance: r.place(program.Period)}
	if r.channel.Param != 0 {
		c.Period = program.Period
	}
	c.Loops = int64(copy(c.Loop[:], loops[:outer]))
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
		window := high + 1 - width
		if high-low >= width || low != int64(int32(low)) || window != int64(int32(window)) {
			return c, false
		}
		highest, lowest = max(highest, low+width), min(lowest, window)
		r.set(upward, g, group, low)
		r.set(downward, g, group, window)
	}
	begin, end, _, _ := nest.Span(&nest.Nest{Rank: 2, Width: 1, Dims: [nest.MaxRank]nest.Dim{r.pixel, r.channel}})
	inside := func(i int64, w *program.Picks) bool {
		start := i/program.Period*c.Advance + r.place(i%program.Period)
		if w == upward {
			return start+highest <= end
		}
		return start+lowest >= begin
	}
	c.Whole = c.Count / program.Period
	for c.Whole > 0 && !inside((c.Whole-1)*program.Period, &c.First) {
		c.Whole--
		if c.Advance == 0 {
			c.Whole = 0
		}
	}
	tail := c.Whole * program.Period
	return c, tail == c.Count || inside(min(tail, c.Count-program.Period), &c.Last)
}

// set sets the window of the group of elements that begins with element g. The window begins
// `offset` bytes from the period's first element.
func (r pixels) set(w *program.Picks, g, group, offset int64) {
	w.At[g/group] = int32(offset)
	for i := g; i < g+group; i++ {
		w.Pick[i] = [4]uint8{uint8(r.place(i) - offset), program.NoByte, program.NoByte, program.NoByte}
	}
}

// conversionOf returns how candidate c converts merged loops: by rows without gaps or by windows.
func (p *Problem) conversionOf(loops []nest.Dim, c Candidate) program.Conversion {
	srcSize, dstSize := p.Sizes()
	rows, nt := packedRows(loops, srcSize, dstSize, p.Cast.Rule), false
	if p.Cast.Src == program.Uint8 && p.Cast.Rule == program.InFloat32 && p.Cast.inC(c.Kernel) {
		set := &program.Sets[c.Kernel]
		windows, ok := stridedOf(loops, dstSize, set.Masks)
		streams := ok && c.NonTemporal && p.Cast.Dst == program.Float32 && set.NonTemporal
		longerRows := rows.Count < windows.Count || rows.Period > 0
		// Rows, too, take windows if they can store whole lines by non-temporal stores.
		if ok && c.Stages == Windows && longerRows || c.Stages == Rows && !longerRows && streams && inLines(&windows) {
			rows = windows
		}
		nt = streams && rows.Places != 0
	}
	if nt || p.streamsTables(c, &rows, dstSize) {
		rows.NT = 1
	}
	rows.Src, rows.Dst = p.Cast.Src, p.Cast.Dst
	if p.Cast.Swap {
		rows.Swap = 1
	}
	return rows
}

// streamsTables reports whether candidate c looks rows up in tables and stores them by non-temporal
// stores. Rows so long have whole lines wherever they begin: each table begins some of `tables`
// lines.
func (p *Problem) streamsTables(c Candidate, rows *program.Conversion, dstSize int64) bool {
	if p.Cast.Rule != program.ByTable || !p.Cast.inC(c.Kernel) {
		return false
	}
	tables := max(1, rows.Period)
	return c.NonTemporal && c.Stages&sliceOut == 0 && dstSize == 4 && (tables == 1 || tables == 3) &&
		rows.Count*dstSize >= 2*tables*program.LineBytes && program.Sets[c.Kernel].NonTemporal
}

// packedRows returns a conversion of merged loops. Its rows go as far as neither side has gaps.
func packedRows(loops []nest.Dim, srcSize, dstSize int64, rule program.NumberRule) program.Conversion {
	c := program.Conversion{Count: 1, Rule: rule}
	inner := len(loops) - 1
	if inner >= 0 && loops[inner].Src == srcSize && loops[inner].Dst == dstSize {
		row := loops[inner]
		c.Count = row.Extent
		if row.Param != 0 {
			c.Period = row.Extent
			row.Param = 0
			if inner > 0 && nest.Continues(&loops[inner-1], &row) {
				inner--
				c.Count *= loops[inner].Extent
				if rule != program.ByTable { // whose tables are not repeated
					c.Period = repeated(c.Period)
				}
			}
		}
		inner--
	}
	c.Loops = int64(copy(c.Loop[:], loops[:inner+1]))
	return c
}

// repeated returns how many values of scale and bias to make of n values that repeat: as many as
// there is room for, in whole vectors if there is room for these.
func repeated(n int64) int64 {
	times := program.MaxParams / n
	for _, whole := range [...]int64{64, 16} {
		if times >= whole {
			return n * (times - times%whole)
		}
	}
	return n * max(1, times)
}

// inLines reports whether all rows of c begin at the same place in a line of the destination. Then
// all of them have whole vectors there, or none.
func inLines(c *program.Conversion) bool {
	return !slices.ContainsFunc(c.Loop[:c.Loops], func(d nest.Dim) bool { return d.Dst%program.LineBytes != 0 })
}
