package portable

import (
	"strconv"

	"github.com/seed2e45c115/dml/csrc"
)

// class says how the innermost loop moves.
type class uint8

const (
	classCopy    class = iota // both sides contiguous
	classReverse              // contiguous destination, source backwards
	classFill                 // contiguous destination, one source element
	classPack                 // contiguous destination, any other source stride
	classScatter              // any other destination stride
)

func classOf(width, src, dst int) class {
	switch {
	case dst != width:
		return classScatter
	case src == width:
		return classCopy
	case src == -width:
		return classReverse
	case src == 0:
		return classFill
	}
	return classPack
}

// Class names what Run makes of the nest's innermost loop: "element" where
// there is no loop, "copy", "reverse", "fill" (source stride 0), "stride2",
// "stride-3" and so on (in elements), "stride" (not a multiple of the width),
// or "scatter" where the destination is not contiguous.
func Class(n *csrc.Nest) string {
	if n.Rank == 0 {
		return "element"
	}
	var b block
	b.of(n)
	switch b.class {
	case classCopy:
		return "copy"
	case classReverse:
		return "reverse"
	case classFill:
		return "fill"
	case classScatter:
		return "scatter"
	}
	if b.inner.src%b.width != 0 {
		return "stride"
	}
	return "stride" + strconv.Itoa(b.inner.src/b.width)
}
