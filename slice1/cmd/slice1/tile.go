package main

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
)

const (
	// bandBytes is the output sliced at a time: it is still in the second-level
	// cache when it is written.
	bandBytes = 1 << 20
	// tileBytes bounds output and input of a tile.
	tileBytes = 16 << 20
	// allBytes bounds the output, and as much input, of the tiles of all
	// goroutines.
	allBytes = 64 << 20
)

// tiles cuts the output of a descriptor into boxes.
type tiles struct {
	desc  *slice1.Desc
	axes  []slice1.Axis
	steps []int // extents of all but the last ones of an axis
	count int64
}

func cut(d *slice1.Desc, steps []int) tiles {
	t := tiles{desc: d, axes: d.Axes(), steps: steps, count: 1}
	for axis, n := range d.Output.Sizes {
		t.count *= int64((n-1)/steps[axis]) + 1
	}
	return t
}

// cutBands cuts into runs of the output, packed, of at most most bytes or of one
// element.
func cutBands(d *slice1.Desc, most int64) tiles {
	out := d.Output.Sizes
	steps := make([]int, len(out))
	elements := max(int(most/int64(d.Input.DataType.Size())), 1)
	for axis := len(out) - 1; axis >= 0; axis-- {
		steps[axis] = min(out[axis], elements)
		elements /= out[axis]
		elements = max(elements, 1)
	}
	return cut(d, steps)
}

// cutTiles cuts a slice of a file into bands or, where elements that follow each
// other in the output are far apart in the file, into boxes that have runs of
// both. Neither side of one takes more than most bytes.
func cutTiles(d *slice1.Desc, most int64) tiles {
	best := cutBands(d, min(bandBytes, most))
	for best.load() > most && !best.single() {
		best = cutBands(d, best.bytes()/2)
	}
	d0, _ := best.at(0)
	if from, _ := gather(d0, gapBytes); from.runs() == 1 && from.bytes() <= 2*best.bytes() {
		return best
	}
	cost := best.cost() * 0.75 // a band has better use of the caches
	for band := int64(bandBytes); band >= int64(d.Input.DataType.Size()); band /= 2 {
		t := cutBands(d, band)
		t.grow(most)
		if c := t.cost(); c < cost && t.load() <= most {
			best, cost = t, c
		}
	}
	return best
}

// grow makes tiles longer along the axes on which the input's elements are
// nearest, as long as neither side takes more than most bytes.
func (t *tiles) grow(most int64) {
	out := t.desc.Output.Sizes
	order := make([]int, len(out))
	step := make([]float64, len(out))
	for axis, a := range t.axes {
		order[axis] = axis
		step[axis] = math.Abs(float64(a.Step)) * float64(a.Src)
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(step[a], step[b]) })
	for _, axis := range order {
		least, room := t.steps[axis], max(most/t.bytes(), 1)
		t.steps[axis] = int(min(int64(out[axis]), int64(least)*room))
		for t.steps[axis] > least && t.load() > most {
			t.steps[axis] = max(t.steps[axis]/2, least)
		}
	}
	*t = cut(t.desc, t.steps)
}

// bytes returns the output of the largest tile.
func (t *tiles) bytes() int64 {
	d, _ := t.at(0)
	return elementBytes(d)
}

// single: a tile is one element.
func (t *tiles) single() bool { return t.bytes() == int64(t.desc.Input.DataType.Size()) }

// load returns the bytes read for the largest tile, which is the first.
func (t *tiles) load() int64 {
	d, _ := t.at(0)
	from, _ := gather(d, gapBytes)
	return from.bytes()
}

// cost is what it takes to read and write the largest tile, for each byte of it.
func (t *tiles) cost() float64 {
	d, _ := t.at(0)
	from, _ := gather(d, gapBytes)
	to := t.place(d, make([]int, len(t.steps)))
	return float64(from.cost()+to.cost()) / float64(t.bytes())
}

// sparse: the runs of a tile are so far apart that what the system reads ahead of
// one is not of the next.
func (t *tiles) sparse() bool {
	const ahead = 128 << 10
	d, _ := t.at(0)
	from, _ := gather(d, gapBytes)
	return len(from.step) > 0 && from.step[0] >= ahead
}

// bands: every tile is one run of the output, and they follow each other.
func (t *tiles) bands() bool {
	d, _ := t.at(0)
	to := t.place(d, make([]int, len(t.steps)))
	return to.runs() == 1
}

// at returns tile i as a descriptor with a packed output, and where in the whole
// output it begins.
func (t *tiles) at(i int64) (d *slice1.Desc, origin []int) {
	c := *t.desc
	c.Output = slice1.TensorDesc{DataType: c.Output.DataType, Sizes: slices.Clone(c.Output.Sizes)}
	c.WindowOffsets = slices.Clone(c.WindowOffsets)
	c.WindowSizes = slices.Clone(c.WindowSizes)
	origin = make([]int, len(t.steps))
	for axis, a := range slices.Backward(t.axes) {
		n := t.desc.Output.Sizes[axis]
		tiles := int64((n-1)/t.steps[axis]) + 1
		origin[axis] = int(i%tiles) * t.steps[axis]
		i /= tiles
		narrow(&c, axis, a, origin[axis], min(t.steps[axis], n-origin[axis]))
	}
	return &c, origin
}

// place returns where the output of tile d, which begins at origin, lies in the
// whole output, packed.
func (t *tiles) place(d *slice1.Desc, origin []int) grid {
	size := int64(d.Output.DataType.Size())
	g := grid{run: size}
	step, part := size, false
	for axis := len(t.steps) - 1; axis >= 0; axis-- {
		n := d.Output.Sizes[axis]
		g.first += int64(origin[axis]) * step
		switch {
		case !part:
			g.run *= int64(n)
		case n > 1:
			g.count, g.step = append(g.count, n), append(g.step, step)
		}
		whole := t.desc.Output.Sizes[axis]
		part = part || n < whole
		step *= int64(whole)
	}
	return g
}

// narrow makes d take only n outputs along an axis, those from lo on of a.
func narrow(d *slice1.Desc, axis int, a slice1.Axis, lo, n int) {
	offset, size, _ := a.Window(int64(lo), int64(n))
	d.WindowOffsets[axis], d.WindowSizes[axis], d.Output.Sizes[axis] = int(offset), int(size), n
}

// elementBytes returns the bytes of d's output elements.
func elementBytes(d *slice1.Desc) int64 {
	n := int64(d.Output.DataType.Size())
	for _, extent := range d.Output.Sizes {
		n *= int64(extent)
	}
	return n
}

// taken returns d through the smallest windows that have its output.
func taken(d *slice1.Desc) *slice1.Desc {
	t := cut(d, d.Output.Sizes)
	d, _ = t.at(0)
	return d
}

// reach returns the bytes of input from the first to the last element of d's
// window.
func reach(d *slice1.Desc) int64 {
	elements := int64(1)
	for i, a := range d.Axes() {
		elements += int64(d.WindowSizes[i]-1) * a.Src
	}
	return elements * int64(d.Input.DataType.Size())
}
