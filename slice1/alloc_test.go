// The address sanitizer puts on the heap what otherwise stays on the stack.

//go:build !asan

package slice1_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/slice1"
)

func TestRunDoesNotAllocate(t *testing.T) {
	for _, kernel := range usableKernels() {
		for _, n := range []int{16, 4096, 1 << 20} {
			p := newPlan(t, reversal(slice1.Uint16, n), slice1.WithKernel(kernel), slice1.WithParallelism(1))
			dst, src := make([]uint16, n), make([]uint16, n)
			ctx := context.Background()
			assert.Zero(t, testing.AllocsPerRun(10, func() {
				if slice1.Run(p, dst, src) != nil {
					panic("failed")
				}
			}), "Run, %s, %d elements", kernel, n)
			d, s := make([]byte, 2*n), make([]byte, 2*n)
			assert.Zero(t, testing.AllocsPerRun(10, func() {
				if p.Run(d, s) != nil || p.RunContext(ctx, d, s) != nil {
					panic("failed")
				}
			}), "Plan.Run, %s, %d elements", kernel, n)
			at := 0
			assert.Zero(t, testing.AllocsPerRun(10, func() {
				if p.RunAt(d, s, at) != nil || slice1.RunAt(p, dst, src, at) != nil {
					panic("failed")
				}
			}), "RunAt, %s, %d elements", kernel, n)
		}
	}
}

// Copies that learn allocate when they take a way for the first time and when they settle, and
// never otherwise.
func TestCopyDoesNotAllocate(t *testing.T) {
	for _, n := range []int{16, 4096, 1 << 20} { // one part and several, but too small for two goroutines
		d := reversal(slice1.Uint16, n)
		dst, src := make([]uint16, n), make([]uint16, n)
		run := func() {
			if slice1.Copy(dst, src, d, slice1.WithLearning(false)) != nil {
				panic("failed")
			}
		}
		run() // the first calls in a process measure the machine, and the second of a shape makes its entry
		run()
		assert.Zero(t, testing.AllocsPerRun(10, run), "no kernel, %d elements", n)
		for _, kernel := range usableKernels() {
			assert.Zero(t, testing.AllocsPerRun(10, func() {
				if slice1.Copy(dst, src, d, slice1.WithKernel(kernel), slice1.WithParallelism(1), slice1.WithLearning(false)) != nil {
					panic("failed")
				}
			}), "%s, %d elements", kernel, n)
		}
	}
}

// Every kernel, and the planner's choice, copies slices that suit each of seven kinds without
// allocating.
func TestCopyOfEveryKindDoesNotAllocate(t *testing.T) {
	every := func(stride int) *slice1.Desc {
		n := 999*stride + 1
		return slice1.NewDesc(slice1.Uint8, []int{n}, slice1.Window{Offsets: []int{0}, Sizes: []int{n}, Strides: []int{stride}, Out: []int{1000}})
	}
	strided := func(input, output []int, sizes ...int) *slice1.Desc {
		d := whole(slice1.Uint8, sizes...)
		d.Input.Strides, d.Output.Strides = input, output
		return d
	}
	for name, d := range map[string]*slice1.Desc{
		"copy": strided([]int{300, 1}, []int{200, 1}, 40, 150), "shuffle": every(3), "gather": every(200),
		"tile": strided([]int{1, 100}, nil, 100, 100), "units": strided([]int{100, 30, 5, 1}, nil, 50, 3, 3, 2),
		"fill": strided([]int{1, 0}, nil, 40, 150), "spread": strided([]int{1}, []int{3}, 1000),
	} {
		in, _ := d.Input.MinSize()
		out, _ := d.Output.MinSize()
		dst, src := make([]byte, out), make([]byte, in)
		for _, kernel := range append(usableKernels(), "") {
			run := func() {
				if err := slice1.Copy(dst, src, d, slice1.WithKernel(kernel), slice1.WithLearning(false)); err != nil {
					panic(err)
				}
			}
			run()
			run() // the second run enters the cache
			assert.Zero(t, testing.AllocsPerRun(10, run), "%s by %q", name, kernel)
		}
	}
}

// If the spans of source and destination meet, the search for shared bytes keeps its state
// on the stack.
func TestSlicesInPlaceDoNotAllocate(t *testing.T) {
	for rank := 1; rank <= 4; rank++ {
		size, strides, steps := []int{3, 3, 3, 5}[4-rank:], []int{700, 150, 31, 3}[4-rank:], []int{1, -1, 1, -1}[4-rank:]
		d := cropOf(slice1.Uint8, strides, size, steps)
		memory, p := make([]byte, 4000), newPlan(t, d)
		assert.Zero(t, testing.AllocsPerRun(10, func() {
			if p.Run(memory[1:], memory) != nil || slice1.Copy(memory[1:], memory, d) != nil {
				panic("failed")
			}
		}), "rank %d", rank)
	}
}
