package slice1

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// Forget empties the memory of shapes.
func Forget() {
	for i := range theMemory.slots {
		theMemory.slots[i].Store(nil)
		theMemory.missed[i].Store(0)
	}
}

// everyOther takes every second of n bytes, from the first one on.
func everyOther(n int) *Desc {
	return NewDesc(Uint8, []int{n}, Window{Offsets: []int{0}, Sizes: []int{n}, Strides: []int{2}, Out: []int{(n + 1) / 2}})
}

func nestOf(t *testing.T, d *Desc) *nest.Nest {
	p, err := NewPlan(d)
	require.NoError(t, err)
	return &p.nest
}

// A shape is remembered when it comes the second time, by plans and by Copy.
func TestShapesThatComeTwiceAreRemembered(t *testing.T) {
	for name, use := range map[string]func(d *Desc){
		"NewPlan": func(d *Desc) { nestOf(t, d) },
		"Copy": func(d *Desc) {
			src, dst := make([]byte, 301), make([]byte, 151)
			src[300] = 7
			require.NoError(t, Copy(dst, src, d))
			require.Equal(t, byte(7), dst[150])
		},
	} {
		Forget()
		d := everyOther(301)
		ks, err := allowed("")
		require.NoError(t, err)
		n := nestOf(t, d)
		Forget()
		for _, known := range []bool{false, true, true} {
			use(d)
			slot := theMemory.slots[hashOf(n, ks)%memorySlots].Load()
			assert.Equal(t, known, slot != nil, name)
		}
		p, err := NewPlan(d)
		require.NoError(t, err)
		slot := theMemory.slots[hashOf(n, ks)%memorySlots].Load()
		assert.Same(t, slot.program, p.program, name)
		assert.Equal(t, slot.chosen, p.chosen, name)
	}
}

// A remembered shape is not found for another nest, or for other kernels, of the same slot.
func TestOtherShapesAreNotFound(t *testing.T) {
	var m memory
	n := nest.Nest{Rank: 2, Width: 4, SrcOff: 8, Dims: [nest.MaxRank]nest.Dim{{Extent: 3, Src: 100, Dst: 40}, {Extent: 10, Src: -4, Dst: 4}}}
	e := &prepared{nest: n, kernels: 1}
	found := func(n nest.Nest, ks plan.Kernels) *prepared {
		m.slots[hashOf(&n, ks)%memorySlots].Store(e)
		got, _ := m.find(&n, ks)
		return got
	}
	assert.Same(t, e, found(n, 1))
	assert.Nil(t, found(n, 2))
	for _, change := range []func(n *nest.Nest){
		func(n *nest.Nest) { n.Rank = 1 },
		func(n *nest.Nest) { n.Width = 8 },
		func(n *nest.Nest) { n.SrcOff = 9 },
		func(n *nest.Nest) { n.DstOff = 1 },
		func(n *nest.Nest) { n.Dims[0].Extent = 4 },
		func(n *nest.Nest) { n.Dims[1].Src = 4 },
		func(n *nest.Nest) { n.Dims[1].Dst = 8 },
	} {
		other := n
		change(&other)
		assert.Nil(t, found(other, 1), "%+v", other)
	}
	unused := n
	unused.Dims[2].Extent = 5
	assert.Same(t, e, found(unused, 1), "loops that the nest does not have")
}

// Of two shapes of one slot that come in turns, find reports for neither that it should be
// remembered. It does so for a shape that comes twice in a row.
func TestShapesInTurnsAreNotRemembered(t *testing.T) {
	var m memory
	a := nest.Nest{Rank: 1, Width: 1, Dims: [nest.MaxRank]nest.Dim{{Extent: 9, Src: 2, Dst: 1}}}
	b := a
	for b.SrcOff = 1; hashOf(&b, 1)%memorySlots != hashOf(&a, 1)%memorySlots; {
		b.SrcOff++
	}
	for range 3 {
		for _, n := range []nest.Nest{a, b} {
			found, again := m.find(&n, 1)
			assert.Nil(t, found)
			assert.False(t, again)
		}
	}
	_, again := m.find(&b, 1)
	assert.True(t, again)
}

func TestMemoryIsSafeForManyGoroutines(t *testing.T) {
	Forget()
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
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
		}()
	}
	wg.Wait()
}
