package plan

import (
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
)

// priceGo returns what a run of a nest by package portable costs: one of many, or the only one.
func (h *Host) priceGo(n *nest.Nest, once bool) int64 {
	g := &h.Costs.Go
	log, width := log2(n.Width), int64(n.Width)
	class, in, out := n.Class(), n.Inner(), nest.Dim{Extent: 1}
	if n.Rank > 1 {
		out = n.Dims[n.Rank-2]
	}
	elements, bytes := nest.Bytes(n)/width, in.Extent*width
	rows := elements / in.Extent
	blocks := rows / out.Extent
	words, short, pixels := portable.Words(class, width, in.Extent), portable.Short(n, in.Extent, out.Extent), nest.Pixels(n)
	table, moves := listed(n), rows*singly(class, width, in.Extent)
	cost := g.Start
	switch {
	case !once && table.again == 1 && bytes <= nest.Line && (!words && !pixels || short) && table.units <= portable.MaxUnits:
		cost += table.units*g.Unit + table.moves*g.Move
	case short:
		if once {
			cost += table.units * g.Listed
		}
		cost += table.again * (g.Block + table.units*g.Unit + table.moves*g.Move)
	case pixels:
		// Two pixels take as long as one contiguous row.
		cost += blocks*g.Block + ceilDiv(rows, 2)*g.Copied
	case class == nest.Contiguous && bytes > portable.MaxCopied:
		cost += rows * (g.Row + ceilDiv(bytes, moveBytes)*g.Bulk)
	case class == nest.Contiguous:
		cost += blocks*g.Block + movesOf(bytes)*rows*g.Copied
	case portable.Transposed(class, in, out):
		cost += blocks*g.Block + elements*g.Turned[log]
	case words && class == nest.Repeated:
		cost += blocks*g.Block + rows*(g.Row+ceilDiv(bytes, moveBytes)*g.Bulk)
	case words && class == nest.Reversed:
		cost += rows*g.Row + blocks*g.Block + elements*g.Reversed[log]
	case words:
		packed := elements
		if width == 1 && portable.Every(in.Extent, in.Src) {
			packed -= packed / 3 // rows that are loaded by words of the source cost a third less
		}
		cost += rows*g.Row + blocks*g.Block + packed*g.Packed[log]
	case in.Extent > 4 && portable.Along(in.Extent, out.Extent):
		cost += rows*g.Row + blocks*g.Block + moves*g.Element[log]
	default:
		cost += blocks*(g.Block+ceilDiv(out.Extent, portable.Strip)*ceilDiv(in.Extent, 4)*g.Row) + moves*g.Element[log]
	}
	w := h.walk(n.Width, false)
	w.loops(n.Dims[:n.Rank])
	return cost + w.visits()*h.Costs.Line
}

// singly returns how many moves a row of that class takes if it is copied by elements: one for each
// pair of elements if portable.Turns reports true, so that pairs change places, else one for each element.
func singly(class nest.Class, width, extent int64) int64 {
	if portable.Turns(class, width) {
		return ceilDiv(extent, 2)
	}
	return extent
}

// moveBytes is the most bytes that package portable loads and stores at once.
const moveBytes = 16

// movesOf returns how many moves a contiguous row of at most portable.MaxCopied bytes takes. The
// moves may overlap.
func movesOf(bytes int64) int64 {
	switch {
	case bytes <= 2*moveBytes:
		return 2
	case bytes <= 4*moveBytes:
		return 4
	}
	return 8
}

// A listing says how large a table of package portable is for a nest. The table lists as many of
// the inner loops as it has room for.
type listing struct {
	units, moves int64 // of all iterations of the loops that it lists
	again        int64 // how many iterations the other loops have in all; for each, the table is run
}

// listed returns the listing of n. It holds for rows of at most 64 bytes: longer ones have no table.
func listed(n *nest.Nest) listing {
	in := n.Inner()
	columns := min(4, in.Extent)
	for in.Extent%columns != 0 {
		columns--
	}
	l := listing{in.Extent / columns, in.Extent, 1}
	if portable.Pairs(n.Class(), int64(n.Width), in.Extent) {
		l.moves = 1
	} else if n.Class() == nest.Contiguous {
		l.units, l.moves = 1, 2
		switch bytes := in.Extent * int64(n.Width); {
		case bytes > 2*moveBytes:
			l.units, l.moves = 2, 4
		case bytes <= moveBytes && bytes&(bytes-1) == 0:
			l.moves = 1
		}
	}
	i := int(n.Rank) - 2
	for ; i >= 0 && n.Dims[i].Extent*l.units <= portable.MaxUnits; i-- {
		l.units *= n.Dims[i].Extent
		l.moves *= n.Dims[i].Extent
	}
	for ; i >= 0; i-- {
		l.again *= n.Dims[i].Extent
	}
	return l
}
