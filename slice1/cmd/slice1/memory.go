package main

import (
	"fmt"
	"sync"
)

// memory bounds the bytes that the inputs and outputs of all goroutines hold together, but for
// buffers of a few MiB. An input that claims memory does so once, so that none waits for
// another's while it holds its own.
type memory struct {
	sync.Mutex
	freed       *sync.Cond
	limit, held int64
}

func newMemory(limit int64) *memory {
	m := &memory{limit: limit}
	m.freed = sync.NewCond(m)
	return m
}

// held is the memory of the process.
var held = sync.OnceValue(func() *memory { return newMemory(mostMemory()) })

// take waits until n bytes are free and takes them. It is an error if there are never so many; what
// names what takes them.
func (m *memory) take(n int64, what string) error {
	if n > m.limit {
		return fmt.Errorf("%s takes %s of memory, of which %s can be used", what, binaryUnits(float64(n)), binaryUnits(float64(m.limit)))
	}
	m.Lock()
	defer m.Unlock()
	for m.held+n > m.limit {
		m.freed.Wait()
	}
	m.held += n
	return nil
}

func (m *memory) give(n int64) {
	m.Lock()
	defer m.Unlock()
	m.held -= n
	m.freed.Broadcast()
}
