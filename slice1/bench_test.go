package slice1_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/engine"
)

// small are slices of float32 for which choosing and calling the kernel costs about as much
// as running it.
var small = []struct {
	name   string
	shape  []int
	window slice1.Window
}{
	{"shape=4x4/window=step2", []int{4, 4},
		slice1.Window{Offsets: []int{0, 0}, Sizes: []int{4, 4}, Strides: []int{2, 2}, Out: []int{2, 2}}},
	{"shape=3x8x8/window=step2", []int{1, 3, 8, 8},
		slice1.Window{Offsets: []int{0, 0, 0, 0}, Sizes: []int{1, 3, 8, 8}, Strides: []int{1, 1, 2, 2}, Out: []int{1, 3, 4, 4}}},
	{"shape=3x8x8/window=crop", []int{1, 3, 8, 8},
		slice1.Window{Offsets: []int{0, 0, 2, 2}, Sizes: []int{1, 3, 4, 4}, Strides: []int{1, 1, 1, 1}, Out: []int{1, 3, 4, 4}}},
	{"shape=64x64/window=step2", []int{64, 64},
		slice1.Window{Offsets: []int{0, 0}, Sizes: []int{64, 64}, Strides: []int{2, 2}, Out: []int{32, 32}}},
	{"shape=64x64/window=mirror", []int{64, 64},
		slice1.Window{Offsets: []int{0, 0}, Sizes: []int{64, 64}, Strides: []int{1, -1}, Out: []int{64, 64}}},
}

// BenchmarkRun measures running a plan.
func BenchmarkRun(b *testing.B) {
	for _, c := range small {
		d := slice1.NewDesc(slice1.Float32, c.shape, c.window)
		dst, src := buffersOf(d)
		for _, kernel := range append(usableKernels(), "") {
			b.Run(c.name+"/kernel="+kernel, func(b *testing.B) {
				p := newPlan(b, d, slice1.WithKernel(kernel))
				b.ReportAllocs()
				for b.Loop() {
					if err := p.Run(dst, src); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkCopy measures Copy of slices that it remembers.
func BenchmarkCopy(b *testing.B) {
	for _, c := range small {
		d := slice1.NewDesc(slice1.Float32, c.shape, c.window)
		dst, src := floats(buffersOf(d))
		for _, kernel := range append(usableKernels(), "") {
			b.Run(c.name+"/kernel="+kernel, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := slice1.Copy(dst, src, d, slice1.WithKernel(kernel), slice1.WithParallelism(1)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(c.name+"/options=0", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := slice1.Copy(dst, src, d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// buffersOf returns buffers of the least lengths for a valid d.
func buffersOf(d *slice1.Desc) (dst, src []byte) {
	in, errIn := d.Input.MinSize()
	out, errOut := d.Output.MinSize()
	if errIn != nil || errOut != nil {
		panic("invalid descriptor")
	}
	return make([]byte, out), make([]byte, in)
}

func floats(dst, src []byte) (d, s []float32) {
	return make([]float32, len(dst)/4), make([]float32, len(src)/4)
}

// BenchmarkNewPlan prints the time of NewPlan for new and for known shapes. It takes the least time
// of each of many random slices, like function least, and prints the median, 99th percentile and
// maximum of these times.
func BenchmarkNewPlan(b *testing.B) {
	for _, kernel := range append(usableKernels(), "") {
		for name, before := range map[string]func(){"new": engine.Forget, "known": func() {}} {
			b.Run("kernel="+kernel+"/shape="+name, func(b *testing.B) {
				for b.Loop() {
					reportPlans(b, before, slice1.WithKernel(kernel))
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func reportPlans(b *testing.B, before func(), opts ...slice1.Option) {
	rng := rand.New(rand.NewPCG(1, 2))
	var times []time.Duration
	for range 600 {
		d := surveyed(rng)
		times = append(times, least(before, func() {
			if _, err := slice1.NewPlan(d, opts...); err != nil {
				panic(err)
			}
		}))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2]), "median-ns")
	b.ReportMetric(float64(times[len(times)*99/100]), "p99-ns")
	b.ReportMetric(float64(times[len(times)-1]), "longest-ns")
}
