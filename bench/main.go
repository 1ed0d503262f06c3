// Command bench times the kernels side by side with the loops they replace:
// the plain Go loop and, where there is a C compiler, the same loop in C as
// the compiler vectorises it for a stride known at compile time.
//
// All contenders of a row take turns, round by round, on the same buffers;
// figures are medians over the rounds, ratios medians of the ratios in each
// round. Throughput counts output bytes.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"text/tabwriter"
	"unsafe"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1"
)

func main() {
	rounds := flag.Int("rounds", 15, "rounds per row")
	sizes := flag.String("sizes", "4096,16384,65536,524288", "bytes of output, separated by commas, each a multiple of 8")
	flag.Parse()
	bytes, err := parseSizes(*sizes)
	if err != nil || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "bench:", err, flag.Args())
		os.Exit(2)
	}

	fmt.Printf("%s, %s/%s, %s, C compiler: %s\n", cpuid.Host().Brand, runtime.GOOS, runtime.GOARCH, runtime.Version(), compiler)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "stride\twidth\tbytes\tnaive Go\tgo\tauto C\tkernel\tdml\tchosen\tkernel/naive\tkernel/go\tkernel/auto\tdml/go\tdml/auto\t")
	for _, width := range []int{1, 2, 4, 8} {
		for _, stride := range []int{-1, 2, 3, 4} {
			for _, size := range bytes {
				r, err := measure(stride, width, size, *rounds)
				if err != nil {
					fmt.Fprintln(os.Stderr, "bench:", err)
					os.Exit(1)
				}
				fmt.Fprintf(w, "%d\t%d\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%s\t%.1f\t%.1f\t%.2f\t%.1f\t%.2f\t\n", stride, width, size,
					r.rate[naive], r.rate[portable], r.rate[auto], r.rate[native], r.rate[dml], r.chosen,
					r.ratio(naive, native), r.ratio(portable, native), r.ratio(auto, native), r.ratio(portable, dml), r.ratio(auto, dml))
			}
		}
		w.Flush()
	}
	fmt.Print(`
Rates are GB/s of output. go, kernel: the Go kernel and the C kernel the library
has for this host, auto C: the loop as the C compiler vectorises it; the two
in C are called alike, through cgo. dml: Plan.Run with its own choice.
Ratios above 1: the first is faster.
`)
}

func parseSizes(list string) (sizes []int, err error) {
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 8 || n%8 != 0 {
			return nil, fmt.Errorf("%q is not a size", word)
		}
		sizes = append(sizes, n)
	}
	return sizes, nil
}

// The contenders of a row.
const (
	naive = iota
	portable
	auto
	native
	dml
	contenders
)

// row is one line of the table.
type row struct {
	times  [contenders][]float64 // ns by round
	rate   [contenders]float64   // GB/s of output
	chosen string                // the plan's kernel
}

// ratio returns how many times as fast as a is b; 0 if one of them is missing.
func (r *row) ratio(a, b int) float64 {
	ratios := make([]float64, len(r.times[a]))
	for i := range ratios {
		if r.times[b][i] > 0 {
			ratios[i] = r.times[a][i] / r.times[b][i]
		}
	}
	return median(ratios)
}

// measure times all contenders on size bytes of output, taking every
// stride-th element of the given width.
func measure(stride, width, size, rounds int) (*row, error) {
	dtype := map[int]slice1.DataType{1: slice1.Uint8, 2: slice1.Uint16, 4: slice1.Uint32, 8: slice1.Uint64}[width]
	n := size / width
	extent := n * max(stride, -stride)
	d := slice1.NewDesc(dtype, []int{extent}, slice1.Window{Offsets: []int{0}, Sizes: []int{extent}, Strides: []int{stride}, Out: []int{n}})
	plan, err := slice1.NewPlan(d, slice1.WithParallelism(1))
	if err != nil {
		return nil, err
	}
	goPlan, err := slice1.NewPlan(d, slice1.WithParallelism(1), slice1.WithKernel("go"))
	if err != nil {
		return nil, err
	}
	src, dst := make([]byte, extent*width), make([]byte, size)
	for i := range src {
		src[i] = byte(i * 7)
	}
	r := &row{chosen: plan.Kernel()}
	r.times = interleave(rounds, [contenders]func(){
		naive:    naiveLoop(dst, src, stride, width),
		portable: func() { err = goPlan.Run(dst, src) },
		auto:     autoLoop(dst, src, stride, width),
		native:   nativeKernel(dst, src, stride, width),
		dml:      func() { err = plan.Run(dst, src) },
	})
	for i, times := range r.times {
		if t := median(times); t > 0 {
			r.rate[i] = float64(size) / t
		}
	}
	return r, err
}

// nativeKernel returns a run of the strongest C kernel that can run here, or
// nil if there is none.
func nativeKernel(dst, src []byte, stride, width int) func() {
	usable := ""
	for _, k := range slice1.Kernels() {
		if k.Usable {
			usable = k.Name
		}
	}
	for _, k := range csrc.Kernels() {
		if k.Name != usable {
			continue
		}
		n := csrc.Nest{Rank: 1, Width: int32(width)}
		n.Dims[0] = csrc.Dim{Extent: int64(len(dst) / width), Src: int64(stride * width), Dst: int64(width)}
		if stride < 0 {
			n.SrcOff = int64(len(src) - width)
		}
		var p csrc.Program
		k.Prepare(&p, &n)
		d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
		return func() { k.Run(&p, d, s) }
	}
	return nil
}
