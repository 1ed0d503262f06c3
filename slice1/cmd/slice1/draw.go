package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

// drawCells is the number of cells of a drawn axis; an axis with fewer elements has as many cells
// as elements.
const drawCells = 48

// drawWindow appends a line to b for each axis of the input: cells of about equally many elements,
// how many elements are taken, and which. A cell is '#' if all its elements are taken, '+' if
// some are, '-' if none is but some lie in the window, and '.' if none lies in the window.
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
		// The elements that are taken below hi, minus those that are taken below lo.
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

// bound returns the first element of cell i if an axis has width cells: extent*i/width, rounded
// down. It does not compute extent*i, which might overflow.
func bound(i, extent, width int) int { return extent/width*i + extent%width*i/width }

// takenBelow returns how many of the out elements first, first+step, first+2*step, ... are below
// n; step is above 0.
func takenBelow(n, first, step, out int) int {
	if n <= first {
		return 0
	}
	return min(out, 1+(n-1-first)/step)
}

var numberList = regexp.MustCompile(`\[[\s\d,-]+\]`)

// shortLists returns indented JSON with each list of integers on one line.
func shortLists(text []byte) []byte {
	return numberList.ReplaceAllFunc(text, func(list []byte) []byte {
		return []byte(strings.Replace(strings.Replace(strings.Join(strings.Fields(string(list)), " "), "[ ", "[", 1), " ]", "]", 1))
	})
}
