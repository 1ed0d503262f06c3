// Package yield keeps goroutines that spend nearly all of their time in C from losing their
// processor.
//
// A goroutine that runs needs a P, one of the GOMAXPROCS processors of Go's scheduler. sysmon, a
// thread of the runtime, wants each goroutine to give its P back every 10 milliseconds, and cannot
// preempt C. A goroutine that it always finds in C loses its P at every check, down to every 20 us
// (as runtime/proc.go has it), and getting one back costs about 50 us. So we call Gosched every 4
// ms: who yields in time keeps its P.
package yield

import (
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

const (
	least = 500_000              // picoseconds that a call takes at least to be counted
	look  = 200_000_000          // picoseconds of calls after which the clock is read
	every = 4 * time.Millisecond // after which a goroutine yields
	share = 1 / 500.             // of its time that a goroutine spends on yielding at most
)

// processor is what is known of the goroutines of a processor.
type processor struct {
	spent int64         // picoseconds of calls since the clock was read
	next  time.Duration // when a goroutine is to yield, counted from began
}

var (
	processors = sync.Pool{New: func() any {
		nobodyWaits() // the first time, to read a metric allocates
		return new(processor)
	}}
	began = time.Now()
	calm  atomic.Bool // whether the last goroutine to look yielded, in time
)

// waiting is how many goroutines wait for a processor.
var waiting = struct {
	sync.Mutex
	read [1]metrics.Sample
}{read: [1]metrics.Sample{{Name: "/sched/goroutines/runnable:goroutines"}}}

// Before is to be called before a call into C that takes about so many picoseconds. Every few
// milliseconds it yields the processor, unless other goroutines wait for one: it would be theirs.
// Before is safe for concurrent use.
func Before(call int64) {
	if call >= least { // so little that it is inlined
		before(call)
	}
}

func before(call int64) {
	p := processors.Get().(*processor)
	defer processors.Put(p)
	if p.spent += call; p.spent < look {
		return
	}
	p.spent = 0
	now := time.Since(began)
	if now-p.next > every { // no calls for a while
		p.next = now + every
		calm.Store(false)
	}
	if now < p.next || !nobodyWaits() {
		return
	}
	runtime.Gosched()
	// If the goroutine is locked to a thread, to yield takes as long as what it is to avoid.
	pause := max(every, time.Duration(float64(time.Since(began)-now)/share))
	p.next = now + pause
	calm.Store(pause == every)
}

// Calm reports whether yields came in time lately; sysmon then backs off to long sleeps, up to 10
// ms, when calls are short for a while. It is for processes with GOMAXPROCS=1.
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
