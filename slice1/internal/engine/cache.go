package engine

import (
	"sync"
	"sync/atomic"
)

const (
	cacheSets  = 256
	cacheSlots = 4       // of a set
	cacheBytes = 4 << 20 // of all entries, at most
)

// cache holds the entries of problems that came more than once. A problem's hash selects its set.
// Any number of goroutines may use a cache at once; find waits for none.
type cache struct {
	sets [cacheSets]struct {
		slots  [cacheSlots]atomic.Pointer[Entry]
		missed atomic.Uint64 // the hash of the last problem that was not found
	}
	mu    sync.Mutex // guards the rest, and is held to store in a slot
	bytes int64      // that the entries take
	hand  uint       // the slot that is looked at next for one to drop
}

var theCache cache

// find returns the entry of a problem, or nil if there is none. `again` is true if the problem that
// this set missed before had the same hash. Then the caller should put an entry.
func (c *cache) find(p *Problem) (found *Entry, again bool) {
	h := p.hash()
	set := &c.sets[h%cacheSets]
	for i := range set.slots {
		if e := set.slots[i].Load(); e != nil && e.problem.is(p) {
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

// put stores e, which is in no cache. It drops entries that were not found since the hand of the
// clock passed them, until there is room. It returns the entry of the same problem if another
// goroutine was faster.
func (c *cache) put(e *Entry) *Entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	set := &c.sets[e.problem.hash()%cacheSets]
	slot := -1
	for i := cacheSlots - 1; i >= 0; i-- {
		if other := set.slots[i].Load(); other == nil {
			slot = i
		} else if other.problem.is(&e.problem) {
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
func (c *cache) drop(slot *atomic.Pointer[Entry]) {
	e := slot.Swap(nil)
	e.cached = false
	c.bytes -= e.size
}

// Forget empties the cache of the process, for benchmarks of slices that come for the first time.
func Forget() { theCache.forget() }

func (c *cache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.sets {
		set := &c.sets[i]
		set.missed.Store(0)
		for j := range set.slots {
			if set.slots[j].Load() != nil {
				c.drop(&set.slots[j])
			}
		}
	}
}

// resize notes how many bytes e takes by now.
func (c *cache) resize(e *Entry, size int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.cached {
		c.bytes += size - e.size
	}
	e.size = size
}

// hash mixes bits with the multipliers and shifts of MurmurHash3's finalizer. Problems that collide
// on purpose displace each other; they do no other harm.
func (p *Problem) hash() uint64 {
	n := &p.Nest
	h := uint64(p.Workers)<<32 ^ uint64(p.Kernels)<<16 ^ uint64(n.Width)<<8 ^ uint64(n.Rank) ^
		uint64(p.Numbers.From)<<60 ^ uint64(p.Numbers.To)<<56 ^ uint64(uint8(p.Numbers.Valued))<<48
	for _, d := range n.Dims[:n.Rank] {
		h = (h ^ uint64(d.Extent)) * 0xff51afd7ed558ccd
		h = (h ^ h>>33 ^ uint64(d.Src)) * 0xc4ceb9fe1a85ec53
		h = (h ^ h>>33 ^ uint64(d.Dst)) * 0xff51afd7ed558ccd
	}
	return h ^ h>>33
}

// is reports whether two problems are equal. Loops beyond the rank of a nest do not count.
func (p *Problem) is(o *Problem) bool {
	if p.Kernels != o.Kernels || p.stores != o.stores || p.Workers != o.Workers || p.learns != o.learns || p.Numbers != o.Numbers ||
		p.Nest.Rank != o.Nest.Rank || p.Nest.Width != o.Nest.Width || p.Nest.DstOff != o.Nest.DstOff {
		return false
	}
	for i := range p.Nest.Dims[:p.Nest.Rank] {
		if p.Nest.Dims[i] != o.Nest.Dims[i] {
			return false
		}
	}
	return true
}
