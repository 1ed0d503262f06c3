package plan

import (
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// priceGo returns what package portable takes for a nest.
func (h *Host) priceGo(n *nest.Nest, w *Work) int64 {
	g, table := &h.Costs.Go, !w.Once
	log, width := log2(n.Width), int64(n.Width)
	in := n.Inner()
	out := csrc.Dim{Extent: 1}
	if n.Rank > 1 {
		out = csrc.Dim(n.Dims[n.Rank-2])
	}
	elements := nest.Bytes(n) / width
	rows := elements / in.Extent
	blocks := rows / out.Extent
	bytes := in.Extent * width
	class := n.Class()
	var walk walk
	walk.width = width
	cost := g.Start
	tile := class == nest.Strided && min(in.Extent, out.Extent) >= 8 && nest.Leaves(in.Src) && !nest.Leaves(out.Src)
	words := class != nest.Contiguous && class != nest.Scattered && in.Extent >= 8 && (width < 8 || class == nest.Repeated)
	short := n.Rank >= 3 && out.Extent <= 16 && bytes <= nest.Line && (n.Rank > 3 || n.Dims[0].Extent > 4)
	pixels := nest.Pixels(n)
	first := n.Rank - 1
	// The table lists as many of the inner loops as it has room for.
	units, moves := int64(1), in.Extent
	if class == nest.Contiguous {
		moves = 2
		switch {
		case bytes > 32:
			units, moves = 2, 4
		case bytes <= 16 && bytes&(bytes-1) == 0:
			moves = 1
		}
	} else {
		units = ceilDiv(in.Extent, 4)
	}
	inside := max(0, n.Rank-1)
	for ; inside > 0 && n.Dims[inside-1].Extent*units <= 64; inside-- {
		units *= n.Dims[inside-1].Extent
		moves *= n.Dims[inside-1].Extent
	}
	again := int64(1)
	for _, d := range n.Dims[:max(0, inside)] {
		again *= d.Extent
	}
	switch {
	case table && inside == 0 && bytes <= nest.Line && (!words && !pixels || short) && units <= 64:
		cost += g.Table + units*g.Unit + moves*g.Move
	case short:
		cost += g.Units + units*g.List + again*g.Again + again*(units*g.Unit+moves*g.Move)
	case pixels:
		// Two pixels take as long as one contiguous row.
		cost += blocks*g.Block + ceilDiv(rows, 2)*(g.Row+g.Copied)
	case class == nest.Contiguous && bytes > 128:
		cost += rows*(g.Row+g.Long) + ceilDiv(bytes, 16)*rows*g.Bulk
	case class == nest.Contiguous:
		cost += blocks*g.Block + rows*g.Row + ceilDiv(bytes, 16)*rows*g.Copied
	case tile:
		side := nest.Line / width
		cost += blocks*(g.Block+ceilDiv(out.Extent, side)*ceilDiv(in.Extent, side)*g.Tile) + elements*g.Turned[log]
		walk.loop(min(side, in.Extent), in.Src, in.Dst)
		walk.loop(min(side, out.Extent), out.Src, out.Dst)
		walk.loop(ceilDiv(in.Extent, side), in.Src*side, in.Dst*side)
		walk.loop(ceilDiv(out.Extent, side), out.Src*side, out.Dst*side)
		first -= 2
	case words && class == nest.Repeated:
		cost += rows*g.Row + blocks*g.Block + ceilDiv(bytes, 16)*rows*g.Filled
	case words && class == nest.Reversed:
		cost += rows*g.WordRow + blocks*g.Block + elements*g.Reversed[log]
	case words:
		packed := elements
		if width == 1 && in.Extent >= 64 && in.Src >= 2 && in.Src <= 4 {
			packed -= packed / 4 // by words of the source
		}
		cost += rows*g.WordRow + blocks*g.Block + packed*g.Packed[log]
	case in.Extent > 4 && (in.Extent >= 32 || in.Extent/4 >= out.Extent):
		cost += rows*g.ElementRow + blocks*g.Block + elements*g.Element[log]
	default:
		cost += blocks*(g.Block+ceilDiv(out.Extent, 256)*ceilDiv(in.Extent, 4)*g.ElementRow) + elements*g.Element[log]
		group := min(4, in.Extent)
		walk.loop(group, in.Src, in.Dst)
		walk.loop(min(256, out.Extent), out.Src, out.Dst)
		walk.loop(ceilDiv(in.Extent, group), in.Src*group, in.Dst*group)
		walk.loop(ceilDiv(out.Extent, 256), out.Src*256, out.Dst*256)
		first -= 2
	}
	for i := first; i >= 0; i-- {
		walk.loop(n.Dims[i].Extent, n.Dims[i].Src, n.Dims[i].Dst)
	}
	return cost + h.cost(&walk, &g.Lines, w.Lines)
}

// priceVector returns what package vector takes for a nest.
func (h *Host) priceVector(n *nest.Nest, w *Work) int64 {
	v := &h.Costs.Vector
	bytes := n.Inner().Extent * int64(n.Width)
	rows := nest.Bytes(n) / bytes
	walk := walkOf(n)
	return v.Start + rows*v.Row + rows*ceilDiv(bytes, csrc.VectorBytes)*v.Made + h.cost(&walk, &v.Lines, w.Lines)
}
