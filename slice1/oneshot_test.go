package slice1_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/engine"
)

// transposed takes the columns of a square matrix of at most `elements` elements as rows. Its data
// type is left to the caller.
func transposed(_, elements int) *slice1.Desc {
	n := int(math.Sqrt(float64(elements)))
	d := walked([]int{n, n}, []int{1, 1})
	d.Input.Strides = []int{1, n}
	return d
}

// walked takes all elements of a tensor, with window strides of 1 or, where an axis is to be
// reversed, -1. Its data type is left to the caller.
func walked(shape, strides []int) *slice1.Desc {
	return slice1.NewDesc(0, shape, slice1.Window{Offsets: make([]int, len(shape)), Sizes: shape, Strides: strides, Out: shape})
}

// inner returns a function that makes slices of elements of width bytes, whose output rows have
// `row` bytes and are every stride'th element of an input row. An input row has room for one
// more element of the output. The data type is left to the caller.
func inner(stride, row int) func(width, elements int) *slice1.Desc {
	return func(width, elements int) *slice1.Desc {
		n := min(row/width, elements)
		rows, in := elements/n, (n+1)*max(stride, -stride)
		return slice1.NewDesc(0, []int{rows, in}, slice1.Window{
			Offsets: []int{0, 0}, Sizes: []int{rows, in}, Strides: []int{1, stride}, Out: []int{rows, n}})
	}
}

// BenchmarkOneCopy compares one Copy of a random slice with a Copy by the fastest of the kernels,
// each named by WithKernel. It prints how many times longer the first takes: the geometric mean and
// the 95th percentile, for new and for known shapes.
func BenchmarkOneCopy(b *testing.B) {
	for name, before := range map[string]func(){"new": engine.Forget, "known": func() {}} {
		b.Run("shape="+name, func(b *testing.B) {
			for b.Loop() {
				reportCopies(b, before)
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func reportCopies(b *testing.B, before func()) {
	rng := rand.New(rand.NewPCG(3, 4))
	var slower []float64
	for range 300 {
		d := surveyed(rng)
		chosen, best := least(before, copyingAny(b, d, "")), time.Duration(math.MaxInt64)
		for _, kernel := range usableKernels() {
			best = min(best, least(before, copyingAny(b, d, kernel)))
		}
		slower = append(slower, float64(chosen)/float64(best))
	}
	slices.Sort(slower)
	sum := 0.
	for _, x := range slower {
		sum += math.Log(x)
	}
	b.ReportMetric(math.Exp(sum/float64(len(slower))), "x-best")
	b.ReportMetric(slower[len(slower)*95/100], "p95-x-best")
}

// least returns the least time of 200 runs. It calls before ahead of each run.
func least(before, run func()) time.Duration {
	least := time.Duration(math.MaxInt64)
	for range 200 {
		before()
		start := time.Now()
		run()
		least = min(least, time.Since(start))
	}
	return least
}

// copyingAny returns what copying returns, with a T of the size of d's data type.
func copyingAny(tb testing.TB, d *slice1.Desc, kernel string) func() {
	switch d.Input.DataType.Size() {
	case 1:
		return copying[uint8](tb, d, kernel)
	case 2:
		return copying[uint16](tb, d, kernel)
	case 4:
		return copying[uint32](tb, d, kernel)
	default:
		return copying[uint64](tb, d, kernel)
	}
}

// running returns a function that runs a plan of d, made beforehand.
func running(tb testing.TB, d *slice1.Desc, kernel string) func() {
	dst, src := buffersOf(d)
	p := newPlan(tb, d, slice1.WithKernel(kernel))
	return func() {
		if err := p.Run(dst, src); err != nil {
			tb.Fatal(err)
		}
	}
}

// copying returns a function that calls Copy with d. T must have the size of d's data type.
func copying[T slice1.Element](tb testing.TB, d *slice1.Desc, kernel string) func() {
	dst, src := buffersOf(d)
	size := d.Input.DataType.Size()
	ds, ss := make([]T, len(dst)/size), make([]T, len(src)/size)
	return func() {
		if err := slice1.Copy(ds, ss, d, slice1.WithKernel(kernel)); err != nil {
			tb.Fatal(err)
		}
	}
}

// gain returns how many times longer before takes than after: the median of rounds in which
// both take turns.
func gain(before, after func()) float64 {
	spent := func(what func(), times int) time.Duration {
		start := time.Now()
		for range times {
			what()
		}
		return time.Since(start)
	}
	times := 1
	for spent(before, times) < 20*time.Microsecond {
		times *= 2
	}
	gains := make([]float64, 31)
	for i := range gains {
		gains[i] = float64(spent(before, times)) / float64(spent(after, times))
	}
	slices.Sort(gains)
	return gains[len(gains)/2]
}

// BenchmarkStreaming prints for outputs of several sizes how many times longer it
// takes to store and then read them with ordinary stores than with non-temporal
// stores.
func BenchmarkStreaming(b *testing.B) {
	for _, c := range []struct {
		name  string
		slice func(width, elements int) *slice1.Desc
	}{
		{"rows=256B", inner(1, 256)},
		{"rows=4KiB", inner(1, 4<<10)},
		{"reverse-rows=4KiB", inner(-1, 4<<10)},
		{"stride2", inner(2, 4<<10)},
		{"transpose", transposed},
	} {
		b.Run("class="+c.name, func(b *testing.B) {
			for b.Loop() {
				for size := 4 << 20; size <= 64<<20; size *= 2 {
					d := c.slice(4, size/4)
					d.Input.DataType, d.Output.DataType = slice1.Uint32, slice1.Uint32
					dst, src := buffersOf(d)
					for i := range src { // else all its pages are one page of zeros
						src[i] = byte(i)
					}
					spent := func(p *slice1.Plan) time.Duration {
						start := time.Now()
						if err := p.Run(dst, src); err != nil {
							b.Fatal(err)
						}
						read += sum(dst)
						return time.Since(start)
					}
					through := newPlan(b, d, slice1.WithParallelism(1), slice1.WithStreaming(-1))
					past := newPlan(b, d, slice1.WithParallelism(1), slice1.WithStreaming(1))
					gains := make([]float64, 15)
					for i := range gains {
						gains[i] = float64(spent(through)) / float64(spent(past))
					}
					slices.Sort(gains)
					b.ReportMetric(gains[len(gains)/2], fmt.Sprintf("%dMiB-x", size>>20))
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// read keeps sums of what was read, so that the compiler cannot leave the reading out.
var read uint64

func sum(b []byte) (sum uint64) {
	for ; len(b) >= 32; b = b[32:] {
		sum += binary.NativeEndian.Uint64(b) + binary.NativeEndian.Uint64(b[8:]) + binary.NativeEndian.Uint64(b[16:]) + binary.NativeEndian.Uint64(b[24:])
	}
	return sum
}
