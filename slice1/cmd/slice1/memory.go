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

// mostTogether is the most inputs that are done beside each other. One of them at a time may hold
// more than mostHeld/(2*mostTogether). So they all hold at most 1.5 times mostHeld.
const mostTogether = 16

// large is locked by the source that holds more than the others may.
var large sync.Mutex

// reserve adds n bytes, which will be allocated next, to what the source holds until it is closed.
// It returns an error if all are too many. It waits while another source is large.
func (s *source) reserve(n int64) error {
	if n > mostHeld()-s.held {
		return fmt.Errorf("%s takes %s of memory, of which %s can be used", s.name, binaryUnits(float64(s.held)+float64(n)), binaryUnits(float64(mostHeld())))
	}
	if s.held += n; s.held > mostHeld()/(2*mostTogether) && !s.large {
		large.Lock()
		s.large = true
	}
	return nil
}
