package slice1_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/seed2e45c115/dml/slice1"
)

// BenchmarkTransposedPictures turns pictures of many sizes, with rows that are whole cache lines or
// not. It prints how many times longer a plan takes without non-temporal stores than with them. It
// prints the same with the time to read a byte of each line of the output. It also prints how many
// times longer the planner's choice takes than the faster of the two.
func BenchmarkTransposedPictures(b *testing.B) {
	for _, width := range []int{1, 2, 4, 8} {
		for _, mib := range []float64{1, 2, 3, 4, 6, 8, 12, 16, 24, 48} {
			high := int(math.Sqrt(mib*(1<<20)/float64(width)/1.7)) / 64 * 64
			wide := int(mib*(1<<20)) / width / high / 64 * 64
			for _, more := range []int{0, 13} {
				d := whole(widths[width], wide+more, high+more)
				d.Input.Strides = []int{1, wide + more}
				b.Run(fmt.Sprintf("width=%d/picture=%dx%d", width, wide+more, high+more), func(b *testing.B) {
					dst, src := buffersOf(d)
					for i := range src {
						src[i] = byte(i * 7)
					}
					var plans [3]*slice1.Plan
					for i, from := range []int64{0, -1, 1} {
						plans[i] = newPlan(b, d, slice1.WithParallelism(1), slice1.WithStreaming(from))
					}
					var best, summed [3]float64
					for i := range best {
						best[i], summed[i] = math.Inf(1), math.Inf(1)
					}
					sum := byte(0)
					for b.Loop() {
						for range max(5, int(64/mib)) {
							for i, p := range plans {
								// The first of two runs brings the caches into the state
								// that the plan leaves.
								for range 2 {
									start := time.Now()
									if err := p.Run(dst, src); err != nil {
										b.Fatal(err)
									}
									best[i] = min(best[i], time.Since(start).Seconds())
									for at := 0; at < len(dst); at += 64 {
										sum += dst[at]
									}
									summed[i] = min(summed[i], time.Since(start).Seconds())
								}
							}
						}
					}
					b.ReportMetric(0, "ns/op")
					b.ReportMetric(best[1]/best[2], "x-nt")
					b.ReportMetric(summed[1]/summed[2], "x-nt-summed")
					b.ReportMetric(best[0]/min(best[1], best[2]), "choice/best")
				})
			}
		}
	}
}
