package engine

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// everyOther takes every second of n bytes, from the first one on.
func everyOther(n int) nest.Nest {
	return rows(1, 1, (int64(n)+1)/2, 2, 1)
}

// rows has `count` rows of n elements of `width` bytes. In the source the elements are `step`
// elements apart, and the rows begin `pitch` elements apart. The output is packed.
func rows(width int32, count, n, step, pitch int64) nest.Nest {
	w := int64(width)
	loops := nest.Nest{Rank: 2, Width: width, Dims: [nest.MaxRank]nest.Dim{{Extent: count, Src: pitch * w, Dst: n * w}, {Extent: n, Src: step * w, Dst: w}}}
	nest.Normalize(&loops)
	loops.SrcOff = 0
	return loops
}

// problemOf returns the problem of n with settings.
func problemOf(t testing.TB, n nest.Nest, s Settings) *plan.Problem {
	p := &plan.Problem{Nest: n}
	require.NoError(t, Configure(p, &s))
	return p
}

func entryOf(t testing.TB, n nest.Nest, s Settings) *Entry {
	e, err := EntryOf(problemOf(t, n, s), &s)
	require.NoError(t, err)
	return e
}

// memory is a destination and a source of a nest.
type memory struct {
	dst, src []byte
	from     unsafe.Pointer // in src: where the offsets of the nest count from
}

func memoryOf(n *nest.Nest) memory {
	srcLo, srcHi, _, dstHi := nest.Span(n)
	m := memory{dst: make([]byte, dstHi), src: make([]byte, srcHi-srcLo)}
	for i := range m.src {
		m.src[i] = byte(i * 7)
	}
	m.from = unsafe.Pointer(&m.src[-srcLo])
	return m
}

func (m *memory) to() unsafe.Pointer { return unsafe.Pointer(&m.dst[0]) }

// run runs e once.
func (m *memory) run(t testing.TB, e *Entry) {
	require.NoError(t, e.Run(context.Background(), m.to(), m.from, &Values{}, true))
}

// Plans and slices that run once put a problem into the cache when it comes for the second time.
func TestProblemsThatComeTwiceAreCached(t *testing.T) {
	p := problemOf(t, everyOther(301), Settings{})
	for name, use := range map[string]func(){
		"Entry": func() { entryOf(t, p.Nest, Settings{}) },
		"Run": func() {
			m := memoryOf(&p.Nest)
			Copy(p, m.to(), m.from, &Values{}, true)
			require.Equal(t, m.src[300], m.dst[150])
		},
	} {
		Forget()
		for _, cached := range []bool{false, true, true} {
			use()
			assert.Equal(t, cached, cachedEntry(p) != nil, name)
		}
		assert.Same(t, cachedEntry(p), entryOf(t, p.Nest, Settings{}), name)
	}
}

// cachedEntry returns the entry of a problem. Unlike find, it does not mark the entry as used.
func cachedEntry(p *plan.Problem) *Entry {
	set := &theCache.sets[hash(p)%cacheSets]
	for i := range set.slots {
		if e := set.slots[i].Load(); e != nil && equal(&e.problem, p) {
			return e
		}
	}
	return nil
}

func TestOtherProblemsAreNotFound(t *testing.T) {
	s := plan.Problem{Nest: nest.Nest{Rank: 2, Width: 4, Dims: [nest.MaxRank]nest.Dim{{Extent: 3, Src: 100, Dst: 40}, {Extent: 10, Src: -4, Dst: 4}}}, Kernels: 1, Workers: 1}
	for _, change := range []func(s *plan.Problem){
		func(s *plan.Problem) { s.Kernels = 2 },
		func(s *plan.Problem) { s.Workers = 2 },
		func(s *plan.Problem) { s.Fixed = true },
		func(s *plan.Problem) { s.Stores.Cached = true },
		func(s *plan.Problem) { s.Stores.NonTemporal = true },
		func(s *plan.Problem) { s.Nest.Rank = 1 },
		func(s *plan.Problem) { s.Nest.Width = 8 },
		func(s *plan.Problem) { s.Nest.DstOff = 1 },
		func(s *plan.Problem) { s.Nest.Dims[0].Extent = 4 },
		func(s *plan.Problem) { s.Nest.Dims[1].Src = 4 },
		func(s *plan.Problem) { s.Nest.Dims[1].Dst = 8 },
	} {
		other := s
		change(&other)
		assert.False(t, equal(&s, &other), "%+v", other)
	}
	unused := s
	unused.Nest.Dims[2].Extent = 5
	assert.True(t, equal(&s, &unused), "loops that the nest does not have")
}

