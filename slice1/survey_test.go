package slice1_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed2e45c115/dml/slice1"
)

// BenchmarkSurvey looks for slices that a kernel runs slower than the kernel "go". For random
// slices it prints how many times longer "go" takes, as a geometric mean, and the percentage for
// which "go" takes less than 0.9 times as long. It also prints at most ten of these slices, the
// worst first.
func BenchmarkSurvey(b *testing.B) {
	for _, kernel := range usableKernels()[1:] {
		b.Run("kernel="+kernel, func(b *testing.B) {
			for b.Loop() {
				const runs = 600
				type found struct {
					gain float64
					what string
				}
				var all []found
				sum, slower := 0.0, 0
				rng := rand.New(rand.NewPCG(1, 2))
				for range runs {
					d := surveyed(rng)
					f := found{gain: gain(running(b, d, "go"), running(b, d, kernel))}
					if f.gain < 0.9 {
						slower++
						f.what = strings.Join(strings.Fields(newPlan(b, d, slice1.WithKernel(kernel)).String()), " ")
						all = append(all, f)
					}
					sum += math.Log(f.gain)
				}
				slices.SortFunc(all, func(x, y found) int { return cmp.Compare(x.gain, y.gain) })
				for _, f := range all[:min(len(all), 10)] {
					b.Logf("%.2f times Go's speed: %s", f.gain, f.what)
				}
				b.ReportMetric(math.Exp(sum/runs), "x-go")
				b.ReportMetric(100*float64(slower)/runs, "%-slower")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// surveyed returns a slice to at most 32 KiB. It has up to five axes, most of them short,
// and small strides; its input has at most 1 MiB and may be permuted.
func surveyed(rng *rand.Rand) *slice1.Desc {
	dataType := []slice1.DataType{slice1.Uint8, slice1.Uint16, slice1.Uint32, slice1.Uint64}[rng.IntN(4)]
	left := 32 << 10 / dataType.Size()
	var out []int
	for range rng.IntN(5) {
		n := min(left, []int{2, 3, 4, 5, 6, 7, 8, 12, 16, 32, 64}[rng.IntN(11)])
		out = append(out, n)
		left /= n
	}
	out = append(out, left)
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	w := slice1.Window{Offsets: make([]int, len(out)), Out: out}
	for _, n := range out {
		stride := []int{1, 1, 1, -1, -1, 2, -2, 3}[rng.IntN(8)]
		w.Strides = append(w.Strides, stride)
		w.Sizes = append(w.Sizes, (n-1)*max(stride, -stride)+1+[]int{0, 0, 1, 5}[rng.IntN(4)])
	}
	d := slice1.NewDesc(dataType, w.Sizes, w)
	if rng.IntN(3) == 0 {
		d.Input.Strides = make([]int, len(out))
		next := 1
		for _, i := range rng.Perm(len(out)) {
			d.Input.Strides[i] = next
			next *= w.Sizes[i]
		}
	}
	if size, err := d.Input.MinSize(); err != nil {
		panic(fmt.Sprint("invalid descriptor: ", err))
	} else if size > 1<<20 {
		return surveyed(rng)
	}
	return d
}
