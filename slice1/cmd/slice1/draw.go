package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

// drawCells is the width of an axis as drawn.
const drawCells = 48

// drawWindow draws each axis of the input as a line of cells: '#' if all elements of a cell
// are taken, '+' if some are, '-' if none is but the cell lies in the window, '.' outside
// the window.
func drawWindow(b *strings.Builder, d *slice1.Desc) {
	cells := make([]string, len(d.Input.Sizes))
	width := 0
	axes := d.Axes()
	for i := range cells {
		cells[i] = drawAxis(axes[i], d.WindowOffsets[i], d.WindowSizes[i])
		width = max(width, len(cells[i])+2)
	}
	for i, a := range axes {
		how := fmt.Sprintf("element %d", a.Start)
		if a.Out > 1 {
			how = fmt.Sprintf("%d to %d by %d", a.Start, a.Start+(a.Out-1)*a.Step, a.Step)
		}
		fmt.Fprintf(b, "axis %d  %-*s  %d of %d: %s\n", i, width, "|"+cells[i]+"|", a.Out, a.In, how)
	}
}

func drawAxis(a slice1.Axis, offset, size int) string {
	lowest, _, step := a.Window(0, a.Out)
	extent, first, apart, out := int(a.In), int(lowest), int(max(step, -step)), int(a.Out)
	width := min(extent, drawCells)
	cells := make([]byte, width)
	for i := range cells {
		lo, hi := bound(i, extent, width), bound(i+1, extent, width)
		// The elements taken below hi, less those below lo.
		taken := takenBelow(hi, first, apart, out) - takenBelow(lo, first, apart, out)
		switch {
		case taken == hi-lo:
			cells[i] = '#'
		case taken > 0:
			cells[i] = '+'
		case hi > offset && lo < offset+size:
			cells[i] = '-'
		default:
			cells[i] = '.'
		}
	}
	return string(cells)
}

// bound returns extent*i/width without the product, which might overflow.
func bound(i, extent, width int) int { return extent/width*i + extent%width*i/width }

// takenBelow returns how many of out elements, the first at first and the others step
// apart, lie below n.
func takenBelow(n, first, step, out int) int {
	if n <= first {
		return 0
	}
	return min(out, 1+(n-1-first)/step)
}

var numberList = regexp.MustCompile(`\[[\s\d,-]+\]`)

// shortLists puts lists of numbers in indented JSON on one line each.
func shortLists(text []byte) []byte {
	return numberList.ReplaceAllFunc(text, func(list []byte) []byte {
		return []byte(strings.Replace(strings.Replace(strings.Join(strings.Fields(string(list)), " "), "[ ", "[", 1), " ]", "]", 1))
	})
}
