package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"github.com/seed2e45c115/dml/slice1"
)

// Bytes of a random slice: of its output's elements, and at most of the memory of
// its tensors, gaps included.
const (
	leastOutput = 256
	mostOutput  = 4 << 20
	mostDst     = 16 << 20
	mostSrc     = 32 << 20
)

// randomSlices returns the slices of a seed, which are always the same.
func randomSlices(seed uint64, n int) []*slice1.Desc {
	rng := rand.New(rand.NewPCG(seed, 0))
	var found []*slice1.Desc
	for len(found) < n {
		if d := randomSlice(rng); inBounds(d) {
			found = append(found, d)
		}
	}
	return found
}

func inBounds(d *slice1.Desc) bool {
	src, err := d.Input.MinSize()
	if err != nil || src > mostSrc {
		return false
	}
	dst, err := d.Output.MinSize()
	if err != nil || dst > mostDst {
		return false
	}
	bytes := elementsOf(d) * d.Input.DataType.Size()
	return leastOutput <= bytes && bytes <= mostOutput
}

// randomSlice returns a slice of rank 1 to 6. Half have their input's strides
// permuted, a third gaps in their output, three quarters window strides.
func randomSlice(rng *rand.Rand) *slice1.Desc {
	width := 1 << rng.IntN(4)
	bytes := leastOutput * math.Pow(mostOutput/leastOutput, rng.Float64())
	out := randomExtents(rng, int(bytes)/width, 1+rng.IntN(6))
	w := slice1.Window{Out: out}
	shape := make([]int, len(out))
	plain := rng.IntN(4) == 0
	for i, n := range out {
		stride := 1
		if !plain && rng.IntN(2) == 0 {
			stride = []int{-1, -1, 2, 2, -2, 3, -3, 4, 8}[rng.IntN(9)]
		}
		every := max(stride, -stride)
		size := (n-1)*every + 1 + rng.IntN(every)
		if rng.IntN(8) == 0 { // the window yields more than is taken
			size += every * rng.IntN(4)
		}
		before, after := 0, 0
		if rng.IntN(3) == 0 {
			before, after = rng.IntN(n/4+3), rng.IntN(n/4+3)
		}
		w.Offsets = append(w.Offsets, before)
		w.Sizes = append(w.Sizes, size)
		w.Strides = append(w.Strides, stride)
		shape[i] = before + size + after
	}
	d := slice1.NewDesc(types[width], shape, w)
	if rng.IntN(2) == 0 {
		d.Input.Strides = spaced(rng, shape, rng.Perm(len(shape)), 8, 1)
	}
	if rng.IntN(3) == 0 {
		inner := 1
		if rng.IntN(6) == 0 {
			inner = 2
		}
		d.Output.Strides = spaced(rng, out, nil, 2, inner)
	}
	return d
}

// randomExtents returns the extents of `rank` axes, which have at most n elements in all,
// and nearly n. About half of the extents are short. The planner's command calibrate draws
// extents and strides alike, but Go lets no module outside of slice1 import what is internal
// to it.
func randomExtents(rng *rand.Rand, n, rank int) []int {
	var extents []int
	for range rank - 1 {
		extent := int(math.Pow(float64(n), rng.Float64()))
		if rng.IntN(2) == 0 {
			extent = 2 + rng.IntN(7)
		}
		extent = max(1, min(extent, n))
		extents = append(extents, extent)
		n /= extent
	}
	extents = append(extents, n)
	rng.Shuffle(rank, func(i, j int) { extents[i], extents[j] = extents[j], extents[i] })
	return extents
}

// spaced returns strides that lay the axes out in memory in the given order, innermost
// first; a nil order is row-major. The innermost stride is `inner`. One axis in oneIn has a
// gap behind it, on average.
func spaced(rng *rand.Rand, extents, order []int, oneIn, inner int) []int {
	strides := make([]int, len(extents))
	next := inner
	for k := range extents {
		i := len(extents) - 1 - k
		if order != nil {
			i = order[k]
		}
		strides[i] = next
		next *= extents[i]
		if rng.IntN(oneIn) == 0 {
			next += strides[i] * (1 + rng.IntN(16))
		}
	}
	return strides
}

// writeDrive writes a slice as a line that the driver of other libraries reads:
// its name, a letter for its size, bytes of an element, rank, and of each axis
// the input's extent and stride, first index and step, the output's extent and
// stride, each for all axes.
func writeDrive(w io.Writer, name string, d *slice1.Desc) error {
	letter := "M"
	if elementsOf(d)*d.Input.DataType.Size() <= 32<<10 {
		letter = "S"
	}
	line := fmt.Sprint(name, " ", letter, " ", d.Input.DataType.Size(), " ", len(d.Input.Sizes))
	starts := make([]int, len(d.Input.Sizes))
	for i := range starts {
		starts[i] = firstOf(d, i)
	}
	for _, values := range [][]int{d.Input.Sizes, strides(d.Input), starts, d.WindowStrides, d.Output.Sizes, strides(d.Output)} {
		for _, v := range values {
			line += fmt.Sprint(" ", v)
		}
	}
	_, err := fmt.Fprintln(w, line)
	return err
}
