package slice1

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
)

const (
	// partBytes is the output of one part of a large plan, the unit of
	// parallel work. It bounds how long a cancelled context goes unnoticed: a
	// part of 1-byte elements that all miss the cache takes milliseconds.
	partBytes = 256 << 10
	// parallelBytes is the output below which a second goroutine costs more
	// than it does.
	parallelBytes = 4 << 20
)

// Plan is a descriptor made ready to run: checked, brought to its simplest
// loop nest, with a kernel chosen. It is immutable, keeps nothing of the
// descriptor it came from, and may be used by any number of goroutines at once.
type Plan struct {
	elemSize         int
	srcSize, dstSize int64 // bytes the buffers need
	srcLo, srcHi     int64 // bytes of them that are touched: [lo, hi)
	dstLo, dstHi     int64
	nest             csrc.Nest
	parts            nest.Pieces
	kernel           *kernel
	programs         *[2]csrc.Program // of parts.Body and parts.Rest, for a C kernel
	workers          int
}

// NewPlan validates d as [Desc.Validate] does and prepares its execution. The
// error is a [*DescError], or ErrKernel for a kernel that does not exist or
// can not run here.
func NewPlan(d *Desc, opts ...Option) (*Plan, error) {
	p := new(Plan)
	if err := p.init(d, configure(opts)); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *Plan) init(d *Desc, c config) error {
	in, out, err := d.validate()
	if err != nil {
		return err
	}
	p.elemSize = d.Input.DataType.Size()
	p.srcSize, p.dstSize = in.bytes, out.bytes
	p.nest = d.loops(&in, &out)
	nest.Normalize(&p.nest)
	p.srcLo, p.srcHi, p.dstLo, p.dstHi = nest.Span(&p.nest)
	p.parts = nest.Cut(&p.nest, partBytes)
	if p.kernel, err = choose(c.kernel, &p.nest); err != nil {
		return err
	}
	if native := p.kernel.native; native != nil {
		p.programs = new([2]csrc.Program)
		native.Prepare(&p.programs[0], &p.parts.Body)
		native.Prepare(&p.programs[1], &p.parts.Rest)
	}
	p.workers = 1
	if c.parallelism != 1 && nest.Bytes(&p.nest) >= parallelBytes {
		p.workers = runtime.GOMAXPROCS(0)
		if c.parallelism > 0 {
			p.workers = min(p.workers, c.parallelism)
		}
		p.workers = int(min(int64(p.workers), p.parts.Count))
	}
	return nil
}

// loops returns the raw nest of a valid descriptor, one loop per axis. No
// product here overflows: each is the distance of two elements of a tensor.
func (d *Desc) loops(in, out *layout) csrc.Nest {
	size := d.Input.DataType.Size()
	n := csrc.Nest{Rank: int32(len(d.Input.Sizes)), Width: int32(size)}
	for i, extent := range d.Output.Sizes {
		step := int64(d.WindowStrides[i])
		start := int64(d.WindowOffsets[i])
		if step < 0 {
			start += int64(d.WindowSizes[i]) - 1
		}
		n.SrcOff += start * in.strides[i] * int64(size)
		n.Dims[i] = csrc.Dim{Extent: int64(extent)}
		// Steps and strides of a single element are never taken and may be anything.
		if extent > 1 {
			n.Dims[i].Src = step * in.strides[i] * int64(size)
			n.Dims[i].Dst = out.strides[i] * int64(size)
		}
	}
	return n
}

// Kernel returns the name of the kernel the plan uses, one of [Kernels].
func (p *Plan) Kernel() string { return p.kernel.Name }

// String explains the plan: kernel, class of the inner loop, the loop nest the
// descriptor came down to with its strides in bytes, and the parts it runs in.
func (p *Plan) String() string {
	class := portable.Class(&p.nest)
	if p.programs != nil {
		class = p.programs[0].Class()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s, class %s, %s of %s", p.kernel.Name, class,
		count(nest.Bytes(&p.nest)/int64(p.nest.Width), "element"), count(int64(p.nest.Width), "byte"))
	fmt.Fprintf(&b, ", %s on %s\n", count(p.parts.Count, "part"), count(int64(p.workers), "goroutine"))
	indent := ""
	for _, d := range p.nest.Dims[:p.nest.Rank] {
		fmt.Fprintf(&b, "%sfor %d: source %+d, destination %+d\n", indent, d.Extent, d.Src, d.Dst)
		indent += "  "
	}
	fmt.Fprintf(&b, "%scopy %s, first from source %d to destination %d", indent, count(int64(p.nest.Width), "byte"), p.nest.SrcOff, p.nest.DstOff)
	return b.String()
}

func count(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
