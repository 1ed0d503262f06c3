// Package engine runs loop nests. It chooses kernels and times runs to find out which of several
// ways is the fastest. It keeps what it knows in a cache of the process, and spreads parts over
// goroutines. It knows nests and programs, not descriptors, and checks no buffer.
//
// A [Problem] is a nest, what becomes of its elements, and the rules for running it. A slice or a
// conversion that runs more than once has an [Entry]: from [Problem.Entry] for a plan, or from the
// cache when [Problem.Copy] meets its problem for the second time. [Entry.Run] runs a whole slice,
// Way.takeParts some parts of one, and [Problem.Copy] a slice of a problem that may be new.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/slice1/internal/convert"
	"github.com/seed2e45c115/dml/slice1/internal/exec"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/sentence"
)

// Problem is a nest and the rules for running it. Slices that differ only in where they begin in
// their buffers have equal problems, and share one entry. The caller sets Nest, for a conversion
// Numbers, and for a source that is made Made, InPlace, Band and Taken. Nest.SrcOff is 0 unless the
// source is made. Configure sets the rest, and may lower Band.
type Problem struct {
	convert.Work
	// Taken is how many bytes a Source reads to make its rows. It decides, like the bytes of the
	// output, how many goroutines may run. It is 0 if it is about as many as the rows have.
	Taken   int64
	Workers int32 // goroutines that may run it, the caller's included
	learns  bool  // whether runs may be timed to find the fastest way
}

// errDescends is the error for a conversion that does not write upwards. Descriptors and pictures
// never ask for one.
var errDescends = errors.New("slice1: a loop of a conversion does not move the destination upwards")

// Configure sets everything that the caller does not set, from s and from the environment. The
// error is ErrKernel, or dtype.ErrSyntax for a variable of the environment.
//
// The nest of a conversion need not be in normal form: Configure orders and merges its loops. If
// one of them does not move the destination upwards, Configure returns another error.
func (p *Problem) Configure(s *Settings) (err error) {
	process := thisProcess()
	if p.Kernels, err = process.allowed(s); err != nil {
		return err
	}
	bytes := int64(0)
	if p.Numbers.Dst != program.Opaque {
		if slices.ContainsFunc(p.Nest.Dims[:p.Nest.Rank], func(d nest.Dim) bool { return d.Dst <= 0 }) {
			return errDescends
		}
		nest.Order(&p.Nest)
		nest.Coalesce(&p.Nest)
		written := p.Nest
		written.Width = int32(p.Numbers.Dst.Size()) // the bytes of as many elements of the source may overflow
		bytes = nest.Bytes(&written)
	} else {
		bytes = nest.Bytes(&p.Nest)
	}
	p.Stores, p.Workers = storesOf(bytes, s.Streaming), workersOf(max(bytes, p.Taken), s.Parallelism)
	for _, d := range p.Nest.Dims[:p.Nest.Rank] {
		if d.Src == p.Made {
			p.Band = min(p.Band, d.Extent/int64(2*p.Workers))
		}
	}
	if p.Workers == 1 {
		p.Band = 0
	}
	p.Half = p.staged() && cpuid.Host().F16C
	p.AloneBelow = math.MaxInt64
	if p.learns = process.learns && !s.Fixed; p.learns {
		p.AloneBelow = learnFrom
	}
	return nil
}

// staged reports whether parts have stages: elements become numbers, or the source is made.
func (p *Problem) staged() bool { return p.Numbers.Dst != program.Opaque || p.Made > 0 }

// storesOf returns how a slice of `bytes` bytes may store. A slice of at most plan.PartBytes has
// ordinary stores. A positive streaming asks for non-temporal stores for slices of that many bytes
// or more, and a negative one for none. 0 asks for the faster stores. These are never non-temporal
// if the output fits the share of the last-level cache that a program may count on.
func storesOf(bytes, streaming int64) plan.Stores {
	switch {
	case bytes <= plan.PartBytes || streaming < 0 || streaming > bytes:
		return plan.Stores{Cached: true}
	case streaming > 0:
		return plan.Stores{NonTemporal: true}
	}
	return plan.Stores{Cached: true, NonTemporal: bytes >= plan.ThisHost().LastLevel}
}

