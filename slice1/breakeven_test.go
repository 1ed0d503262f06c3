package slice1_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/seed2e45c115/dml/slice1"
)

// classes are slices to so many elements of so many bytes.
var classes = []struct {
	name  string
	slice func(width, elements int) *slice1.Desc
}{
	{"copy", inner(1, 1<<20)},
	{"rows=16B", inner(1, 16)},
	{"rows=64B", inner(1, 64)},
	{"rows=256B", inner(1, 256)},
	{"rows=1KiB", inner(1, 1<<10)},
	{"rows=4KiB", inner(1, 4<<10)},
	{"reverse", inner(-1, 1<<20)},
	{"reverse-rows=64B", inner(-1, 64)},
	{"stride2", inner(2, 1<<20)},
	{"stride2-rows=64B", inner(2, 64)},
	{"stride3", inner(3, 1<<20)},
	{"stride-2", inner(-2, 1<<20)},
	{"stride8", inner(8, 1<<20)},
	{"stride16", inner(16, 1<<20)},
	{"bgr", func(_, elements int) *slice1.Desc {
		return walked([]int{max(1, elements/3), 3}, []int{1, -1})
	}},
	{"axes", func(_, elements int) *slice1.Desc {
		return walked([]int{max(1, elements/64), 4, 2, 2, 4}, []int{1, -1, 1, -1, 1})
	}},
	{"transpose", transposed},
	{"fill", func(_, elements int) *slice1.Desc {
		d := walked([]int{elements}, []int{1})
		d.Input.Strides = []int{0}
		return d
	}},
	{"scatter", func(_, elements int) *slice1.Desc {
		d := walked([]int{elements}, []int{1})
		d.Output.Strides = []int{2}
		return d
	}},
}

// transposed takes the columns of a square as rows.
func transposed(_, elements int) *slice1.Desc {
	n := int(math.Sqrt(float64(elements)))
	d := walked([]int{n, n}, []int{1, 1})
	d.Input.Strides = []int{1, n}
	return d
}

// walked takes all elements, those of an axis of stride -1 from its end.
func walked(shape, strides []int) *slice1.Desc {
	return slice1.NewDesc(0, shape, slice1.Window{Offsets: make([]int, len(shape)), Sizes: shape, Strides: strides, Out: shape})
}

// inner takes rows of so many bytes, each every stride'th element of its row,
// which is one element longer than that takes.
func inner(stride, row int) func(width, elements int) *slice1.Desc {
	return func(width, elements int) *slice1.Desc {
		n := min(row/width, elements)
		rows, in := elements/n, (n+1)*max(stride, -stride)
		return slice1.NewDesc(0, []int{rows, in}, slice1.Window{
			Offsets: []int{0, 0}, Sizes: []int{rows, in}, Strides: []int{1, stride}, Out: []int{rows, n}})
	}
}

// BenchmarkBreakEven prints for each class and width the bytes of output from
// which on each kernel is faster than Go's, in a plan and in one Copy: what
// breakEven knows. Where it is 128 KiB, the kernel is not.
func BenchmarkBreakEven(b *testing.B) {
	widths := []struct {
		bytes    int
		dataType slice1.DataType
		copying  func(testing.TB, *slice1.Desc, string) func()
	}{
		{1, slice1.Uint8, copying[uint8]},
		{2, slice1.Uint16, copying[uint16]},
		{4, slice1.Uint32, copying[uint32]},
		{8, slice1.Uint64, copying[uint64]},
	}
	for _, c := range classes {
		for _, w := range widths {
			b.Run(fmt.Sprintf("class=%s/width=%d", c.name, w.bytes), func(b *testing.B) {
				for b.Loop() {
					for _, kernel := range usableKernels()[1:] {
						for _, way := range []struct {
							unit  string
							ready func(testing.TB, *slice1.Desc, string) func()
						}{{kernel + "-bytes", running}, {kernel + "-once-bytes", w.copying}} {
							from := 128 << 10
							for from > 64 {
								d := c.slice(w.bytes, from/2/w.bytes)
								d.Input.DataType, d.Output.DataType = w.dataType, w.dataType
								if gain(way.ready(b, d, "go"), way.ready(b, d, kernel)) < 1 {
									break
								}
								from /= 2
							}
							b.ReportMetric(float64(from), way.unit)
						}
					}
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// running returns what runs a plan of d that is made before.
func running(tb testing.TB, d *slice1.Desc, kernel string) func() {
	dst, src := buffersOf(d)
	p := newPlan(tb, d, slice1.WithKernel(kernel))
	return func() {
		if err := p.Run(dst, src); err != nil {
			tb.Fatal(err)
		}
	}
}

// copying returns what plans d and runs it.
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

// gain returns how many times longer before takes than after: the median of
// rounds in which each has its turn.
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
// takes to store them through the caches than past them, and then to read them: what
// streamFrom knows.
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
					for i := range src { // else all of it is one page of zeros
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

// read keeps what was read.
var read uint64

func sum(b []byte) (sum uint64) {
	for ; len(b) >= 32; b = b[32:] {
		sum += binary.NativeEndian.Uint64(b) + binary.NativeEndian.Uint64(b[8:]) + binary.NativeEndian.Uint64(b[16:]) + binary.NativeEndian.Uint64(b[24:])
	}
	return sum
}
