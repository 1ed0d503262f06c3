//go:build amd64 || arm64

package directml

import (
	"math"
	"math/rand/v2"

	"github.com/seed2e45c115/dml/directml/internal/testdata/samples"
	"github.com/seed2e45c115/dml/slice1"
)

// mistake changes a descriptor in a way that may make it invalid. Many mistakes draw from values on
// both sides of a rule's limit.
type mistake struct {
	name string
	make func(rng *rand.Rand, d *slice1.Desc)
}

var mistakes = []mistake{
	{"rank 0", func(rng *rand.Rand, d *slice1.Desc) { resize(d, 0) }},
	{"rank 9", func(rng *rand.Rand, d *slice1.Desc) { resize(d, 9) }},
	{"rank 8", func(rng *rand.Rand, d *slice1.Desc) { resize(d, 8) }},
	{"rank of one tensor", func(rng *rand.Rand, d *slice1.Desc) {
		t := samples.Pick(rng, &d.Input, &d.Output)
		t.Sizes, t.Strides = append(t.Sizes, 1), nil
	}},
	{"rank of the windows", func(rng *rand.Rand, d *slice1.Desc) {
		d.WindowOffsets, d.WindowSizes, d.WindowStrides = append(d.WindowOffsets, 0), append(d.WindowSizes, 1), append(d.WindowStrides, 1)
	}},
	{"type of both", func(rng *rand.Rand, d *slice1.Desc) {
		d.Input.DataType = slice1.DataType(rng.IntN(16))
		d.Output.DataType = d.Input.DataType
	}},
	{"type of one", func(rng *rand.Rand, d *slice1.Desc) {
		samples.Pick(rng, &d.Input, &d.Output).DataType = slice1.DataType(rng.IntN(14))
	}},
	{"extent 0", func(rng *rand.Rand, d *slice1.Desc) {
		s := samples.Pick(rng, &d.Input, &d.Output).Sizes
		s[rng.IntN(len(s))] = 0
	}},
	{"offset", func(rng *rand.Rand, d *slice1.Desc) {
		i := rng.IntN(len(d.WindowOffsets))
		d.WindowOffsets[i] = samples.Pick(rng, d.Input.Sizes[i]-d.WindowSizes[i], d.Input.Sizes[i]-d.WindowSizes[i]+1, d.Input.Sizes[i], math.MaxUint32, math.MaxUint32-d.WindowSizes[i]+1)
	}},
	{"window size", func(rng *rand.Rand, d *slice1.Desc) {
		i := rng.IntN(len(d.WindowSizes))
		d.WindowSizes[i] = samples.Pick(rng, 0, 1, d.WindowSizes[i]-1, d.Input.Sizes[i]-d.WindowOffsets[i], d.Input.Sizes[i]-d.WindowOffsets[i]+1, math.MaxUint32, math.MaxUint32-d.WindowOffsets[i]+1)
	}},
	{"window stride", func(rng *rand.Rand, d *slice1.Desc) {
		i := rng.IntN(len(d.WindowStrides))
		d.WindowStrides[i] = samples.Pick(rng, 0, 1, -1, -d.WindowStrides[i], d.WindowStrides[i]+1, math.MinInt32, math.MaxInt32)
	}},
	{"window stride, one output", func(rng *rand.Rand, d *slice1.Desc) {
		i := rng.IntN(len(d.WindowStrides))
		d.WindowStrides[i], d.Output.Sizes[i] = samples.Pick(rng, 0, 9, -9, math.MinInt32, math.MaxInt32), 1
	}},
	{"output extent", func(rng *rand.Rand, d *slice1.Desc) {
		i := rng.IntN(len(d.Output.Sizes))
		most := 1 + (d.WindowSizes[i]-1)/max(d.WindowStrides[i], -d.WindowStrides[i], 1)
		d.Output.Sizes[i] = samples.Pick(rng, 1, most, most+1, most+5)
		d.Output.Strides = nil
	}},
	{"output extent that wraps", func(rng *rand.Rand, d *slice1.Desc) {
		i := rng.IntN(len(d.Output.Sizes))
		d.Output.Sizes[i], d.WindowStrides[i] = samples.Pick(rng, 2, 3, 5, 7), samples.Pick(rng, math.MinInt32, 1<<30, -1<<30, 1<<31-1)
		d.Output.Strides = nil
	}},
	{"total size", func(rng *rand.Rand, d *slice1.Desc) {
		t := samples.Pick(rng, &d.Input, &d.Output)
		size, err := t.MinSize()
		if err != nil {
			size = 64
		}
		up := (size + 3) &^ 3
		most := int64(t.DataType.Size()) * math.MaxUint32
		t.TotalSize = samples.Pick(rng, 1, size, up-1, up, up+1, up+2, 2*up, most, most+1, math.MaxUint32, 1<<32)
	}},
	{"base alignment", func(rng *rand.Rand, d *slice1.Desc) {
		samples.Pick(rng, &d.Input, &d.Output).BaseAlign = samples.Pick(rng, 0, 1, 2, 4, 8, 15, 16, 17, 32, 48, 256, 1<<31, 1<<31+16)
	}},
	{"output strides", func(rng *rand.Rand, d *slice1.Desc) {
		d.Output.Strides = make([]int, len(d.Output.Sizes))
		for i := range d.Output.Strides {
			d.Output.Strides[i] = rng.IntN(20)
		}
	}},
	{"output strides that meet", func(rng *rand.Rand, d *slice1.Desc) {
		resize(d, 2)
		d.Input.Sizes, d.Input.Strides = []int{5, 5}, nil
		d.WindowOffsets, d.WindowSizes, d.WindowStrides = []int{0, 0}, []int{5, 5}, []int{1, 1}
		d.Output.Sizes, d.Output.Strides = []int{2 + rng.IntN(4), 2 + rng.IntN(4)}, []int{2 + rng.IntN(5), 2 + rng.IntN(5)}
	}},
	{"one output stride", func(rng *rand.Rand, d *slice1.Desc) {
		d.Output.Strides = samples.Strides(rng, d.Output.Sizes)
		i := rng.IntN(len(d.Output.Strides))
		d.Output.Strides[i] = samples.Pick(rng, 0, 1, d.Output.Strides[0], d.Output.Strides[i]+1, math.MaxUint32)
	}},
	{"input strides", func(rng *rand.Rand, d *slice1.Desc) {
		d.Input.Strides = make([]int, len(d.Input.Sizes))
		for i := range d.Input.Strides {
			d.Input.Strides[i] = samples.Pick(rng, 0, 1, rng.IntN(100), 1<<28, 1<<30, math.MaxUint32)
		}
	}},
	{"count at the limit", func(rng *rand.Rand, d *slice1.Desc) { // the limit of 2^32-1 elements, for packed and broadcast inputs
		resize(d, 2)
		d.Input.Sizes = samples.Pick(rng, []int{1 << 16, 1 << 16}, []int{1<<16 - 1, 1<<16 + 1}, []int{1, math.MaxUint32}, []int{2, 1 << 31}, []int{1 << 17, 1 << 17}, []int{1, 1<<32 - 4}, []int{1<<16 - 1, 1 << 16})
		d.Input.Strides = samples.Pick(rng, nil, []int{0, 1}, []int{0, 0})
		d.WindowOffsets, d.WindowSizes, d.WindowStrides, d.Output.Sizes = []int{0, 0}, []int{1, 1}, []int{1, 1}, []int{1, 1}
	}},
	{"size that wraps", func(rng *rand.Rand, d *slice1.Desc) {
		resize(d, 1)
		t := samples.Pick(rng, slice1.Uint64, slice1.Float32)
		d.Input = slice1.TensorDesc{DataType: t, Sizes: []int{1<<(33-t.Size()/4) + 1}, Strides: []int{1 << 31}, TotalSize: samples.Pick(rng, int64(8), 64)}
		if t == slice1.Uint64 {
			d.Input.Sizes[0] = 1<<30 + 1
		} else {
			d.Input.Sizes[0] = 1<<31 + 1
		}
		d.Output = slice1.TensorDesc{DataType: t, Sizes: []int{1}}
		d.WindowOffsets, d.WindowSizes, d.WindowStrides = []int{0}, []int{1}, []int{1}
	}},
}

// resize gives d the rank n. It adds axes of extent 1 at the end or cuts the last ones off, and
// makes both tensors packed.
func resize(d *slice1.Desc, n int) {
	for _, s := range []*[]int{&d.Input.Sizes, &d.Output.Sizes, &d.WindowSizes, &d.WindowStrides} {
		for len(*s) < n {
			*s = append(*s, 1)
		}
		*s = (*s)[:n]
	}
	for len(d.WindowOffsets) < n {
		d.WindowOffsets = append(d.WindowOffsets, 0)
	}
	d.WindowOffsets = d.WindowOffsets[:n]
	d.Input.Strides, d.Output.Strides = nil, nil
}
