package slice1_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed2e45c115/dml/slice1"
)

// randomDesc returns a valid descriptor of any rank: windows of both signs,
// partial outputs, inputs packed, padded, permuted or broadcast, outputs
// packed, padded or permuted.
func randomDesc(rng *rand.Rand) *slice1.Desc {
	rank := 1 + rng.IntN(8)
	most := []int{0, 3000, 60, 20, 9, 7, 5, 4, 4}[rank]
	dtype := slice1.DataType(1 + rng.IntN(11))
	d := &slice1.Desc{Input: slice1.TensorDesc{DataType: dtype}, Output: slice1.TensorDesc{DataType: dtype}}
	for range rank {
		n := 1 + rng.IntN(most)
		d.Input.Sizes = append(d.Input.Sizes, n)
		randomWindow(rng, d, n)
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

// smallDesc returns a random descriptor whose tensors, gaps included, take at most 1 MiB each.
func smallDesc(rng *rand.Rand) *slice1.Desc {
	for {
		d := randomDesc(rng)
		in, _ := d.Input.MinSize()
		out, _ := d.Output.MinSize()
		if max(in, out) <= 1<<20 {
			return d
		}
	}
}

// randomWindow appends a random window of an axis of n elements, with its stride and output
// extent, to d.
func randomWindow(rng *rand.Rand, d *slice1.Desc, n int) {
	size := n
	if rng.IntN(2) == 0 {
		size = 1 + rng.IntN(n)
	}
	offset := rng.IntN(n - size + 1)
	stride := []int{1, 1, -1, 2, -2, 3, -3, 4, 1 + rng.IntN(n), -1 - rng.IntN(n)}[rng.IntN(10)]
	out := 1 + (size-1)/max(stride, -stride)
	if rng.IntN(4) == 0 {
		out = 1 + rng.IntN(out)
	}
	d.Output.Sizes = append(d.Output.Sizes, out)
	d.WindowOffsets = append(d.WindowOffsets, offset)
	d.WindowSizes = append(d.WindowSizes, size)
	d.WindowStrides = append(d.WindowStrides, stride)
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
			next += rng.IntN(next + 2)
		}
	}
	return strides
}

func TestKernelsOnRandomDescriptors(t *testing.T) {
	runs := 4000
	if testing.Short() {
		runs = 1000
	} else if *exhaustive {
		runs = 100_000
	}
	const seeds = 10
	for seed := range seeds {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(6, uint64(seed)))
			for range runs / seeds {
				d := smallDesc(rng)
				if err := d.Validate(); err != nil {
					t.Fatalf("%v: %s", err, describe(d))
				}
				checkAll(t, d, rng.IntN(9), rng)
			}
		})
	}
}
