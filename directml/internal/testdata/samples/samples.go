// Package samples makes descriptors and devices for the tests of directml, and lists what a
// descriptor copies, byte by byte.
package samples

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
)

// Sets of types that devices support: bit t is set for DataType t.
const (
	AllTypes = 1<<12 - 2
	// NarrowTypes has the types of at most 4 bytes.
	NarrowTypes = AllTypes &^ (1<<slice1.Float64 | 1<<slice1.Uint64 | 1<<slice1.Int64)
)

// Device has what a translation needs to know about a device.
type Device struct {
	Level slice1.FeatureLevel
	Types uint32
}

// Newest is a device of level 6.4 that supports all types.
var Newest = Device{slice1.FeatureLevel6_4, AllTypes}

// Devices has a device of each group of levels at which SLICE1 has the same ranks and types. It
// also has some that lack types, and one of a level that does not exist yet.
var Devices = []Device{
	{slice1.FeatureLevel2_1, NarrowTypes},
	{slice1.FeatureLevel3_0, NarrowTypes},
	{slice1.FeatureLevel4_0, NarrowTypes},
	{slice1.FeatureLevel4_1, AllTypes},
	Newest,
	{slice1.FeatureLevel6_4, NarrowTypes &^ (1 << slice1.Uint16)},
	{slice1.FeatureLevel5_0, 1 << slice1.Uint8},
	{0x7000, AllTypes},
}

// Random returns a random valid descriptor of any rank and type. Its tensors take at most 256 KiB
// each. Window strides are positive or negative, and an output may be smaller than its window
// yields. The input is packed, padded, permuted, overlapping or broadcast. The output is packed,
// padded or permuted.
func Random(rng *rand.Rand) *slice1.Desc {
	for {
		d := RandomOfRank(rng, 1+rng.IntN(8))
		input, errIn := d.Input.MinSize()
		output, errOut := d.Output.MinSize()
		if errIn == nil && errOut == nil && input <= 1<<18 && output <= 1<<18 {
			return d
		}
	}
}

// RandomOfRank is Random for a rank from 1 to 8 and without the limit of 256 KiB.
func RandomOfRank(rng *rand.Rand, rank int) *slice1.Desc {
	limit := []int{0, 3000, 60, 16, 8, 6, 5, 4, 3}[rank]
	dtype := slice1.DataType(1 + rng.IntN(11))
	d := &slice1.Desc{Input: slice1.TensorDesc{DataType: dtype}, Output: slice1.TensorDesc{DataType: dtype}}
	for range rank {
		n := 1 + rng.IntN(limit)
		offset, size := 0, n
		if rng.IntN(2) == 0 {
			size = 1 + rng.IntN(n)
			offset = rng.IntN(n - size + 1)
		}
		stride := []int{1, 1, 1, -1, 2, -2, 3, -3, 1 + rng.IntN(n), -1 - rng.IntN(n)}[rng.IntN(10)]
		yields := 1 + (size-1)/max(stride, -stride)
		if rng.IntN(3) == 0 {
			yields = 1 + rng.IntN(yields)
		}
		d.Input.Sizes = append(d.Input.Sizes, n)
		d.Output.Sizes = append(d.Output.Sizes, yields)
		d.WindowOffsets = append(d.WindowOffsets, offset)
		d.WindowSizes = append(d.WindowSizes, size)
		d.WindowStrides = append(d.WindowStrides, stride)
	}
	if rng.IntN(2) == 0 {
		d.Input.Strides = Strides(rng, d.Input.Sizes)
		if rng.IntN(3) == 0 {
			d.Input.Strides[rng.IntN(rank)] = rng.IntN(3)
		}
	}
	if rng.IntN(2) == 0 {
		d.Output.Strides = Strides(rng, d.Output.Sizes)
	}
	return d
}

// Rows returns a random valid descriptor with elements side by side in rows. Most of its rows can
// be taken as wider elements. Its tensors take at most 256 KiB each.
func Rows(rng *rand.Rand) *slice1.Desc {
	for {
		d := RandomOfRank(rng, 1+rng.IntN(7))
		unit := Pick(rng, 2, 4, 8)
		count := unit * (1 + rng.IntN(6))
		n := count + Pick(rng, 0, unit, 3*unit, rng.IntN(9))
		for _, t := range []struct {
			*slice1.TensorDesc
			n int
		}{{&d.Input, n}, {&d.Output, count}} {
			if t.Strides != nil {
				pitch := t.n + Pick(rng, 0, unit, rng.IntN(9))
				for i := range t.Strides {
					t.Strides[i] *= pitch
				}
				t.Strides = append(t.Strides, 1)
			}
			t.Sizes = append(t.Sizes, t.n)
		}
		d.WindowOffsets = append(d.WindowOffsets, min(n-count, Pick(rng, 0, unit, rng.IntN(9))))
		d.WindowSizes, d.WindowStrides = append(d.WindowSizes, count), append(d.WindowStrides, 1)
		input, errIn := d.Input.MinSize()
		size, errOut := d.Output.MinSize()
		if errIn == nil && errOut == nil && input <= 1<<18 && size <= 1<<18 {
			return d
		}
	}
}

