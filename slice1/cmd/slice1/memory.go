package main

import (
	"fmt"
	"math"
	"runtime/debug"
	"sync"
)

// mostHeld returns the most bytes that an input and its output may hold: half of the memory that
// the process may have. Streams that are sliced while they are read hold next to nothing. Go's heap
// may be 1.5 times as large, for inputs that are done beside each other.
var mostHeld = sync.OnceValue(func() int64 {
	n := min(memoryLimit()/2, math.MaxInt/2)
	debug.SetMemoryLimit(min(debug.SetMemoryLimit(-1), n+n/2))
	return n
})

// large is locked by the one input at a time that holds more than its share.
var large sync.Mutex

// claim is what an input and its output hold.
type claim struct {
	share int64 // bytes that the inputs that are done at a time may hold each; 0: no limit
	held  int64 // bytes
	large bool  // more than the share
}

// take adds n bytes that will be allocated next. It returns an error if all are too many. what
// names the input. It waits while another input holds more than its share.
func (c *claim) take(n int64, what string) error {
	if n > mostHeld()-c.held {
		return fmt.Errorf("%s takes %s of memory, of which %s can be used", what, binaryUnits(float64(c.held)+float64(n)), binaryUnits(float64(mostHeld())))
	}
	if c.held += n; c.share > 0 && c.held > c.share && !c.large {
		large.Lock()
		c.large = true
	}
	return nil
}

// end gives back everything.
func (c *claim) end() {
	if c.held = 0; c.large {
		c.large = false
		large.Unlock()
	}
}
