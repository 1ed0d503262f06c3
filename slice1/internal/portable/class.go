package portable

import (
	"strconv"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

var classNames = [...]string{
	nest.Contiguous: "copy", nest.Reversed: "reverse", nest.Repeated: "fill", nest.Scattered: "scatter", nest.Strided: "stride",
}

// Class returns a name for the class of the nest's innermost loop:
//   - "element" if the nest has no loop,
//   - "scatter" if the destination's stride is not the element's width,
//   - "copy" if the source's stride is that width, "reverse" if it is the negative width,
//   - "fill" if the source's stride is 0,
//   - "stride" and a number, as in "stride2" or "stride-3", if the source's stride is that number
//     of elements,
//   - "stride" if it is no multiple of the width.
func Class(n *nest.Nest) string {
	if n.Rank == 0 {
		return "element"
	}
	class, src, width := n.Class(), n.Inner().Src, int64(n.Width)
	if class == nest.Strided && src%width == 0 {
		return "stride" + strconv.FormatInt(src/width, 10)
	}
	return classNames[class]
}
