package slice1

import (
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// Forget empties the cache.
func Forget() {
	theCache.mu.Lock()
	defer theCache.mu.Unlock()
	for i := range theCache.sets {
		set := &theCache.sets[i]
		set.missed.Store(0)
		for j := range set.slots {
			if set.slots[j].Load() != nil {
				theCache.drop(&set.slots[j])
			}
		}
	}
}

// everyOther takes every second of n bytes, from the first one on.
func everyOther(n int) *Desc {
	return NewDesc(Uint8, []int{n}, Window{Offsets: []int{0}, Sizes: []int{n}, Strides: []int{2}, Out: []int{(n + 1) / 2}})
}

func planOf(t testing.TB, d *Desc, opts ...Option) *Plan {
	p, err := NewPlan(d, opts...)
	require.NoError(t, err)
	return p
}

// A shape is put into the cache when it comes the second time, by plans and by Copy.
func TestShapesThatComeTwiceAreCached(t *testing.T) {
	for name, use := range map[string]func(d *Desc){
		"NewPlan": func(d *Desc) { planOf(t, d) },
		"Copy": func(d *Desc) {
			src, dst := make([]byte, 301), make([]byte, 151)
			src[300] = 7
			require.NoError(t, Copy(dst, src, d))
			require.Equal(t, byte(7), dst[150])
		},
	} {
		d := everyOther(301)
		s := &planOf(t, d).entry.shape
		Forget()
		for _, cached := range []bool{false, true, true} {
			use(d)
			assert.Equal(t, cached, cachedEntry(s) != nil, name)
		}
		assert.Same(t, cachedEntry(s), planOf(t, d).entry, name)
	}
}

// cachedEntry returns the entry of a shape. Unlike find, it does not count as use.
func cachedEntry(s *shape) *entry {
	set := &theCache.sets[s.hash()%cacheSets]
	for i := range set.slots {
		if e := set.slots[i].Load(); e != nil && e.shape.is(s) {
			return e
		}
	}
	return nil
}

// Slices that differ only in where they begin share an entry.
func TestWindowsElsewhereShareAnEntry(t *testing.T) {
	at := func(offset int) *Plan {
		return planOf(t, NewDesc(Uint8, []int{1000}, Window{Offsets: []int{offset}, Sizes: []int{90}, Strides: []int{-3}, Out: []int{30}}))
	}
	at(1)
	assert.Same(t, at(2).entry, at(700).entry)
}

func TestOtherShapesAreNotFound(t *testing.T) {
	s := shape{nest: nest.Nest{Rank: 2, Width: 4, Dims: [nest.MaxRank]nest.Dim{{Extent: 3, Src: 100, Dst: 40}, {Extent: 10, Src: -4, Dst: 4}}}, kernels: 1, workers: 1}
	for _, change := range []func(s *shape){
		func(s *shape) { s.kernels = 2 },
		func(s *shape) { s.workers = 2 },
		func(s *shape) { s.learns = true },
		func(s *shape) { s.stores.Cached = true },
		func(s *shape) { s.stores.NonTemporal = true },
		func(s *shape) { s.nest.Rank = 1 },
		func(s *shape) { s.nest.Width = 8 },
		func(s *shape) { s.nest.DstOff = 1 },
		func(s *shape) { s.nest.Dims[0].Extent = 4 },
		func(s *shape) { s.nest.Dims[1].Src = 4 },
		func(s *shape) { s.nest.Dims[1].Dst = 8 },
	} {
		other := s
		change(&other)
		assert.False(t, s.is(&other), "%+v", other)
	}
	unused := s
	unused.nest.Dims[2].Extent = 5
	assert.True(t, s.is(&unused), "loops that the nest does not have")
}

// Of two shapes of one set that come in turns, find reports for neither that it should be put. It does so for a
// shape that comes twice in a row.
func TestShapesInTurnsAreNotCached(t *testing.T) {
	var c cache
	a := shape{nest: nest.Nest{Rank: 1, Width: 1, Dims: [nest.MaxRank]nest.Dim{{Extent: 9, Src: 2, Dst: 1}}}}
	b := a
	for b.nest.Dims[0].Src++; b.hash()%cacheSets != a.hash()%cacheSets; {
		b.nest.Dims[0].Src++
	}
	for range 3 {
		for _, s := range []*shape{&a, &b} {
			found, again := c.find(s)
			assert.Nil(t, found)
			assert.False(t, again)
		}
	}
	_, again := c.find(&b)
	assert.True(t, again)
}

// shapes returns shapes of the set that the first of them has, or any if same is false.
func shapes(count int, same bool) (all []*shape) {
	for src := int64(2); len(all) < count; src++ {
		s := &shape{nest: nest.Nest{Rank: 1, Width: 1, Dims: [nest.MaxRank]nest.Dim{{Extent: 9, Src: src, Dst: 1}}}}
		if len(all) == 0 || !same || s.hash()%cacheSets == all[0].hash()%cacheSets {
			all = append(all, s)
		}
	}
	return all
}

func (c *cache) has(s *shape) bool {
	found, _ := c.find(s)
	return found != nil
}

// A full set drops an entry that was not found since the last one was dropped.
func TestSetsDropWhatWasNotUsed(t *testing.T) {
	var c cache
	all := shapes(cacheSlots+2, true)
	for _, s := range all[:cacheSlots] {
		c.put(&entry{shape: *s, size: 10})
	}
	c.put(&entry{shape: *all[cacheSlots], size: 10})
	assert.EqualValues(t, 10*cacheSlots, c.bytes)
	assert.False(t, c.has(all[0]), "all were used: the first goes")
	for _, s := range all[2 : cacheSlots+1] {
		assert.True(t, c.has(s))
	}
	c.put(&entry{shape: *all[cacheSlots+1], size: 10})
	assert.False(t, c.has(all[1]), "the only one that was not found")
	for _, s := range all[2:] {
		assert.True(t, c.has(s))
	}
	e := &entry{shape: *all[2]}
	assert.NotSame(t, e, c.put(e), "the shape is there already")
}

func TestEntriesTakeAtMostTheirMemory(t *testing.T) {
	var c cache
	var last *entry
	for _, s := range shapes(900, false) {
		last = &entry{shape: *s, size: cacheBytes / 100}
		c.put(last)
		assert.LessOrEqual(t, c.bytes, int64(cacheBytes))
	}
	assert.True(t, c.has(&last.shape))
	count := 0
	for _, s := range shapes(900, false) {
		if c.has(s) {
			count++
		}
	}
	assert.Equal(t, 100, count)
	c.resize(last, cacheBytes/200)
	assert.EqualValues(t, 100*(cacheBytes/100)-cacheBytes/100+cacheBytes/200, c.bytes)
	c.resize(&entry{}, 1000)
	assert.EqualValues(t, 100*(cacheBytes/100)-cacheBytes/100+cacheBytes/200, c.bytes, "an entry of no cache")
}

// An entry takes at most 40 KiB, and 12 KiB once it has settled, whatever its slices are.
func TestEntriesAreSmall(t *testing.T) {
	const before, settled = 40 << 10, 12 << 10
	of, program, parts := unsafe.Sizeof(entry{}), unsafe.Sizeof(csrc.Program{}), uintptr(len(plan.Pieces{}.Shapes))
	assert.LessOrEqual(t, of+plan.MaxWays*(unsafe.Sizeof(way{})+parts*program), uintptr(before))
	assert.LessOrEqual(t, of+keptPrograms*(unsafe.Sizeof(way{})+program), uintptr(settled))
	learningFrom(t, 0)
	transposed := NewDesc(Uint16, []int{300, 5000}, Window{[]int{0, 0}, []int{300, 5000}, []int{1, 1}, []int{300, 5000}})
	transposed.Input.Strides = []int{1, 300}
	for _, d := range []*Desc{everyOther(301), everyOther(1 << 20), transposed} {
		p := planOf(t, d)
		assert.LessOrEqual(t, p.entry.bytes(), int64(before))
		setClock(t, p, 1, fastest(&p.entry.ways[0]))
		learned(t, p)
		assert.LessOrEqual(t, p.entry.bytes(), int64(settled), "%s", p)
	}
}

func TestCacheIsSafeForManyGoroutines(t *testing.T) {
	Forget()
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 2000 {
				n := 64 + (i*7+g)%60
				src, dst := make([]byte, n), make([]byte, (n+1)/2)
				for j := range src {
					src[j] = byte(j)
				}
				if err := Copy(dst, src, everyOther(n)); err != nil {
					panic(err)
				}
				for j := range dst {
					if dst[j] != byte(2*j) {
						panic("another shape's program")
					}
				}
			}
		})
	}
	wg.Wait()
}
