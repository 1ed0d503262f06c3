package slice1

import (
	"sync"
	"sync/atomic"
)

const (
	cacheSets  = 256
	cacheSlots = 4       // of a set
	cacheBytes = 4 << 20 // of all entries, at most
)

// cache holds the entries of shapes that came more than once. A shape's hash selects its set. Any number
// of goroutines may use a cache at once; find waits for none.
type cache struct {
	sets [cacheSets]struct {
		slots  [cacheSlots]atomic.Pointer[entry]
		missed atomic.Uint64 // the hash of the last shape that was not found
	}
	mu    sync.Mutex // guards the rest, and is held to store in a slot
	bytes int64      // that the entries take
	hand  uint       // the slot that is looked at next for one to drop
}

var theCache cache

// find returns the entry of a shape, or nil if there is none. again is true if the set misses the shape, or
// one of the same hash, for the second time in a row: then its entry should be put.
func (c *cache) find(s *shape) (found *entry, again bool) {
	h := s.hash()
	set := &c.sets[h%cacheSets]
	for i := range set.slots {
		if e := set.slots[i].Load(); e != nil && e.shape.is(s) {
			if !e.used.Load() {
				e.used.Store(true)
			}
			return e, false
		}
	}
	if set.missed.Load() == h {
		return nil, true
	}
	set.missed.Store(h)
	return nil, false
}

// put stores e, which is in no cache. It drops entries that were not found since the hand of the clock
// passed them, until there is room. It returns the entry of the same shape if another goroutine was faster.
func (c *cache) put(e *entry) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	set := &c.sets[e.hash()%cacheSets]
	slot := -1
	for i := cacheSlots - 1; i >= 0; i-- {
		if other := set.slots[i].Load(); other == nil {
			slot = i
		} else if other.shape.is(&e.shape) {
			return other
		}
	}
	for i := 0; slot < 0; i = (i + 1) % cacheSlots {
		if !set.slots[i].Load().used.Swap(false) {
			c.drop(&set.slots[i])
			slot = i
		}
	}
	e.cached = true
	e.used.Store(true)
	set.slots[slot].Store(e)
	c.bytes += e.size
	for c.bytes > cacheBytes {
		at := c.hand % (cacheSets * cacheSlots)
		c.hand++
		slot := &c.sets[at/cacheSlots].slots[at%cacheSlots]
		if other := slot.Load(); other != nil && other != e && !other.used.Swap(false) {
			c.drop(slot)
		}
	}
	return e
}

// drop empties a slot. Plans that hold its entry go on using it.
func (c *cache) drop(slot *atomic.Pointer[entry]) {
	e := slot.Swap(nil)
	e.cached = false
	c.bytes -= e.size
}

// resize notes how many bytes e takes by now.
func (c *cache) resize(e *entry, size int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.cached {
		c.bytes += size - e.size
	}
	e.size = size
}

// hash mixes bits with the multipliers and shifts of MurmurHash3's finalizer. Shapes that collide on
// purpose displace each other; they do no other harm.
func (s *shape) hash() uint64 {
	n := &s.nest
	h := uint64(s.workers)<<32 ^ uint64(s.kernels)<<16 ^ uint64(n.Width)<<8 ^ uint64(n.Rank)
	for _, d := range n.Dims[:n.Rank] {
		h = (h ^ uint64(d.Extent)) * 0xff51afd7ed558ccd
		h = (h ^ h>>33 ^ uint64(d.Src)) * 0xc4ceb9fe1a85ec53
		h = (h ^ h>>33 ^ uint64(d.Dst)) * 0xff51afd7ed558ccd
	}
	return h ^ h>>33
}

// is reports whether two shapes are equal. Loops beyond the rank of a nest do not count.
func (s *shape) is(o *shape) bool {
	if s.kernels != o.kernels || s.stores != o.stores || s.workers != o.workers || s.learns != o.learns ||
		s.nest.Rank != o.nest.Rank || s.nest.Width != o.nest.Width || s.nest.DstOff != o.nest.DstOff {
		return false
	}
	for i := range s.nest.Dims[:s.nest.Rank] {
		if s.nest.Dims[i] != o.nest.Dims[i] {
			return false
		}
	}
	return true
}