// workersOf returns how many goroutines may run a slice of `bytes` bytes, the caller's included.
func workersOf(bytes int64, parallelism int) int32 {
	if parallelism == 1 || bytes < plan.ParallelBytes {
		return 1
	}
	workers := runtime.GOMAXPROCS(0)
	if parallelism > 0 {
		workers = min(workers, parallelism)
	}
	return int32(min(int64(workers), bytes/plan.PartBytes)) // at most about as many as there are parts
}

// Entry returns the entry of the problem, from the cache if the cache has it. s must be the
// Settings with which p was configured. If s names a candidate, Entry looks for it among the
// candidates of all kernels of the problem, then among the candidates of each kernel alone. It then
// returns a new entry that has only this candidate. If no candidate has the name, the error is
// ErrKernel. If s asks to measure what does not learn, the error is errors.ErrUnsupported.
func (p *Problem) Entry(s *Settings) (*Entry, error) {
	if s.Measure > 0 && (s.Fixed || s.Candidate != "") {
		other := WithCandidate.String()
		if s.Fixed {
			other = WithLearning.String() + "(false)"
		}
		return nil, sentence.New("slice1", errors.ErrUnsupported, "%v with %s would measure nothing", WithMeasure, other)
	}
	if s.Candidate != "" {
		among := []plan.Kernels{p.Kernels}
		for _, k := range Kernels() {
			among = append(among, p.Kernels&plan.OneKernel(k.number))
		}
		for _, may := range [...]plan.Stores{p.Stores, {Cached: true}, {Cached: true, NonTemporal: true}} { // the stores decide how a slice is cut
			for _, among := range among {
				alone := *p
				alone.Kernels, alone.Stores = among, may
				for _, c := range alone.candidates() {
					if c.String() == s.Candidate {
						return newEntry(alone, c), nil
					}
				}
			}
		}
		return nil, fmt.Errorf("slice1: %w: this plan has no candidate %q", ErrKernel, s.Candidate)
	}
	e, repeated := theCache.find(p)
	if e == nil {
		e = newEntry(*p)
		if repeated {
			e = theCache.put(e)
		}
	}
	if s.Measure > 0 {
		e.measure(s.Measure)
	}
	return e, nil
}

// candidates returns the ways to run a problem, cheapest first, with estimated costs that count all
// parts.
func (p *Problem) candidates() (cs []plan.Candidate) {
	if p.staged() {
		all := p.Work
		all.Stores = plan.Stores{Cached: true, NonTemporal: true}
		return all.Candidates()
	}
	rules := p.Rules
	rules.Stores = plan.Stores{Cached: true, NonTemporal: nest.Bytes(&p.Nest) > plan.PartBytes}
	blocks := plan.Blocks(&p.Nest)
	cuttings := plan.EveryCutting(&p.Nest)
	for i, by := range cuttings {
		n, times := &p.Nest, int64(1)
		if by.Blocks {
			n, times = &blocks.Shapes[0], blocks.Count
		}
		pieces := plan.Cut(n, p.Stores, by)
		for _, c := range p.host().Candidates(&pieces.Shapes[0], times*pieces.Count, rules) {
			if i == 0 || c.Prefetch == plan.UsualPrefetch && slices.Contains(plan.Cuttings(&p.Nest, p.Stores, c), by) {
				c.Cutting = by
				cs = append(cs, c)
			}
		}
	}
	if cuttings[len(cuttings)-1].Blocks {
		all := p.Work
		all.Rules = rules
		cs = append(cs, all.Packed()...)
	}
	slices.SortStableFunc(cs, func(a, b plan.Candidate) int { return cmp.Compare(a.Cost, b.Cost) })
	return cs
}

// Copy runs one slice or conversion, as Entry.Run does. A slice of a problem that is new and runs
// on one goroutine gets no entry, unless it is large: it runs by the way with the lowest estimated
// cost.
func (p *Problem) Copy(dst, src unsafe.Pointer, values *Values, parallel bool) {
	e, repeated := theCache.find(p)
	switch {
	case e != nil:
	case repeated:
		e = theCache.put(newEntry(*p))
	case p.Workers > 1 || p.staged() || plan.Large(&p.Nest):
		e = newEntry(*p)
	case nest.Bytes(&p.Nest) <= plan.PartBytes && plan.ThisHost().InGo(&p.Nest, p.Kernels):
		exec.InGo(&p.Nest, dst, src)
		return
	default:
		p.copyNew(dst, src)
		return
	}
	if w := e.Small(); w != nil {
		w.Slice(dst, src)
		return
	}
	_ = e.Run(context.Background(), dst, src, values, parallel) // the context is never done, so there is no error
}

