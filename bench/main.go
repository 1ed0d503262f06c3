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
	"text/tabwriter"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/slice1"
)

func main() {
	rounds := flag.Int("rounds", 15, "rounds per row")
	flag.Parse()

	fmt.Printf("%s, %s/%s, %s, C compiler: %s\n", cpuid.Host().Brand, runtime.GOOS, runtime.GOARCH, runtime.Version(), compiler)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "stride\twidth\toutput\tnaive Go\tgo\tauto C\tdml\tkernel\tdml/naive\tdml/go\tdml/auto\t")
	for _, width := range []int{1, 2, 4, 8} {
		for _, stride := range []int{-1, 2, 3, 4} {
			for _, size := range []int{4 << 10, 16 << 10, 64 << 10, 512 << 10} {
				r, err := measure(stride, width, size, *rounds)
				if err != nil {
					fmt.Fprintln(os.Stderr, "bench:", err)
					os.Exit(1)
				}
				fmt.Fprintf(w, "%d\t%d\t%d KiB\t%.1f\t%.1f\t%.1f\t%.1f\t%s\t%.1fx\t%.1fx\t%.2fx\t\n", stride, width, size>>10,
					r.rate[naive], r.rate[portable], r.rate[auto], r.rate[dml], r.kernel, r.ratio[naive], r.ratio[portable], r.ratio[auto])
			}
		}
		w.Flush()
	}
	fmt.Println("rates in GB/s of output; ratios above 1: dml is faster")
}

// The contenders of a row.
const (
	naive = iota
	portable
	auto
	dml
	contenders
)

// row is one line of the table.
type row struct {
	rate   [contenders]float64 // GB/s of output
	ratio  [contenders]float64 // time of the contender by that of dml
	kernel string
}

// measure times all contenders on size bytes of output, taking every
// stride-th element of the given width.
func measure(stride, width, size, rounds int) (row, error) {
	dtype := map[int]slice1.DataType{1: slice1.Uint8, 2: slice1.Uint16, 4: slice1.Uint32, 8: slice1.Uint64}[width]
	n := size / width
	extent := n * max(stride, -stride)
	d := slice1.NewDesc(dtype, []int{extent}, slice1.Window{Offsets: []int{0}, Sizes: []int{extent}, Strides: []int{stride}, Out: []int{n}})
	plan, err := slice1.NewPlan(d, slice1.WithParallelism(1))
	if err != nil {
		return row{}, err
	}
	goPlan, err := slice1.NewPlan(d, slice1.WithParallelism(1), slice1.WithKernel("go"))
	if err != nil {
		return row{}, err
	}
	src, dst := make([]byte, extent*width), make([]byte, size)
	for i := range src {
		src[i] = byte(i * 7)
	}
	times := interleave(rounds, [contenders]func(){
		naive:    naiveLoop(dst, src, stride, width),
		portable: func() { err = goPlan.Run(dst, src) },
		auto:     autoLoop(dst, src, stride, width),
		dml:      func() { err = plan.Run(dst, src) },
	})
	r := row{kernel: plan.Kernel()}
	for i := range times {
		r.rate[i] = float64(size) / median(times[i])
		ratios := make([]float64, rounds)
		for j := range ratios {
			ratios[j] = times[i][j] / times[dml][j]
		}
		r.ratio[i] = median(ratios)
	}
	return r, err
}
