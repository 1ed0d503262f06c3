package translate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

// MaxRuns is the most runs of bytes that are copied one by one. Each takes a command of the
// list; more of them would take longer than an operator.
const MaxRuns = 16

// Run is bytes that lie together in the source and in the output.
type Run struct{ Dst, Src, Size int64 } // Src counts from the first byte taken

// RunsOf returns the runs of bytes that a valid descriptor copies, all of one size
// and in the order of the output, or nil if there are more than MaxRuns.
func RunsOf(d *slice1.Desc) []Run {
	axes, src := loopsOf(d)
	size := int64(1)
	if n := len(axes); n > 0 && axes[n-1].Src == 1 && axes[n-1].Dst == 1 {
		size, axes = axes[n-1].Out, axes[:n-1]
	}
	width := int64(d.Input.DataType.Size())
	runs := []Run{{0, src * width, size * width}}
	for _, a := range axes {
		if a.Out > MaxRuns/int64(len(runs)) {
			return nil
		}
		outer := runs
		runs = nil
		for _, r := range outer {
			for range a.Out {
				runs = append(runs, r)
				r.Dst += a.Dst * width
				r.Src += a.Src * width
			}
		}
	}
	return runs
}

// loopsOf returns the axes with more than one element, outermost in the output first, with
// the strides of the elements taken; axes that continue each other evenly are joined. start
// is the first element taken, counted from the start of the window.
func loopsOf(d *slice1.Desc) (loops []slice1.Axis, start int64) {
	for _, a := range d.Axes() {
		if a.Out == 1 {
			continue
		}
		a.Src *= a.Step
		if a.Src < 0 {
			start -= a.Src * (a.Out - 1)
		}
		loops = append(loops, a)
	}
	slices.SortFunc(loops, func(a, b slice1.Axis) int { return int(max(-1, min(1, b.Dst-a.Dst))) })
	for i := len(loops) - 2; i >= 0; i-- {
		outer, inner := loops[i], &loops[i+1]
		if outer.Src == inner.Src*inner.Out && outer.Dst == inner.Dst*inner.Out {
			inner.Out *= outer.Out
			loops = slices.Delete(loops, i, i+1)
		}
	}
	return loops, start
}

// DescribeRuns formats runs of a source whose first byte taken is at from.
func DescribeRuns(runs []Run, from int64) string {
	places := make([]string, len(runs))
	for i, r := range runs {
		places[i] = fmt.Sprintf("%d to %d", from+r.Src, r.Dst)
	}
	return fmt.Sprintf("Direct3D copies %d bytes each from %s", runs[0].Size, strings.Join(places, ", "))
}
