package yield

import (
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// turns returns how often goroutines have got a processor so far, of those that the runtime tracks: one in eight.
func turns() (n uint64) {
	s := []metrics.Sample{{Name: "/sched/latencies:seconds"}}
	metrics.Read(s)
	for _, c := range s[0].Value.Float64Histogram().Counts {
		n += c
	}
	return n
}

// yields reports whether a goroutine yields when it has spent a long time in calls of so many picoseconds.
func yields(call int64) bool {
	before := turns()
	for range 1000 {
		for spent := int64(0); spent <= look; spent += call {
			p := processors.Get().(*processor)
			p.next = 0
			processors.Put(p)
			Before(call)
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
	for end := time.Now().Add(time.Minute); !yielded && time.Now().Before(end); { // others may wait at first
		yielded = yields(look / 3)
	}
	assert.True(t, yielded)
	assert.False(t, yields(least-1), "short calls")
	runtime.GOMAXPROCS(1)
	assert.False(t, yields(look/3), "one processor")
}

// No goroutine gets a processor that waits for one.
func TestOthersDoNotRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	waits := make(chan bool, 1)
	go func() { waits <- true }()
	assert.False(t, nobodyWaits())
	assert.Empty(t, waits)
	<-waits
}

// Whoever finds another goroutine looking does not yield.
func TestOneLooksAtATime(t *testing.T) {
	waiting.Lock()
	assert.False(t, nobodyWaits())
	waiting.Unlock()
}

func TestBeforeDoesNotAllocate(t *testing.T) {
	assert.Zero(t, testing.AllocsPerRun(1000, func() { Before(look) }))
}
