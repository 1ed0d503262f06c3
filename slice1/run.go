package slice1

import (
	"context"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
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
	if ctx != nil && ctx.Err() != nil {
		return ctx.Err()
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

// execute runs the plan on buffers that check has passed; ctx may be nil.
func (p *Plan) execute(ctx context.Context, dst, src []byte) error {
	d, s := pointers(dst, src)
	switch {
	case p.parts != nil:
		return p.parts.run(ctx, d, s)
	case p.program != nil:
		p.kernel.native.Run(p.program, d, s)
	default:
		p.kernel.run(&p.nest, d, s)
	}
	return nil
}

// runOnce plans d and runs it. What the plan needs is on the stack, in frames
// that only the slices enter that need it: to clear a program takes longer
// than many a slice.
func runOnce(dst, src []byte, elemSize int, desc *Desc, c config) error {
	var p Plan
	if err := p.init(desc, c.kernel, true); err != nil {
		return err
	}
	if err := p.checkElement(elemSize); err != nil {
		return err
	}
	if err := p.check(dst, src); err != nil {
		return err
	}
	d, s := pointers(dst, src)
	switch {
	case p.bytes > partBytes:
		return p.runParts(c, d, s)
	case p.kernel.native != nil:
		p.runProgram(d, s)
	default:
		p.kernel.run(&p.nest, d, s)
	}
	return nil
}

//go:noinline
func (p *Plan) runParts(c config, dst, src unsafe.Pointer) error {
	var ps parts
	ps.init(p, c)
	return ps.run(nil, dst, src)
}

//go:noinline
func (p *Plan) runProgram(dst, src unsafe.Pointer) {
	var program csrc.Program
	p.kernel.native.Prepare(&program, &p.nest, csrc.Cached)
	p.kernel.native.Run(&program, dst, src)
}

// pointers returns where the buffers start.
//
// unsafe: check has found every byte a plan touches inside them.
func pointers(dst, src []byte) (d, s unsafe.Pointer) {
	return unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
}
