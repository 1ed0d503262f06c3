package translate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

// maxRegions is the most regions that a slice without an operator has. Each region takes a command
// of a list. More commands than this are assumed to cost more than an operator.
const maxRegions = 16

// Region is a row of bytes that lie together in the source and in the output. Direct3D copies it by
// one CopyBufferRegion.
type Region struct{ Dst, Src, Size int64 } // in bytes; Src counts from Geometry.SrcLo

// RegionsOf returns the regions that a valid descriptor copies. All have one size, and some may
// continue others. It returns nil if it finds more than maxRegions.
func RegionsOf(d *slice1.Desc) []Region {
	axes, src := loopsOf(d)
	size := int64(1)
	if n := len(axes); n > 0 && axes[n-1].Src == 1 && axes[n-1].Dst == 1 {
		size, axes = axes[n-1].Out, axes[:n-1]
	}
	width := int64(d.Input.DataType.Size())
	regions := []Region{{0, src * width, size * width}}
	for _, axis := range axes {
		if axis.Out > maxRegions/int64(len(regions)) {
			return nil
		}
		outer := regions
		regions = nil
		for _, r := range outer {
			for range axis.Out {
				regions = append(regions, r)
				r.Dst += axis.Dst * width
				r.Src += axis.Src * width
			}
		}
	}
	return regions
}

// loopsOf returns the axes with an Out of more than 1, by Dst, the largest first, as axes of the
// elements taken alone: each has a Step of 1. It joins neighbours that continue each other evenly
// in both tensors. start is the distance in the input, in elements, from the first element taken in
// memory to the source of the first output element.
func loopsOf(d *slice1.Desc) (loops []slice1.Axis, start int64) {
	for _, axis := range d.Axes() {
		if axis.Out == 1 {
			continue
		}
		axis = slice1.Axis{In: axis.Out, Out: axis.Out, Step: 1, Src: axis.Src * axis.Step, Dst: axis.Dst}
		if axis.Src < 0 {
			start -= axis.Src * (axis.Out - 1)
		}
		loops = append(loops, axis)
	}
	slices.SortFunc(loops, func(x, y slice1.Axis) int { return int(max(-1, min(1, y.Dst-x.Dst))) })
	for i := len(loops) - 2; i >= 0; i-- {
		if joined, ok := merge(loops[i], loops[i+1]); ok {
			loops = slices.Replace(loops, i, i+2, joined)
		}
	}
	return loops, start
}

// WholeOf returns a slice without an operator as one part. Its output has the same gaps as the
// descriptor's.
func WholeOf(d *slice1.Desc) Part {
	g := GeometryOf(d)
	p := Part{SrcSize: g.SrcHi - g.SrcLo, DstSize: g.DstSize}
	for _, axis := range d.Axes() {
		base, _, _ := axis.Window(0, axis.Out)
		p.addEnds(axis, 0, axis.Out, base, int64(d.Input.DataType.Size()))
	}
	if g.Gaps {
		t := slice1.TensorDesc{DataType: d.Output.DataType, Sizes: d.Output.Sizes, Strides: d.Output.Strides}
		p.Scatter = slice1.Whole(t.DataType, t.Sizes...)
		p.Scatter.Input, p.Scatter.Output = t, t
	}
	return p
}

// DescribeRegions formats regions, at least one. start is where in the source the first byte taken
// lies: Geometry.SrcLo.
func DescribeRegions(regions []Region, start int64) string {
	places := make([]string, len(regions))
	for i, r := range regions {
		places[i] = fmt.Sprintf("%d to %d", start+r.Src, r.Dst)
	}
	return fmt.Sprintf("Direct3D copies %d bytes each from %s", regions[0].Size, strings.Join(places, ", "))
}