// room is memory for the plan of a slice that has no entry.
type room struct {
	first    program.Draft
	programs program.Programs
	ways     [plan.MaxListed]plan.Candidate
	pieces   plan.Pieces
}

// rooms are used again, since to clear one takes longer than many of these slices.
var rooms = sync.Pool{New: func() any { return new(room) }}

// copyNew runs a slice that has no entry.
func (p *Problem) copyNew(dst, src unsafe.Pointer) {
	var q queue
	r, rules := rooms.Get().(*room), p.Rules
	r.pieces.Cut(&p.Nest, p.Stores, plan.Cutting{})
	rules.AloneBelow = math.MaxInt64
	p.host().List(&r.ways, &r.first, &r.pieces.Shapes[0], r.pieces.Count, rules)
	w := Way{Candidate: r.ways[0], Work: exec.Slice(&r.pieces, r.ways[0], &r.first, &r.programs)}
	if w.Single() {
		w.Slice(dst, src)
	} else {
		_ = w.takeParts(context.Background(), &q, r.pieces.Count, exec.CallParts, &call{dst: dst, src: src})
	}
	r.programs = *w.Programs()
	rooms.Put(r)
}

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
func (c *cache) find(p *Problem) (found *Entry, repeated bool) {
	h := p.hash()
	set := &c.sets[h%cacheSets]
	for i := range set.slots {
		if e := set.slots[i].Load(); e != nil && e.problem.equal(p) {
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
	set := &c.sets[e.problem.hash()%cacheSets]
	slot := -1
	for i := cacheSlots - 1; i >= 0; i-- {
		if other := set.slots[i].Load(); other == nil {
			slot = i
		} else if other.problem.equal(&e.problem) {
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

// Forget empties the cache of the process, for benchmarks of slices that are new.
func Forget() { theCache.forget() }

func (c *cache) forget() {
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

// resize notes that e takes `size` bytes now.
func (c *cache) resize(e *Entry, size int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.cached {
		c.bytes += size - e.size
	}
	e.size = size
}

// hash mixes bits with the multipliers and shifts of MurmurHash3's finalizer. An attacker can make
// problems that collide. They displace each other in the cache and do no other harm.
func (p *Problem) hash() uint64 {
	n := &p.Nest
	h := uint64(p.Workers)<<32 ^ uint64(p.Kernels)<<16 ^ uint64(n.Width)<<8 ^ uint64(n.Rank) ^
		uint64(p.Made)<<20 ^ uint64(p.Band)<<40 ^ uint64(p.Numbers.Src)<<60 ^ uint64(p.Numbers.Dst)<<56 ^ uint64(uint8(n.ParamLoop()))<<48
	for _, d := range n.Dims[:n.Rank] {
		h = (h ^ uint64(d.Extent)) * 0xff51afd7ed558ccd
		h = (h ^ h>>33 ^ uint64(d.Src)) * 0xc4ceb9fe1a85ec53
		h = (h ^ h>>33 ^ uint64(d.Dst)) * 0xff51afd7ed558ccd
	}
	return h ^ h>>33
}

// equal reports whether two problems are equal. It does not compare loops beyond the rank of a
// nest.
func (p *Problem) equal(other *Problem) bool {
	if p.Kernels != other.Kernels || p.Stores != other.Stores || p.Workers != other.Workers || p.learns != other.learns || p.Numbers.Dst != other.Numbers.Dst || p.staged() && p.Numbers != other.Numbers ||
		p.Made != other.Made || p.InPlace != other.InPlace || p.Band != other.Band || p.Nest.SrcOff != other.Nest.SrcOff || p.Nest.Rank != other.Nest.Rank || p.Nest.Width != other.Nest.Width || p.Nest.DstOff != other.Nest.DstOff {
		return false
	}
	for i := range p.Nest.Dims[:p.Nest.Rank] {
		if p.Nest.Dims[i] != other.Nest.Dims[i] {
			return false
		}
	}
	return true
}
