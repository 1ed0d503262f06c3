package slice1_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// together runs f on n goroutines at once, each with its number, and waits for them.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			f(i)
		}()
	}
	wg.Wait()
}

// largeDesc returns a random descriptor of any rank with output elements of 4 to
// 12 MiB, for which a plan uses several goroutines.
func largeDesc(rng *rand.Rand) *slice1.Desc {
	rank := 1 + rng.IntN(8)
	dtype := widths[1<<rng.IntN(4)]
	w := slice1.Window{}
	shape, total := make([]int, rank), dtype.Size()
	for range rank {
		w.Out = append(w.Out, 1)
	}
	for total < 4<<20 {
		i := rng.IntN(rank)
		n := w.Out[i] + 1 + rng.IntN(2*w.Out[i])
		total, w.Out[i] = total/w.Out[i]*n, n
	}
	for i, n := range w.Out {
		stride := 1
		if rng.IntN(rank) == 0 {
			stride = 1 + rng.IntN(3)
		}
		size := (n-1)*stride + 1
		offset := rng.IntN(3)
		shape[i] = offset + size + rng.IntN(3)
		if rng.IntN(2) == 0 {
			stride = -stride
		}
		w.Offsets, w.Sizes, w.Strides = append(w.Offsets, offset), append(w.Sizes, size), append(w.Strides, stride)
	}
	d := slice1.NewDesc(dtype, shape, w)
	if rng.IntN(3) == 0 {
		d.Input.Strides = randomStrides(rng, d.Input.Sizes)
	}
	if rng.IntN(3) == 0 {
		d.Output.Strides = randomStrides(rng, d.Output.Sizes)
	}
	return d
}

// looks is a context that is never done, and counts how often a run looks at it.
type looks struct {
	context.Context
	n atomic.Int64
}

func (l *looks) Err() error {
	l.n.Add(1)
	return nil
}

var partsAndGoroutines = regexp.MustCompile(`, (\d+) parts? on (\d+) goroutine`)

// Each part is handed out once, whatever the shape. A run looks at its context at its start and
// before each few parts. All goroutines except the one that runs the last part look once more
// before they find no part left. Tests in internal/plan, where parts are cut, show that parts hold
// each element once.
func TestEachPartOfAnyShapeRunsOnce(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	rng := rand.New(rand.NewPCG(14, 14))
	runs := 12
	if testing.Short() {
		runs = 4
	} else if *exhaustive {
		runs = 200
	}
	for run := 0; run < runs; {
		d := largeDesc(rng)
		in, errIn := d.Input.MinSize()
		out, errOut := d.Output.MinSize()
		if errIn != nil || errOut != nil || in > 64<<20 || out > 64<<20 {
			continue // padded axes within padded axes are too large
		}
		run++
		b := fill(d, run%9, rng)
		for _, kernel := range usableKernels() {
			most := runtime.GOMAXPROCS(0) // 1 on wasm
			if run%3 == 1 {
				most = 1
			}
			plan := newPlan(t, d, slice1.WithKernel(kernel), slice1.WithParallelism(most))
			counts := partsAndGoroutines.FindStringSubmatch(plan.String())
			require.Len(t, counts, 3, plan.String())
			parts, _ := strconv.Atoi(counts[1])
			goroutines, _ := strconv.Atoi(counts[2])
			require.Greater(t, parts, 3)
			require.Equal(t, most, goroutines, plan.String())
			some := 8
			if goroutines > 1 {
				some = max(1, min(8, parts/(4*goroutines)))
			}
			want := 1 + (parts+some-1)/some + goroutines - 1

			ctx := &looks{Context: context.Background()}
			dst := append([]byte(nil), b.dst...)
			at := 64 + run%9
			require.NoError(t, plan.RunContext(ctx, dst[at:at+int(out)], b.src))
			require.Equal(t, int64(want), ctx.n.Load(), plan.String())
			require.True(t, string(b.want) == string(dst), "%s: %s", kernel, plan)
			tested(t, kernel)
		}
	}
}

// BenchmarkCancel prints how long a run goes on after its context is done. That happens just as a
// part begins, the worst moment. It prints the least time of all runs, because something disturbed
// the longer ones.
func BenchmarkCancel(b *testing.B) {
	transposed := whole(slice1.Uint8, 8192, 8192)
	transposed.Input.Strides = []int{1, 8192}
	const n = 4 << 20
	apart := slice1.NewDesc(slice1.Uint8, []int{64 * n}, slice1.Window{Offsets: []int{0}, Sizes: []int{64 * n}, Strides: []int{-64}, Out: []int{n}})
	for name, d := range map[string]*slice1.Desc{
		"reversed": reversal(slice1.Float64, 16<<20), "transposed": transposed, "a line apart": apart,
	} {
		dst, src := buffersOf(d)
		src = bytes.Repeat([]byte{1}, len(src)) // else all its pages are one page of zeros
		for _, kernel := range usableKernels() {
			b.Run(fmt.Sprint(name, "/", kernel), func(b *testing.B) {
				p := newPlan(b, d, slice1.WithKernel(kernel))
				least := time.Duration(math.MaxInt64)
				for b.Loop() {
					ctx := &lastLook{Context: context.Background()}
					require.ErrorIs(b, p.RunContext(ctx, dst, src), context.Canceled)
					least = min(least, time.Since(ctx.at))
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(least.Microseconds()), "least-us")
			})
		}
	}
}

// A lastLook is a context that is done from the fifth look on. It notes the time of the fourth.
type lastLook struct {
	context.Context
	n  atomic.Int64
	at time.Time // of the fourth look
}

func (l *lastLook) Err() error {
	switch n := l.n.Add(1); {
	case n > 4:
		return context.Canceled
	case n == 4:
		l.at = time.Now()
	}
	return nil
}
