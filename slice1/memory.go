package slice1

import (
	"sync/atomic"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// memorySlots is the number of shapes that are remembered at most. Each takes at most 3 KiB.
const memorySlots = 256

// memory remembers what runs the shapes that came twice, so that their next slice is not planned
// again. A shape is a nest and the kernels that may run it. Its hash selects its slot; the
// shapes of one slot displace each other. Any number of goroutines may use a memory at once;
// none waits.
type memory struct {
	slots  [memorySlots]atomic.Pointer[prepared]
	missed [memorySlots]atomic.Uint64 // for each slot, the hash of the last shape that was not found there
}

// prepared is a nest and what runs it: a program, a table, or plain Go without either. It is
// immutable.
type prepared struct {
	nest    nest.Nest
	kernels plan.Kernels // among which the planner chose
	chosen  plan.Candidate
	runner
}

var theMemory memory

// find returns what runs n, chosen among exactly these kernels, or nil if that is not
// remembered. again reports whether the slot had missed the same shape, or one of the same
// hash, the last time, so that the shape should be remembered.
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

// put stores e in its slot.
func (m *memory) put(e *prepared) {
	m.slots[hashOf(&e.nest, e.kernels)%memorySlots].Store(e)
}

// hashOf mixes bits with the multipliers and shifts of MurmurHash3's finalizer. Shapes that
// collide on purpose are planned each time; they do no other harm.
func hashOf(n *nest.Nest, kernels plan.Kernels) uint64 {
	h := uint64(n.SrcOff)<<16 ^ uint64(kernels)<<8 ^ uint64(n.Width)<<4 ^ uint64(n.Rank)
	for _, d := range n.Dims[:n.Rank] {
		h = (h ^ uint64(d.Extent)) * 0xff51afd7ed558ccd
		h = (h ^ h>>33 ^ uint64(d.Src)) * 0xc4ceb9fe1a85ec53
		h = (h ^ h>>33 ^ uint64(d.Dst)) * 0xff51afd7ed558ccd
	}
	return h ^ h>>33
}

// same reports whether two nests are equal in offsets, width and loops.
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
