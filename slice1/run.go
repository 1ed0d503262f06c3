package slice1

import (
	"context"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/portable"
)

// Runner executes one slice: a [*Plan] on the CPU, or a plan of package
// directml on a GPU.
type Runner interface {
	// Run slices src into dst, each a buffer of bytes that holds its tensor.
	Run(dst, src []byte) error
}

// Run slices src into dst. Each must be as long as its tensor's MinSize, or
// the error is ErrBuffer; what they have beyond that is not looked at. The
// bytes of dst between output elements keep their value. Memory that dst and
// src share is an error, ErrOverlap, where the span from the first to the last
// output element meets that of the input elements taken. Nothing is written
// unless everything is right.
//
// Run does not allocate when it uses one goroutine.
func (p *Plan) Run(dst, src []byte) error {
	if err := p.check(dst, src); err != nil {
		return err
	}
	return p.execute(nil, dst, src)
}

// RunContext is Run, but looks at ctx before it starts and between parts of a
// large slice, and returns ctx's error once it is done. dst then holds some
// output elements whole and the others as they were.
func (p *Plan) RunContext(ctx context.Context, dst, src []byte) error {
	if err := p.check(dst, src); err != nil {
		return err
	}
	return p.execute(ctx, dst, src)
}

func (p *Plan) check(dst, src []byte) error {
	if int64(len(dst)) < p.dstSize {
		return &DescError{"dst", -1, int64(len(dst)), p.dstSize, ErrBuffer}
	}
	if int64(len(src)) < p.srcSize {
		return &DescError{"src", -1, int64(len(src)), p.srcSize, ErrBuffer}
	}
	// unsafe: addresses are compared, not used.
	d, s := uintptr(unsafe.Pointer(unsafe.SliceData(dst))), uintptr(unsafe.Pointer(unsafe.SliceData(src)))
	dlo, dhi := d+uintptr(p.dstLo), d+uintptr(p.dstHi)
	slo, shi := s+uintptr(p.srcLo), s+uintptr(p.srcHi)
	if dlo < shi && slo < dhi {
		return &DescError{"dst", -1, int64(min(dhi, shi) - max(dlo, slo)), 0, ErrOverlap}
	}
	return nil
}

// execute runs all parts; ctx may be nil.
func (p *Plan) execute(ctx context.Context, dst, src []byte) error {
	// unsafe: check has found every byte the plan touches inside the buffers.
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	if p.workers > 1 {
		return p.executeParallel(ctx, d, s)
	}
	for i := range p.parts.Count {
		if ctx != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		p.part(i, d, s)
	}
	return nil
}

// executeParallel has each goroutine take the next part until none is left. It
// works on a copy of the plan, since what goroutines use lives on the heap,
// and a plan that Copy makes should not.
func (p *Plan) executeParallel(ctx context.Context, dst, src unsafe.Pointer) error {
	var (
		q    = *p
		next atomic.Int64
		wg   sync.WaitGroup
	)
	work := func() {
		for ctx == nil || ctx.Err() == nil {
			i := next.Add(1) - 1
			if i >= q.parts.Count {
				return
			}
			q.part(i, dst, src)
		}
	}
	for range q.workers - 1 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			work()
		}()
	}
	work()
	wg.Wait()
	if next.Load() < q.parts.Count {
		return ctx.Err()
	}
	return nil
}

func (p *Plan) part(i int64, dst, src unsafe.Pointer) {
	so, do, rest := p.parts.Part(i)
	d, s := unsafe.Add(dst, do), unsafe.Add(src, so)
	switch {
	case p.programs == nil && rest:
		portable.Run(&p.parts.Rest, d, s)
	case p.programs == nil:
		portable.Run(&p.parts.Body, d, s)
	case rest:
		p.kernel.native.Run(&p.programs[1], d, s)
	default:
		p.kernel.native.Run(&p.programs[0], d, s)
	}
}
