package slice1_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/seed2e45c115/dml/slice1"
)

var exhaustive = flag.Bool("exhaustive", false, "rank 3 of all widths with extents up to 4, not 3, and 100,000 random descriptors")

// axis holds what a descriptor of packed tensors says about one axis.
type axis struct{ extent, offset, size, stride, out int }

// axes lists every axis of at most the given extent, with strides from -3 to 3 except 0, every
// window and every output extent.
func axes(extent int) (all []axis) {
	for n := 1; n <= extent; n++ {
		for offset := range n {
			for size := 1; offset+size <= n; size++ {
				for _, stride := range []int{-3, -2, -1, 1, 2, 3} {
					for out := 1; out <= 1+(size-1)/max(stride, -stride); out++ {
						all = append(all, axis{n, offset, size, stride, out})
					}
				}
			}
		}
	}
	return all
}

func descOf(dtype slice1.DataType, axes ...axis) *slice1.Desc {
	d := &slice1.Desc{Input: slice1.TensorDesc{DataType: dtype}, Output: slice1.TensorDesc{DataType: dtype}}
	for _, a := range axes {
		d.Input.Sizes = append(d.Input.Sizes, a.extent)
		d.Output.Sizes = append(d.Output.Sizes, a.out)
		d.WindowOffsets = append(d.WindowOffsets, a.offset)
		d.WindowSizes = append(d.WindowSizes, a.size)
		d.WindowStrides = append(d.WindowStrides, a.stride)
	}
	return d
}

// Every descriptor of packed tensors with strides from -3 to 3 is tested by every kernel: of
// rank 1 and 2 with extents up to 4 and every element size, and of rank 3 with extents up to 3 and
// one element size each. With -exhaustive, rank 3 has extents up to 4 and every element size, too.
// With -short, rank 2 has one element size each, and rank 3 extents up to 2.
func TestKernelsOnEverySmallDescriptor(t *testing.T) {
	types := []slice1.DataType{slice1.Uint8, slice1.Uint16, slice1.Uint32, slice1.Uint64}
	rng := rand.New(rand.NewPCG(5, 5))
	small := axes(4)
	for w, dtype := range types {
		for i, a := range small {
			checkAll(t, descOf(dtype, a), 1, rng)
			for j, b := range small {
				if !testing.Short() || w == (i+j)%len(types) {
					checkAll(t, descOf(dtype, a, b), 0, rng)
				}
			}
		}
	}
	if testing.Short() {
		small = axes(2)
	} else if !*exhaustive {
		small = axes(3)
	}
	for i, a := range small {
		t.Run(fmt.Sprintf("axis=%+v", a), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(5, uint64(i)))
			for j, b := range small {
				for k, c := range small {
					for w, dtype := range types {
						if *exhaustive || w == (i+j+k)%len(types) {
							checkAll(t, descOf(dtype, a, b, c), 0, rng)
						}
					}
				}
			}
		})
	}
}
