package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

// drawCells is the width of an axis as drawn.
const drawCells = 48

// drawWindow draws each axis: '.' outside the window, '-' inside, '#' taken,
// '+' a cell of several elements of which some are taken.
func drawWindow(b *strings.Builder, d *slice1.Desc) {
	cells := make([]string, len(d.Input.Sizes))
	width := 0
	for i := range cells {
		cells[i] = drawAxis(d.Input.Sizes[i], d.WindowOffsets[i], d.WindowSizes[i], d.WindowStrides[i], d.Output.Sizes[i])
		width = max(width, len(cells[i])+2)
	}
	for i, extent := range d.Input.Sizes {
		out, step := d.Output.Sizes[i], d.WindowStrides[i]
		first := d.WindowOffsets[i]
		if step < 0 {
			first += d.WindowSizes[i] - 1
		}
		how := fmt.Sprintf("element %d", first)
		if out > 1 {
			how = fmt.Sprintf("%d to %d by %d", first, first+(out-1)*step, step)
		}
		fmt.Fprintf(b, "axis %d  %-*s  %d of %d: %s\n", i, width, "|"+cells[i]+"|", out, extent, how)
	}
}

func drawAxis(extent, offset, size, stride, out int) string {
	first, step := offset, int(min(magnitude(stride), uint(extent)))
	if stride < 0 {
		first += size - 1
	}
	if stride < 0 && out > 1 {
		first -= (out - 1) * step
	}
	width := min(extent, drawCells)
	cells := make([]byte, width)
	for i := range cells {
		lo, hi := bound(i, extent, width), bound(i+1, extent, width)
		// Elements taken below hi, less those below lo.
		taken := takenBelow(hi, first, step, out) - takenBelow(lo, first, step, out)
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

// bound returns extent*i/width without its product.
func bound(i, extent, width int) int { return extent/width*i + extent%width*i/width }

// takenBelow counts the out elements from first on, step apart, that lie below n.
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