// If three problems of one set come in turns, find asks for none to be put. It asks for each of two
// problems that come in turns when it comes the second time.
func TestProblemsInTurns(t *testing.T) {
	for count, cached := range map[int]bool{2: true, 3: false} {
		var c cache
		all := problems(count, true)
		for round := range 3 {
			for _, p := range all {
				found, again := c.find(p)
				assert.Nil(t, found)
				assert.Equal(t, cached && round > 0, again, count)
			}
		}
	}
}

// problems returns so many problems. If same is true, all of them belong to one set.
func problems(count int, same bool) (all []*plan.Problem) {
	for src := int64(2); len(all) < count; src++ {
		s := &plan.Problem{Nest: nest.Nest{Rank: 1, Width: 1, Dims: [nest.MaxRank]nest.Dim{{Extent: 9, Src: src, Dst: 1}}}}
		if len(all) == 0 || !same || hash(s)%cacheSets == hash(all[0])%cacheSets {
			all = append(all, s)
		}
	}
	return all
}

func (c *cache) has(s *plan.Problem) bool {
	found, _ := c.find(s)
	return found != nil
}

// A full set drops an entry that was not found since the set last dropped one.
func TestSetsDropWhatWasNotUsed(t *testing.T) {
	var c cache
	all := problems(cacheSlots+2, true)
	for _, s := range all[:cacheSlots] {
		c.put(&Entry{problem: *s, size: 10})
	}
	c.put(&Entry{problem: *all[cacheSlots], size: 10})
	assert.EqualValues(t, 10*cacheSlots, c.bytes)
	assert.False(t, c.has(all[0]), "all were used: the first goes")
	for _, s := range all[2 : cacheSlots+1] {
		assert.True(t, c.has(s))
	}
	c.put(&Entry{problem: *all[cacheSlots+1], size: 10})
	assert.False(t, c.has(all[1]), "the only one that was not found")
	for _, s := range all[2:] {
		assert.True(t, c.has(s))
	}
	e := &Entry{problem: *all[2]}
	assert.NotSame(t, e, c.put(e), "the problem is there already")
}

func TestEntriesTakeAtMostTheirMemory(t *testing.T) {
	var c cache
	var last *Entry
	for _, s := range problems(900, false) {
		last = &Entry{problem: *s, size: cacheBytes / 100}
		c.put(last)
		assert.LessOrEqual(t, c.bytes, int64(cacheBytes))
	}
	assert.True(t, c.has(&last.problem))
	count := 0
	for _, s := range problems(900, false) {
		if c.has(s) {
			count++
		}
	}
	assert.Equal(t, 100, count)
	c.grow(last, cacheBytes/200-cacheBytes/100)
	assert.EqualValues(t, 100*(cacheBytes/100)-cacheBytes/100+cacheBytes/200, c.bytes)
	c.grow(&Entry{}, 1000)
	assert.EqualValues(t, 100*(cacheBytes/100)-cacheBytes/100+cacheBytes/200, c.bytes, "an entry of no cache")
}

// An entry of any slice takes at most 96 KiB, and at most 16 KiB once it has settled.
func TestEntriesAreSmall(t *testing.T) {
	const before, settled = 96 << 10, 16 << 10
	own, one, parts := unsafe.Sizeof(Entry{}), unsafe.Sizeof(program.Draft{}), uintptr(4)
	assert.LessOrEqual(t, own+(plan.MaxListed+plan.MaxVariants)*(unsafe.Sizeof(Way{})+parts*one), uintptr(before))
	assert.LessOrEqual(t, own+(plan.MaxListed+plan.MaxVariants)*unsafe.Sizeof(Way{})+keptBytes, uintptr(settled))
	learningFrom(t, 0)
	for _, n := range []nest.Nest{everyOther(301), everyOther(1 << 20), rows(2, 300, 5000, 300, 1)} {
		e := entryOf(t, n, Settings{})
		assert.LessOrEqual(t, e.bytes(), int64(before))
		setClock(t, e, 1, fastest(waysIn(e)[0]))
		learned(t, e)
		assert.LessOrEqual(t, e.bytes(), int64(settled), "%+v", n)
	}
}

func TestCacheIsSafeForManyGoroutines(t *testing.T) {
	Forget()
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 2000 {
				p := problemOf(t, everyOther(64+(i*7+g)%60), Settings{})
				m := memoryOf(&p.Nest)
				Copy(p, m.to(), m.from, &Values{}, true)
				for j := range m.dst {
					if m.dst[j] != m.src[2*j] {
						panic("another problem's program")
					}
				}
			}
		})
	}
	wg.Wait()
}

