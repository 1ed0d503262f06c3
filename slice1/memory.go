package slice1

import (
	"sync/atomic"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// memorySlots is how many shapes are remembered. Each takes at most 3 KiB.
const memorySlots = 256

// memory holds what runs the shapes that came twice, so that the next slice of one need not
// be planned. Each shape has one slot, by its hash, and the shapes of a slot displace each
// other. Any number of goroutines may use a memory at once, without waiting.
type memory struct {
	slots  [memorySlots]atomic.Pointer[prepared]
	missed [memorySlots]atomic.Uint64 // the hash of the shape that was last not found in a slot
}

// prepared is a nest and what runs it. It does not change.
type prepared struct {
	nest    nest.Nest
	kernels plan.Kernels // to choose among
	chosen  plan.Candidate
	runner
}

var theMemory memory

// find returns what runs n by one of the kernels, or nil if that is not remembered. again
// reports that n is also the shape that its slot missed last, so that it is worth remembering.
func (m *memory) find(n *nest.Nest, kernels plan.Kernels) (found *prepared, again bool) {
	h := hashOf(n, kernels)
	if e := m.slots[h%memorySlots].Load(); e != nil && e.kernels == kernels && same(&e.nest, n) {
		return e, false
	}
	missed := &m.missed[h%memorySlots]
	if missed.Load() == h {
		return nil, true
	}
	missed.Store(h)
	return nil, false
}

// put remembers e.
func (m *memory) put(e *prepared) {
	m.slots[hashOf(&e.nest, e.kernels)%memorySlots].Store(e)
}

// hashOf mixes as the finalizer of MurmurHash3 does. Shapes that are made to collide are planned
// each time, and no worse comes of it.
func hashOf(n *nest.Nest, kernels plan.Kernels) uint64 {
	h := uint64(n.SrcOff)<<16 ^ uint64(kernels)<<8 ^ uint64(n.Width)<<4 ^ uint64(n.Rank)
	for _, d := range n.Dims[:n.Rank] {
		h = (h ^ uint64(d.Extent)) * 0xff51afd7ed558ccd
		h = (h ^ h>>33 ^ uint64(d.Src)) * 0xc4ceb9fe1a85ec53
		h = (h ^ h>>33 ^ uint64(d.Dst)) * 0xff51afd7ed558ccd
	}
	return h ^ h>>33
}

// same reports whether two nests are the same.
func same(a, b *nest.Nest) bool {
	if a.Rank != b.Rank || a.Width != b.Width || a.SrcOff != b.SrcOff || a.DstOff != b.DstOff {
		return false
	}
	for i := range a.Dims[:a.Rank] {
		if a.Dims[i] != b.Dims[i] {
			return false
		}
	}
	return true
}
