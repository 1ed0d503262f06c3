// Package yield keeps goroutines that spend nearly all of their time in C from losing their
// processor.
//
// A goroutine that runs needs a P, one of the GOMAXPROCS processors of Go's scheduler. sysmon, a
// thread of the runtime, makes each goroutine give its P back every 10 ms. It cannot preempt C. A
// goroutine that it finds in C at every check loses its P at every check. sysmon checks as often as
// every 20 us (see runtime/proc.go), and to get a P back takes about 50 us. So we call Gosched
// every 4 ms: a goroutine that yields in time keeps its P.
package yield

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

const (
	MinCall  = 500_000              // picoseconds; a shorter call is not counted
	look     = 200_000_000          // picoseconds of calls after which the clock is read
	interval = 4 * time.Millisecond // after which a goroutine yields
	share    = 1 / 500.             // the most of its time that a goroutine spends on yielding
)

// processor has what is known about the goroutines of a processor. A sync.Pool keeps about one for
// each P.
type processor struct {
	spent     int64         // picoseconds of calls since the clock was read
	nextYield time.Duration // when a goroutine is to yield, counted from began
}

var (
	processors = sync.Pool{New: func() any {
		nobodyWaits() // the first read of a metric allocates
		return new(processor)
	}}
	began = time.Now()
	calm  atomic.Bool // whether the goroutine that last read the clock yielded in time
)

// waiting reads how many goroutines wait for a processor.
var waiting = struct {
	sync.Mutex
	read [1]metrics.Sample
}{read: [1]metrics.Sample{{Name: "/sched/goroutines/runnable:goroutines"}}}

// BeforeCall must be called before a call into C that takes about so many picoseconds. Every few
// milliseconds it yields the processor. It does not yield if other goroutines wait for a processor,
// since one of them would get it. BeforeCall is safe for concurrent use.
func BeforeCall(call int64) {
	if call >= MinCall { // this is so little code that it is inlined
		beforeCall(call)
	}
}

func beforeCall(call int64) {
	p := processors.Get().(*processor)
	defer processors.Put(p)
	if p.spent += call; p.spent < look {
		return
	}
	p.spent = 0
	elapsed := time.Since(began)
	if elapsed-p.nextYield > interval { // there were no calls for a while
		p.nextYield = elapsed + interval
		calm.Store(false)
	}
	if elapsed < p.nextYield || !nobodyWaits() {
		return
	}
	runtime.Gosched()
	// If the goroutine is locked to a thread, to yield takes as long as the loss of a P.
	pause := max(interval, time.Duration(float64(time.Since(began)-elapsed)/share))
	p.nextYield = elapsed + pause
	calm.Store(pause == interval)
}

// Calm reports whether yields have lately kept the scheduler from taking the processor of a long
// call. Its monitor, sysmon, then sleeps longer, up to 10 ms. Calm is for processes with
// GOMAXPROCS=1.
func Calm() bool { return calm.Load() }

// nobodyWaits reports whether no goroutine waits for a processor.
func nobodyWaits() bool {
	if !waiting.TryLock() {
		return false
	}
	defer waiting.Unlock()
	metrics.Read(waiting.read[:])
	return waiting.read[0].Value.Uint64() == 0
}