// An entry that is larger than the cache does not go there. To look for room for it would never
// end.
func TestEntriesLargerThanTheCacheAreNotKept(t *testing.T) {
	var c cache
	all := problems(2, false)
	small, large := &Entry{problem: *all[0], size: 10}, &Entry{problem: *all[1], size: cacheBytes + 1}
	c.put(small)
	assert.Same(t, large, c.put(large))
	assert.True(t, c.has(all[0]))
	assert.False(t, c.has(all[1]))
	assert.EqualValues(t, 10, c.bytes)
}

// An entry that grows drops others, and itself if it alone is larger than the cache.
func TestEntriesThatGrowDropOthers(t *testing.T) {
	var c cache
	all := problems(3, false)
	for _, p := range all {
		c.put(&Entry{problem: *p, size: cacheBytes / 4})
	}
	e, _ := c.find(all[1])
	c.grow(e, cacheBytes/2)
	assert.LessOrEqual(t, c.bytes, int64(cacheBytes))
	assert.True(t, c.has(all[1]))
	c.grow(e, cacheBytes)
	assert.Zero(t, c.bytes)
	assert.False(t, c.has(all[1]))
}

// What entries say that they take is not less than what they take: ways of all kinds, each prepared
// on the way, by the runtime's count.
func TestBytesOfWaysAreNotUnderstated(t *testing.T) {
	inBlocks(t, 1<<20, 256<<10)
	rng := rand.New(rand.NewPCG(76, 7))
	var entries []*Entry
	kinds, ways := map[string]bool{}, 0
	var before, after runtime.MemStats
	for phase := range 2 { // the first one fills what is allocated once
		entries, ways = nil, 0
		runtime.GC()
		runtime.ReadMemStats(&before)
		for ways < 500 {
			p := randomProblem(t, rng)
			all := host(p).EveryWay(p)
			e := newEntry(*p, all[rng.IntN(len(all))])
			l := &learner{ways: waysIn(e)}
			e.learner, e.size = l, e.size+int64(unsafe.Sizeof(*l))
			for range 4 {
				w := &Way{Candidate: all[rng.IntN(len(all))]}
				l.ways = append(l.ways, w)
				said := e.size
				e.prepare(w, nil)
				require.Equal(t, said+e.bytesOf(w), e.size)
				kinds[w.Candidate.Kind.String()+w.Stages.String()+w.Cutting.String()] = true
			}
			ways += len(waysIn(e))
			entries = append(entries, e)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if phase == 0 {
			continue
		}
		said := int64(0)
		for _, e := range entries {
			said += e.bytes()
		}
		took := int64(after.HeapAlloc) - int64(before.HeapAlloc)
		require.LessOrEqual(t, took, said+said/10, "about what the allocator rounds up")
		require.Greater(t, took, said/2)
	}
	require.Greater(t, len(kinds), 20, kinds)
	runtime.KeepAlive(entries)
}

// randomProblem returns a problem of a slice of one part, of several parts or of blocks, of a
// conversion, or of a source that is made.
func randomProblem(t testing.TB, rng *rand.Rand) *plan.Problem {
	extents := []int64{1 + rng.Int64N(70), 1 + rng.Int64N(50), 1 + rng.Int64N(40)}
	if rng.IntN(3) == 0 {
		extents = append(extents, 1+rng.Int64N(30))
	}
	p := &plan.Problem{Nest: permuted(1<<rng.Int32N(4), extents...)}
	if rng.IntN(3) == 0 {
		p.Nest = rows(1<<rng.Int32N(4), 1+rng.Int64N(900), 1+rng.Int64N(900), 1+rng.Int64N(5), 5000)
	}
	n := &p.Nest
	if kind := rng.IntN(4); kind < 2 {
		if kind == 1 {
			p.Pitch, n.SrcOff = 1, 0
			for _, d := range n.Dims[:n.Rank] {
				p.Pitch = max(p.Pitch, d.Src)
			}
		}
		if kind == 0 || rng.IntN(2) == 0 {
			from := map[int32]program.ElementType{1: program.Uint8, 2: program.Float16, 4: program.Float32, 8: program.Float64}[n.Width]
			p.Cast = plan.Cast{Src: from, Dst: from}
		}
	}
	require.NoError(t, Configure(p, &Settings{}))
	for _, k := range Kernels() {
		if k.Usable { // under the race detector, too
			p.Kernels |= plan.OneKernel(k.number)
		}
	}
	return p
}
