package main

import "github.com/seed2e45c115/dml/slice1"

// bands cuts the output of a descriptor, which is packed, into runs: ranges of
// step along one axis, within each index of the axes outside it.
type bands struct {
	desc  *slice1.Desc
	axis  int
	step  int
	per   int64 // bands along axis
	count int64 // bands in all
	inner int64 // bytes of output for one index of axis
	most  int64 // bytes of the largest band
	reach int64 // bytes of input from the first to the last element of the first band
}

// cutBands cuts d into bands of at most most bytes, or of one element. A band
// is smaller where the input it reads then spans less, down to reach bytes.
func cutBands(d *slice1.Desc, most, reach int64) bands {
	b := cutOutput(d, most)
	for b.reach > reach {
		half := cutOutput(d, b.most/2)
		if half.reach > b.reach/4*3 {
			break
		}
		b = half
	}
	return b
}

func cutOutput(d *slice1.Desc, most int64) bands {
	out := d.Output.Sizes
	b := bands{desc: d, axis: len(out) - 1, inner: int64(d.Input.DataType.Size())}
	for b.axis > 0 && int64(out[b.axis]) <= most/b.inner {
		b.inner *= int64(out[b.axis])
		b.axis--
	}
	b.step = int(min(max(most/b.inner, 1), int64(out[b.axis])))
	b.most = int64(b.step) * b.inner
	b.per = int64((out[b.axis]-1)/b.step) + 1
	b.count = b.per
	for _, extent := range out[:b.axis] {
		b.count *= int64(extent)
	}
	first, _ := b.at(0)
	b.reach = reach(first)
	return b
}

// reach returns the bytes of input from the first to the last element of d's
// window.
func reach(d *slice1.Desc) int64 {
	memory := d.Input.Strides
	if memory == nil {
		memory = rowMajor(d.Input.Sizes)
	}
	elements := int64(1)
	for i, size := range d.WindowSizes {
		elements += int64(size-1) * int64(memory[i])
	}
	return elements * int64(d.Input.DataType.Size())
}

// at returns band i as a descriptor with a packed output, and where in the
// whole output that begins, in bytes.
func (b *bands) at(i int64) (d *slice1.Desc, offset int64) {
	c := *b.desc
	c.Output.Strides, c.Output.TotalSize, c.Output.BaseAlign = nil, 0, 0
	c.Output.Sizes = append([]int{}, c.Output.Sizes...)
	c.WindowOffsets = append([]int{}, c.WindowOffsets...)
	c.WindowSizes = append([]int{}, c.WindowSizes...)
	outer, lo := i/b.per, int(i%b.per)*b.step
	out := b.desc.Output.Sizes
	offset = (outer*int64(out[b.axis]) + int64(lo)) * b.inner
	narrow(&c, b.axis, lo, min(b.step, out[b.axis]-lo))
	for axis := b.axis - 1; axis >= 0; axis-- {
		narrow(&c, axis, int(outer%int64(out[axis])), 1)
		outer /= int64(out[axis])
	}
	for axis := b.axis + 1; axis < len(out); axis++ {
		narrow(&c, axis, 0, out[axis])
	}
	return &c, offset
}

// bytes returns the size of a band.
func (b *bands) bytes(d *slice1.Desc) int64 { return int64(d.Output.Sizes[b.axis]) * b.inner }

// narrow makes d take only the n outputs from lo on along an axis, through the
// smallest window that has them.
func narrow(d *slice1.Desc, axis, lo, n int) {
	stride := d.WindowStrides[axis]
	reach := 0
	if n > 1 {
		reach = (n - 1) * int(magnitude(stride))
	}
	first := d.WindowOffsets[axis]
	if stride < 0 {
		first += d.WindowSizes[axis] - 1 - reach
	}
	if lo > 0 {
		first += lo * stride
	}
	d.WindowOffsets[axis], d.WindowSizes[axis] = first, reach+1
	d.Output.Sizes[axis] = n
}
