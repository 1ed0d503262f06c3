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
	words, short, table := portable.Words(class, width, in.Extent), portable.Short(n, in.Extent, out.Extent), listed(n)
	w := h.walk(n.Width, false)
	w.loops(n.Dims[:n.Rank])
	cost := g.Start + w.visits()*h.Costs.Line
	switch tabled := table.units*g.Unit + table.moves*g.Move; {
	case !once && table.again == 1 && bytes <= nest.Line && (!words || short) && table.units <= portable.MaxUnits:
		return cost + tabled
	case short && once:
		return cost + table.units*g.Listed + table.again*(g.Block+tabled)
	case short:
		return cost + table.again*(g.Block+tabled)
	case class == nest.Contiguous && bytes > portable.MaxCopied:
		return cost + rows*(g.Row+ceilDiv(bytes, moveBytes)*g.Bulk)
	}
	cost += blocks * g.Block
	switch {
	case class == nest.Contiguous:
		return cost + rows*ceilDiv(bytes, moveBytes)*g.Copied
	case portable.Transposed(class, in, out):
		return cost + elements*g.Turned[log]
	case words && class == nest.Repeated:
		return cost + rows*(g.Row+ceilDiv(bytes, moveBytes)*g.Bulk)
	case words && class == nest.Reversed:
		return cost + rows*g.Row + elements*g.Reversed[log]
	case words:
		return cost + rows*g.Row + elements*g.Packed[log]
	case in.Extent > 4 && portable.Along(in.Extent, out.Extent):
		return cost + rows*g.Row + elements*g.Element[log]
	}
	return cost + blocks*ceilDiv(out.Extent, portable.Strip)*ceilDiv(in.Extent, 4)*g.Row + elements*g.Element[log]
}

// moveBytes is the most bytes that package portable loads and stores at once.
const moveBytes = 16

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
	if n.Class() == nest.Contiguous {
		l.units = 1
		l.moves = ceilDiv(in.Extent*int64(n.Width), moveBytes)
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
