package plan

import (
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// Estimates are of slices in the first-level cache, in nanoseconds at 3 GHz. They order
// candidates; suits and rest choose. Products are converted before they are added, so that
// no processor fuses the two and orders candidates otherwise than others.
const (
	cyclesPerNanosecond = 3.
	callCycles          = 40  // the call into C
	rowCycles           = 5   // a row, whatever its length
	goRowCycles         = 8   // the same in Go
	goElementCycles     = 1.5 // an element in Go
	goVectorCycles      = 1   // 16 bytes copied in Go
)

// estimate returns the nanoseconds that a program takes.
func estimate(p *csrc.Program) float64 {
	rows := 1.
	for _, d := range p.Dims[:p.Outer] {
		rows *= float64(d.Extent)
	}
	return (callCycles + float64(rows*(rowCycles+rowEstimate(p)))) / cyclesPerNanosecond
}

// rowEstimate returns the cycles of one row of a program.
func rowEstimate(p *csrc.Program) float64 {
	set, extent, width := &csrc.Sets[p.Set], float64(p.Row.Extent), float64(p.Width)
	switch p.Kind {
	case csrc.Tiled:
		// A tile has 16 bytes of Piece/width lines: per 16 bytes a load, a store and zips.
		pieces := extent * float64(p.Tiles().Across.Extent) * width / csrc.LaneBytes
		return 3 * pieces
	case csrc.Windowed:
		w := p.Windows()
		main := float64(vectorCost(set, csrc.FormOf(p.Set, p.Loop), int64(w.Main.Windows))) / cycle
		cycles := float64(float64(w.Count) * main)
		for _, t := range w.Tail[:w.Tails] {
			cycles += float64(8 + 3*t.Vector.Windows)
		}
		return cycles
	case csrc.Masked:
		m := p.Masks()
		return float64(m.Count+int64(m.Tails)) * float64(m.Windows)
	case csrc.Placed:
		return 2 * float64(p.Units().Count)
	case csrc.MaskedAt:
		u := p.MaskedUnits()
		return float64(u.Whole+u.Tails) * max(2, float64(u.Windows))
	}
	switch csrc.FormOf(p.Set, p.Loop) {
	case csrc.Gather:
		return extent * float64(gatherCost(1, 1)) / cycle
	case csrc.Element:
		return extent
	}
	return 1 + float64(extent*width/float64(set.Vector))
}

// estimateGo returns the nanoseconds that a nest takes in Go.
func estimateGo(n *nest.Nest) float64 {
	elements := float64(nest.Bytes(n)) / float64(n.Width)
	in := n.Inner()
	rows := elements / float64(in.Extent)
	if n.Class() == nest.Contiguous {
		return rows * (goRowCycles + float64(goVectorCycles*float64(in.Extent*int64(n.Width)))/16) / cyclesPerNanosecond
	}
	return (float64(rows*goRowCycles) + float64(elements*goElementCycles)) / cyclesPerNanosecond
}
