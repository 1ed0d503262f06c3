package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

// limits bounds a random slice. The output's elements have minBytes to maxBytes. The memory of the
// output has at most dst bytes and the memory of the input at most src bytes, including gaps. If
// mostLoops is not 0, slices have 1, 2, ... mostLoops joined loops in turn.
type limits struct {
	minBytes, maxBytes int
	dst, src           int64
	mostLoops          int
}

var usualSlices = limits{256, 8 << 20, 16 << 20, 32 << 20, 0}

// random is the value of -cases for random slices.
const random = "random"

// randomCells returns the first n random slices of each seed whose output has at most the bytes of
// a named size, and at least three quarters of them.
func randomCells(seeds []uint64, n int, size string) (cells []cell, err error) {
	bytes, err := bytesOf(size)
	if err != nil {
		return nil, err
	}
	for _, seed := range seeds {
		bounds := limits{bytes / 4 * 3, bytes, int64(4 * bytes), min(int64(8*bytes), maxSource), 0}
		for i, d := range randomSlices(seed, n, bounds) {
			cells = append(cells, cell{fmt.Sprintf("%d-%d", seed, i), d.Input.DataType.Size(), size, d})
		}
	}
	return cells, nil
}

// largeSlices bounds slices of size L and a little more. If only the bytes counted, most would be
// copies of one row.
func largeSlices() limits {
	l := sizes["L"]
	return limits{l, l / 2 * 3, int64(3 * l), int64(4 * l), 5}
}

// randomSlices returns the first n slices of a seed. The same seed gives the same slices.
func randomSlices(seed uint64, n int, bounds limits) []*slice1.Desc {
	rng := rand.New(rand.NewPCG(seed, 0))
	var found []*slice1.Desc
	for len(found) < n {
		d := randomSlice(rng, bounds)
		axes, _ := axesOf(d)
		if bounds.admit(d) && (bounds.mostLoops == 0 || len(join(axes)) == 1+len(found)%bounds.mostLoops) {
			found = append(found, d)
		}
	}
	return found
}

func (l limits) admit(d *slice1.Desc) bool {
	src, err := d.Input.MinSize()
	dst, failed := d.Output.MinSize()
	bytes := elementsOf(d) * d.Input.DataType.Size()
	return err == nil && failed == nil && src <= l.src && dst <= l.dst && l.minBytes <= bytes && bytes <= l.maxBytes
}

// randomSlice returns a slice of rank 1 to 6. On average, half of the inputs have strides of their
// own, with axes in a random order and some gaps, and a third of the outputs have strides of their
// own, mostly with gaps. In a quarter of the slices all window strides are 1. In the others half of
// the window strides are.
func randomSlice(rng *rand.Rand, bounds limits) *slice1.Desc {
	width := 1 << rng.IntN(4)
	bytes := float64(bounds.minBytes) * math.Pow(float64(bounds.maxBytes)/float64(bounds.minBytes), rng.Float64())
	extents := randomExtents(rng, int(bytes)/width, 1+rng.IntN(6))
	w := slice1.Window{Out: extents}
	shape := make([]int, len(extents))
	plain := rng.IntN(4) == 0
	for i, n := range extents {
		stride := 1
		if !plain && rng.IntN(2) == 0 {
			stride = []int{-1, -1, 2, 2, -2, 3, -3, 4, 8}[rng.IntN(9)]
		}
		length := max(stride, -stride)
		size := (n-1)*length + 1 + rng.IntN(length)
		if rng.IntN(8) == 0 { // The window may yield more elements than the output has.
			size += length * rng.IntN(4)
		}
		low, high := 0, 0
		if rng.IntN(3) == 0 {
			low, high = rng.IntN(n/4+3), rng.IntN(n/4+3)
		}
		w.Offsets = append(w.Offsets, low)
		w.Sizes = append(w.Sizes, size)
		w.Strides = append(w.Strides, stride)
		shape[i] = low + size + high
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
		d.Output.Strides = spaced(rng, extents, nil, 2, inner)
	}
	return d
}

// randomExtents returns the extents of `rank` axes. They have at most n elements in all, mostly
// nearly n. All axes except one are short with a probability of one half at least. The planner's
// command calibrate draws extents and strides in the same way. But its code is internal to slice1,
// so Go lets no other module import it.
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

// spaced returns strides that lay out the axes in memory in the given order, innermost first. A nil
// order means row-major. The innermost stride is `inner`. On average, one axis in oneIn has a gap
// after its last element. The gap makes the strides of the axes around it larger.
func spaced(rng *rand.Rand, extents, order []int, oneIn, inner int) []int {
	strides := make([]int, len(extents))
	factor := inner
	for k := range extents {
		i := len(extents) - 1 - k
		if order != nil {
			i = order[k]
		}
		strides[i] = factor
		factor *= extents[i]
		if rng.IntN(oneIn) == 0 {
			factor += strides[i] * (1 + rng.IntN(16))
		}
	}
	return strides
}

// writeDrive writes a line for the slice of each row, for a program that measures other libraries.
// The line has a name, a letter, the bytes of an element, the rank, and six lists with one number
// for each axis. The letter is S for at most 32 KiB of output elements, L for more than 32 MiB, and
// else M. The lists are the input's extents and strides, the first indices and steps, and the
// output's extents and strides. Strides count elements.
func writeDrive(w io.Writer, rows []*row) (err error) {
	for _, r := range rows {
		letter := "M"
		switch {
		case r.bytes <= 32<<10:
			letter = "S"
		case r.bytes > 32<<20:
			letter = "L"
		}
		d := r.desc
		var starts []int64
		for _, x := range d.Axes() {
			starts = append(starts, x.Start)
		}
		lists := fmt.Sprint(d.Input.Sizes, d.Input.MemoryStrides(), starts, d.WindowStrides, d.Output.Sizes, d.Output.MemoryStrides())
		_, failed := fmt.Fprintln(w, dashed(r.work), letter, r.width, len(starts), strings.NewReplacer("[", "", "]", "").Replace(lists))
		err = errors.Join(err, failed)
	}
	return err
}
