package portable

import (
	"strconv"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// Class returns the name of what Run does with the nest's innermost loop:
// "element" where there is no loop, "copy", "reverse", "fill" (source stride 0),
// "stride2", "stride-3" and so on (in elements), "stride" (not a multiple of the
// width), or "scatter" where the destination is not contiguous.
func Class(n *nest.Nest) string {
	if n.Rank == 0 {
		return "element"
	}
	switch n.Class() {
	case nest.Contiguous:
		return "copy"
	case nest.Reversed:
		return "reverse"
	case nest.Repeated:
		return "fill"
	case nest.Scattered:
		return "scatter"
	}
	src, width := n.Inner().Src, int64(n.Width)
	if src%width != 0 {
		return "stride"
	}
	return "stride" + strconv.FormatInt(src/width, 10)
}
