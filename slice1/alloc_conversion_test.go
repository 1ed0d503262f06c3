// The address sanitizer puts on the heap what otherwise stays on the stack, and the race detector
// makes a sync.Pool drop some of what it is given.

//go:build !asan && !race

package slice1_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/engine"
)

func TestConversionsDoNotAllocate(t *testing.T) {
	hwc := slice1.NewDesc(slice1.Uint8, []int{50, 60, 3}, slice1.Window{Offsets: []int{0, 0, 0}, Sizes: []int{50, 60, 3}, Strides: []int{1, -1, 1}, Out: []int{50, 60, 3}})
	d, err := hwc.Permute(2, 0, 1)
	require.NoError(t, err)
	dst, src := make([]float32, 9000), make([]uint8, 9000)
	a := slice1.Affine{Scale: []float32{1, 2, 3}, Bias: []float32{1}}
	for _, kernel := range usableKernels() {
		c, err := slice1.NewPlan(d, slice1.WithNumbers(slice1.Float32, a), slice1.WithKernel(kernel))
		require.NoError(t, err)
		copied := func() error {
			return slice1.Copy(dst, src, d, slice1.WithNumbers(slice1.Float32, a), slice1.WithKernel(kernel))
		}
		require.NoError(t, copied())
		require.Zero(t, testing.AllocsPerRun(100, func() {
			if slice1.Run(c, dst, src) != nil || slice1.RunAt(c, dst, src, 0, 0, 0) != nil || copied() != nil {
				panic("refused")
			}
		}), kernel)
	}
}

// From the second call on, Copy finds what it prepared for a layout, so the third call does
// not allocate. NewPlan uses the same cache: from its second call on, both take one entry.
func TestCopyWithNumbersDoesNotAllocateFromTheThirdCallOn(t *testing.T) {
	engine.Forget()
	dst, src := make([]uint16, 105), make([]uint8, 1000)
	a := slice1.Affine{Axis: 2, Scale: []float32{1, 2, 3}}
	next := 0
	for _, kernel := range append(usableKernels(), "") {
		for _, madeBefore := range []bool{false, true} {
			next++
			d := slice1.Whole(slice1.Uint8, 5, 7, 3)
			d.Input.Strides = []int{40 + 2*next, 5, 1} // a layout that never came before
			prepare := func() {
				if _, err := slice1.NewPlan(d, slice1.WithNumbers(slice1.Float16, a), slice1.WithKernel(kernel)); err != nil {
					panic(err)
				}
			}
			run := func() {
				if err := slice1.Copy(dst, src, d, slice1.WithNumbers(slice1.Float16, a), slice1.WithKernel(kernel)); err != nil {
					panic(err)
				}
			}
			if madeBefore {
				prepare()
			} else {
				run()
			}
			assert.Zero(t, testing.AllocsPerRun(20, run), "%q, made before: %v", kernel, madeBefore) // calls run once before it counts
			assert.LessOrEqual(t, testing.AllocsPerRun(20, prepare), float64(10), "%q: the plan, its values and its descriptor", kernel)
		}
	}
}
