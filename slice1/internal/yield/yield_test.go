package yield

import (
	"runtime"
	"runtime/metrics"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/slice1/internal/exec"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// turns returns how often goroutines have got a processor so far. The runtime tracks one in eight
// goroutines, and turns counts only these.
func turns() (n uint64) {
	s := []metrics.Sample{{Name: "/sched/latencies:seconds"}}
	metrics.Read(s)
	for _, c := range s[0].Value.Float64Histogram().Counts {
		n += c
	}
	return n
}

// yields reports whether a goroutine yields when it has spent a long time in calls of so many
// picoseconds.
func yields(call int64) bool {
	before := turns()
	for range 1000 {
		for spent := int64(0); spent <= look; spent += call {
			p := processors.Get().(*processor)
			p.nextYield = time.Since(began)
			processors.Put(p)
			BeforeCall(call)
		}
	}
	return turns() > before+20
}

func TestGoroutinesYield(t *testing.T) {
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("a single processor")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	yielded := false
	for end := time.Now().Add(time.Minute); !yielded && time.Now().Before(end); { // other goroutines may wait at first
		yielded = yields(look / 3)
	}
	assert.True(t, yielded)
	assert.False(t, yields(MinCall-1), "short calls")
}

// A goroutine that calls C after a pause is calm once it has yielded.
func TestCalm(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	calls := func(next time.Duration) bool {
		p := processors.Get().(*processor)
		p.nextYield = next
		processors.Put(p)
		BeforeCall(look)
		return Calm()
	}
	calm := false
	for end := time.Now().Add(time.Minute); !calm && time.Now().Before(end); { // other goroutines may wait at first, and yielding may be slow
		calm = calls(time.Since(began))
	}
	assert.True(t, calm)
	assert.False(t, calls(time.Since(began)-2*interval))
}

// A goroutine that waits for a processor keeps nobodyWaits false, and does not run meanwhile. On a
// busy machine Go may interrupt the test between two statements, and the goroutine runs then. So
// one try of many must go as it should: none would if nobodyWaits let others run.
func TestOthersDoNotRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for range 1000 {
		waits := make(chan bool, 1)
		go func() { waits <- true }()
		nobody := nobodyWaits()
		ran := len(waits) > 0
		<-waits
		if !nobody && !ran {
			return
		}
	}
	t.Error("the goroutine that waits is not seen, or runs")
}

// A goroutine does not yield while another one looks whether goroutines wait.
func TestOneLooksAtATime(t *testing.T) {
	waiting.Lock()
	assert.False(t, nobodyWaits())
	waiting.Unlock()
}

func TestBeforeDoesNotAllocate(t *testing.T) {
	assert.Zero(t, testing.AllocsPerRun(1000, func() { BeforeCall(look) }))
}

// BenchmarkYields calls C from one goroutine with yields and without, in turns of 100 ms, and
// prints the mean and the 99th percentile of the times from call to call.
//
//	go test ./slice1/internal/yield -run - -bench Yields -benchtime 10x
func BenchmarkYields(b *testing.B) {
	var kernels plan.Kernels
	for number := range program.Sets {
		if k := plan.Kernel(number); k.CallsC() && k.Built() && k.Lacks(cpuid.Host()) == "" {
			kernels |= plan.OneKernel(k)
		}
	}
	if kernels == 0 {
		b.Skip("no kernel in C")
	}
	src, dst := make([]byte, 1<<20), make([]byte, 512<<10)
	for i := range src {
		src[i] = byte(i)
	}
	for name, dims := range map[string][nest.MaxRank]nest.Dim{
		"rows of 4 KiB":  {{Extent: 128, Src: 8192, Dst: 4096}, {Extent: 4096, Src: 1, Dst: 1}},
		"every 4th byte": {{Extent: 512, Src: 2048, Dst: 512}, {Extent: 512, Src: 4, Dst: 1}},
	} {
		b.Run(name, func(b *testing.B) {
			n := nest.Nest{Rank: 2, Width: 1, Dims: dims}
			pieces := plan.Cut(&n, plan.Stores{Cached: true}, plan.Cutting{})
			c := plan.ThisHost().Candidates(&n, 1, &plan.Problem{Kernels: kernels, Stores: plan.Stores{Cached: true}})[0]
			w, call := exec.Slice(&pieces, c, nil, nil), c.Cost
			var with, without []time.Duration
			for b.Loop() {
				with = appendTimes(with, func() {
					BeforeCall(call)
					w.Slice(unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]))
				})
				without = appendTimes(without, func() {
					w.Slice(unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]))
				})
			}
			b.ReportMetric(0, "ns/op")
			report(b, with, "with")
			report(b, without, "without")
		})
	}
}

// appendTimes calls f for 100 ms and appends the time of each call.
func appendTimes(times []time.Duration, f func()) []time.Duration {
	begin := time.Now()
	for at := time.Duration(0); at < 100*time.Millisecond; {
		f()
		before := at
		at = time.Since(begin)
		times = append(times, at-before)
	}
	return times
}

// report prints the mean of times and their 99th percentile.
func report(b *testing.B, times []time.Duration, yields string) {
	slices.Sort(times)
	sum := 0.0
	for _, t := range times {
		sum += t.Seconds()
	}
	b.ReportMetric(1e6*sum/float64(len(times)), yields+"-mean-us")
	b.ReportMetric(1e6*times[len(times)*99/100].Seconds(), yields+"-p99-us")
}
