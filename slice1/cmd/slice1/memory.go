package main

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"sync"
)

// memory bounds what the inputs that are done at a time, and their outputs, may hold together.
// Buffers of a few MiB do not count. For example, of 8 GiB four inputs have 1 GiB each. If one of
// them needs 3 GiB, it gets the other half of 4 GiB as well. An input of 6 GiB is done alone when
// the others are done. In general each input has an equal share of one half. The other half goes to
// one input at a time that needs more. That input then waits for nobody, so no input waits for
// ever.
type memory struct {
	all, share, half int64 // bytes
	lent             sync.Mutex
}

// account counts what an input holds of a memory.
type account struct {
	*memory
	held int64
	more bool // it has the other half
}

// errAlone is the error of a claim that the input can make only if it is done alone.
var errAlone = errors.New("too large to be done beside others")

// mostHeld returns the most bytes that all inputs and outputs may hold. Go's heap may be 1.5 times
// as large.
var mostHeld = sync.OnceValue(func() int64 {
	n := min(freeMemory()/2, math.MaxInt/2)
	debug.SetMemoryLimit(min(debug.SetMemoryLimit(-1), n+n/2))
	return n
})

// newMemory returns a memory of n bytes for so many inputs at a time.
func newMemory(n int64, inputs int) *memory {
	return &memory{all: n, share: n / 2 / int64(inputs), half: n / 2}
}

// take adds n bytes to the account. It waits while another account has the other half, if it needs
// it. If there are never so many bytes, it returns an error. what names the input in the error.
func (a *account) take(n int64, what string) error {
	switch {
	case n > a.all-a.held:
		return fmt.Errorf("%s takes %s of memory, of which %s can be used", what, binaryUnits(float64(a.held)+float64(n)), binaryUnits(float64(a.all)))
	case n > a.share+a.half-a.held && a.share < a.half:
		return errAlone
	case n > a.share-a.held && a.share < a.half && !a.more:
		a.lent.Lock()
		a.more = true
	}
	if a.held += n; n > a.all/16 {
		runtime.GC() // bytes that were given back are garbage now: not held, but still in memory
	}
	return nil
}

// give takes n bytes off the account.
func (a *account) give(n int64) {
	if a.held -= n; a.more && a.held <= a.share {
		a.more = false
		a.lent.Unlock()
	}
}
