package directml

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
)

// randomDesc returns a valid descriptor of a few thousand elements at most:
// every rank and type, windows of both signs, partial outputs, inputs packed,
// padded, permuted, overlapping or broadcast, outputs packed, padded or
// permuted.
func randomDesc(rng *rand.Rand) *slice1.Desc {
	for {
		d := randomDescOfRank(rng, 1+rng.IntN(8))
		in, errIn := d.Input.MinSize()
		out, errOut := d.Output.MinSize()
		if errIn == nil && errOut == nil && in <= 1<<18 && out <= 1<<18 {
			return d
		}
	}
}

func randomDescOfRank(rng *rand.Rand, rank int) *slice1.Desc {
	most := []int{0, 3000, 60, 16, 8, 6, 5, 4, 3}[rank]
	dtype := slice1.DataType(1 + rng.IntN(11))
	d := &slice1.Desc{Input: slice1.TensorDesc{DataType: dtype}, Output: slice1.TensorDesc{DataType: dtype}}
	for range rank {
		n := 1 + rng.IntN(most)
		offset, size := 0, n
		if rng.IntN(2) == 0 {
			size = 1 + rng.IntN(n)
			offset = rng.IntN(n - size + 1)
		}
		stride := []int{1, 1, 1, -1, 2, -2, 3, -3, 1 + rng.IntN(n), -1 - rng.IntN(n)}[rng.IntN(10)]
		out := 1 + (size-1)/max(stride, -stride)
		if rng.IntN(3) == 0 {
			out = 1 + rng.IntN(out)
		}
		d.Input.Sizes = append(d.Input.Sizes, n)
		d.Output.Sizes = append(d.Output.Sizes, out)
		d.WindowOffsets = append(d.WindowOffsets, offset)
		d.WindowSizes = append(d.WindowSizes, size)
		d.WindowStrides = append(d.WindowStrides, stride)
	}
	if rng.IntN(2) == 0 {
		d.Input.Strides = randomStrides(rng, d.Input.Sizes)
		if rng.IntN(3) == 0 {
			d.Input.Strides[rng.IntN(rank)] = rng.IntN(3)
		}
	}
	if rng.IntN(2) == 0 {
		d.Output.Strides = randomStrides(rng, d.Output.Sizes)
	}
	return d
}

// randomStrides returns strides of distinct elements: axes in any order in
// memory, each padded now and then.
func randomStrides(rng *rand.Rand, sizes []int) []int {
	strides := make([]int, len(sizes))
	order := rng.Perm(len(sizes))
	if rng.IntN(2) == 0 {
		slices.Sort(order)
	}
	next := 1
	if rng.IntN(4) == 0 {
		next = 1 + rng.IntN(3)
	}
	for _, i := range slices.Backward(order) {
		strides[i] = next
		next *= sizes[i]
		if rng.IntN(3) == 0 {
			next += rng.IntN(min(next, 50) + 2)
		}
	}
	return strides
}

// move is one byte of a slice: where it goes and where it comes from.
type move struct{ dst, src int64 }

// movesOf lists what a valid descriptor does, byte by byte and in the order of
// the destination, by the operator's formula on every coordinate.
func movesOf(d *slice1.Desc) (all []move) {
	size := int64(d.Input.DataType.Size())
	in, out := stridesOf(&d.Input), stridesOf(&d.Output)
	var walk func(axis int, dst, src int64)
	walk = func(axis int, dst, src int64) {
		if axis == len(in) {
			for b := range size {
				all = append(all, move{dst*size + b, src*size + b})
			}
			return
		}
		start := d.WindowOffsets[axis]
		if d.WindowStrides[axis] < 0 {
			start += d.WindowSizes[axis] - 1
		}
		for k := range d.Output.Sizes[axis] {
			walk(axis+1, dst+int64(k)*out[axis], src+int64(start+k*d.WindowStrides[axis])*in[axis])
		}
	}
	walk(0, 0, 0)
	slices.SortFunc(all, func(a, b move) int { return int(a.dst - b.dst) })
	return all
}

func stridesOf(t *slice1.TensorDesc) []int64 {
	strides := make([]int64, len(t.Sizes))
	next := int64(1)
	for i := len(strides) - 1; i >= 0; i-- {
		strides[i] = next
		next *= int64(t.Sizes[i])
		if t.Strides != nil {
			strides[i] = int64(t.Strides[i])
		}
	}
	return strides
}

// desc returns the operator as a descriptor.
func (op *operator) desc() *slice1.Desc {
	t := func(t *tensor) slice1.TensorDesc {
		return slice1.TensorDesc{
			DataType: op.dataType, Sizes: ints(t.sizes[:op.rank]), Strides: ints(t.strides[:op.rank]),
			TotalSize: int64(t.total), BaseAlign: baseAlignment,
		}
	}
	return &slice1.Desc{
		Input: t(&op.in), Output: t(&op.out),
		WindowOffsets: ints(op.offsets[:op.rank]), WindowSizes: ints(op.windows[:op.rank]), WindowStrides: ints(op.steps[:op.rank]),
	}
}

func ints[T uint32 | int32](words []T) []int {
	all := make([]int, len(words))
	for i, w := range words {
		all[i] = int(w)
	}
	return all
}

// whole copies a tensor of that type and shape.
func whole(dtype slice1.DataType, sizes ...int) *slice1.Desc {
	w := slice1.Window{Sizes: slices.Clone(sizes), Out: slices.Clone(sizes)}
	for range sizes {
		w.Offsets, w.Strides = append(w.Offsets, 0), append(w.Strides, 1)
	}
	return slice1.NewDesc(dtype, sizes, w)
}

// flipped is whole with every axis backwards.
func flipped(dtype slice1.DataType, sizes ...int) *slice1.Desc {
	d := whole(dtype, sizes...)
	for i := range d.WindowStrides {
		d.WindowStrides[i] = -1
	}
	return d
}

func describe(d *slice1.Desc) string { return fmt.Sprintf("%+v", *d) }

// corner returns random offsets at which d's window is inside the input.
func corner(rng *rand.Rand, d *slice1.Desc) []int {
	offsets := make([]int, len(d.Input.Sizes))
	for i, n := range d.Input.Sizes {
		offsets[i] = rng.IntN(n - d.WindowSizes[i] + 1)
	}
	return offsets
}

// moved returns d with its window at other offsets.
func moved(d *slice1.Desc, offsets []int) *slice1.Desc {
	m := *d
	m.WindowOffsets = offsets
	return &m
}

func pick[T any](rng *rand.Rand, choices ...T) T { return choices[rng.IntN(len(choices))] }