// RandomOrRows returns a descriptor of Random or of Rows.
func RandomOrRows(rng *rand.Rand) *slice1.Desc {
	if rng.IntN(2) == 0 {
		return Rows(rng)
	}
	return Random(rng)
}

// Strides returns random memory strides for a tensor of these sizes. No two elements coincide. The
// axes are in any order in memory, and some are padded.
func Strides(rng *rand.Rand, sizes []int) []int {
	strides := make([]int, len(sizes))
	order := rng.Perm(len(sizes))
	if rng.IntN(2) == 0 {
		slices.Sort(order)
	}
	stride := 1
	if rng.IntN(4) == 0 {
		stride = 1 + rng.IntN(3)
	}
	for _, i := range slices.Backward(order) {
		strides[i] = stride
		stride *= sizes[i]
		if rng.IntN(3) == 0 {
			stride += rng.IntN(min(stride, 50) + 2)
		}
	}
	return strides
}

// Move is the copy of one byte: its places in the destination and in the source, in bytes.
type Move struct{ Dst, Src int64 }

// Moves lists the bytes that a valid descriptor copies, by ascending places in the
// destination. It evaluates the operator's formula for every output element.
func Moves(d *slice1.Desc) (moves []Move) {
	size := int64(d.Input.DataType.Size())
	input, output := stridesOf(&d.Input), stridesOf(&d.Output)
	count := size
	for _, n := range d.Output.Sizes {
		count *= int64(n)
	}
	moves = make([]Move, 0, count)
	var walk func(axis int, dst, src int64)
	walk = func(axis int, dst, src int64) {
		if axis == len(input) {
			for b := range size {
				moves = append(moves, Move{dst*size + b, src*size + b})
			}
			return
		}
		start := d.WindowOffsets[axis]
		if d.WindowStrides[axis] < 0 {
			start += d.WindowSizes[axis] - 1
		}
		for k := range d.Output.Sizes[axis] {
			walk(axis+1, dst+int64(k)*output[axis], src+int64(start+k*d.WindowStrides[axis])*input[axis])
		}
	}
	walk(0, 0, 0)
	slices.SortFunc(moves, func(x, y Move) int { return int(x.Dst - y.Dst) })
	return moves
}

// stridesOf returns a tensor's memory strides in elements, also for a packed tensor.
func stridesOf(t *slice1.TensorDesc) []int64 {
	strides := make([]int64, len(t.Sizes))
	stride := int64(1)
	for i := len(strides) - 1; i >= 0; i-- {
		strides[i] = stride
		stride *= int64(t.Sizes[i])
		if t.Strides != nil {
			strides[i] = int64(t.Strides[i])
		}
	}
	return strides
}

// Flipped returns a descriptor that copies a packed tensor of that type and shape with every
// axis backwards.
func Flipped(dtype slice1.DataType, sizes ...int) *slice1.Desc {
	d := slice1.Whole(dtype, sizes...)
	for i := range d.WindowStrides {
		d.WindowStrides[i] = -1
	}
	return d
}

// Describe formats all fields of a descriptor.
func Describe(d *slice1.Desc) string { return fmt.Sprintf("%+v", *d) }

// Corner returns random offsets at which d's window is inside the input.
func Corner(rng *rand.Rand, d *slice1.Desc) []int {
	offsets := make([]int, len(d.Input.Sizes))
	for i, n := range d.Input.Sizes {
		offsets[i] = rng.IntN(n - d.WindowSizes[i] + 1)
	}
	return offsets
}

// Moved returns a copy of d with its window at other offsets. The copy shares d's slices.
func Moved(d *slice1.Desc, offsets []int) *slice1.Desc {
	m := *d
	m.WindowOffsets = offsets
	return &m
}

// Pick returns a random one of the choices. There must be at least one.
func Pick[T any](rng *rand.Rand, choices ...T) T { return choices[rng.IntN(len(choices))] }
