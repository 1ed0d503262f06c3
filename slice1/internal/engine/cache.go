package engine

import (
	"sync"
	"sync/atomic"

	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

const (
	cacheSets  = 256
	cacheSlots = 4       // slots of a set
	cacheBytes = 4 << 20 // the most bytes that all entries may take
)

// cache holds the entries of problems that came more than once. A problem's hash selects its set.
// Any number of goroutines may use a cache at once. find waits for no other goroutine.
type cache struct {
	sets [cacheSets]struct {
		slots  [cacheSlots]atomic.Pointer[Entry]
		missed [2]atomic.Uint64 // the hashes of the last two problems that were not found, the last one first
	}
	mu    sync.Mutex // guards the fields below, and is held to store in a slot
	bytes int64      // how many the entries take
	hand  uint       // the slot at which the search for an entry to drop goes on
}

var theCache cache

// find returns the entry of a problem, or nil if there is none. repeated is true if one of the last
// two problems that were not found in this set had the same hash. Then the caller should put an
// entry. Two, since a program may run two layouts in turns, whose problems may be in one set.
func (c *cache) find(p *plan.Problem) (found *Entry, repeated bool) {
	h := hash(p)
	set := &c.sets[h%cacheSets]
	for i := range set.slots {
		if e := set.slots[i].Load(); e != nil && equal(&e.problem, p) {
			if !e.used.Load() {
				e.used.Store(true)
			}
			return e, false
		}
	}
	if set.missed[0].Load() == h || set.missed[1].Load() == h {
		return nil, true
	}
	set.missed[1].Store(set.missed[0].Swap(h))
	return nil, false
}

// put stores e, which is in no cache. To make room it drops entries by the clock algorithm: the
// hand passes over entries that were found since it passed them last, and drops the others. If
// another goroutine has stored an entry of the same problem, put returns that one. An entry that
// alone is larger than the cache is not stored.
func (c *cache) put(e *Entry) *Entry {
	if e.size > cacheBytes {
		return e
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	set := &c.sets[hash(&e.problem)%cacheSets]
	slot := -1
	for i := cacheSlots - 1; i >= 0; i-- {
		if cached := set.slots[i].Load(); cached == nil {
			slot = i
		} else if equal(&cached.problem, &e.problem) {
			return cached
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
	c.fit(e)
	return e
}

// fit drops entries until they take at most cacheBytes, e after all others. The caller holds mu.
func (c *cache) fit(e *Entry) {
	for c.bytes > cacheBytes {
		index := c.hand % (cacheSets * cacheSlots)
		c.hand++
		slot := &c.sets[index/cacheSlots].slots[index%cacheSlots]
		if cached := slot.Load(); cached != nil && (cached != e || c.bytes == e.size) && !cached.used.Swap(false) {
			c.drop(slot)
		}
	}
}

// drop empties a slot. Plans that hold its entry go on using it.
func (c *cache) drop(slot *atomic.Pointer[Entry]) {
	e := slot.Swap(nil)
	e.cached = false
	c.bytes -= e.size
}

// Forget empties the cache of the process, for benchmarks of slices that are new.
func Forget() {
	c := &theCache
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.sets {
		set := &c.sets[i]
		set.missed[0].Store(0)
		set.missed[1].Store(0)
		for j := range set.slots {
			if set.slots[j].Load() != nil {
				c.drop(&set.slots[j])
			}
		}
	}
}

// grow notes that e takes so many bytes more, or fewer if they are negative.
func (c *cache) grow(e *Entry, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.size += bytes
	if e.cached {
		c.bytes += bytes
		c.fit(e)
	}
}

// hash mixes bits with the multipliers and shifts of MurmurHash3's finalizer. An attacker can make
// problems that collide. They displace each other in the cache and do no other harm.
func hash(p *plan.Problem) uint64 {
	n := &p.Nest
	h := uint64(p.Workers)<<32 ^ uint64(p.Kernels)<<16 ^ uint64(n.Width)<<8 ^ uint64(n.Rank) ^
		uint64(p.Pitch)<<20 ^ uint64(p.RowsAtOnce)<<40 ^ uint64(p.Cast.Src)<<60 ^ uint64(p.Cast.Dst)<<56 ^ uint64(p.Cast.Rule)<<52 ^ uint64(uint8(n.ParamLoop()))<<48
	for _, d := range n.Dims[:n.Rank] {
		h = (h ^ uint64(d.Extent)) * 0xff51afd7ed558ccd
		h = (h ^ h>>33 ^ uint64(d.Src)) * 0xc4ceb9fe1a85ec53
		h = (h ^ h>>33 ^ uint64(d.Dst)) * 0xff51afd7ed558ccd
	}
	return h ^ h>>33
}

// equal reports whether two problems are equal. It does not compare loops beyond the rank of a
// nest.
func equal(p, q *plan.Problem) bool {
	n, m := &p.Nest, &q.Nest
	if p.Kernels != q.Kernels || p.Stores != q.Stores || p.Workers != q.Workers || p.Fixed != q.Fixed || p.Cast != q.Cast ||
		p.Pitch != q.Pitch || p.InPlace != q.InPlace || p.RowsAtOnce != q.RowsAtOnce || n.SrcOff != m.SrcOff || n.Rank != m.Rank || n.Width != m.Width || n.DstOff != m.DstOff {
		return false
	}
	for i := range n.Dims[:n.Rank] {
		if n.Dims[i] != m.Dims[i] {
			return false
		}
	}
	return true
}
