package engine

import (
	"math"
	"sync"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/exec"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// A call into C is taken to last at least leastCall and at most mostCall picoseconds.
const (
	leastCall = 20_000
	mostCall  = 100_000
)

// host returns the machine that the problem is planned for: the one of package plan, with what a
// call into C takes in this process if p learns. From that time follows which small slices run in
// plain Go. It differs twofold among processors, versions of Go and virtual machines.
func (p *Problem) host() *plan.Host {
	if !p.learns {
		return plan.ThisHost()
	}
	return measuredHost()
}

var measuredHost = sync.OnceValue(func() *plan.Host {
	h, strongest := plan.ThisHost(), plan.Go
	for _, k := range Kernels() {
		if k.Usable && k.number.InC() {
			strongest = k.number
		}
	}
	if took := callTime(strongest, clock); took > 0 {
		h = h.WithCall(took)
	}
	return h
})

// callTime returns how many picoseconds it takes to copy one byte by a loop in C of kernel k. It is
// the least of 64 tries of eight calls each, within leastCall and mostCall. It is 0 if k is plain
// Go or the clock, timer, is too coarse to tell.
func callTime(k plan.Kernel, timer func() int64) int64 {
	if !k.InC() {
		return 0
	}
	pieces := plan.Cut(&nest.Nest{Width: 1}, plan.Stores{Cached: true}, plan.Cutting{})
	work := exec.Slice(&pieces, plan.ThisHost().Candidates(&pieces.Shapes[0], 1, plan.Work{Kernels: plan.OneKernel(k), Stores: plan.Stores{Cached: true}})[0], nil, nil)
	var dst, src byte
	least := int64(math.MaxInt64)
	for range 64 {
		began := timer()
		for range 8 {
			work.Slice(unsafe.Pointer(&dst), unsafe.Pointer(&src))
		}
		least = min(least, timer()-began)
	}
	if least <= 0 {
		return 0
	}
	return min(max(least*1000/8, leastCall), mostCall)
}
