package slice1

import (
	"fmt"
	"strings"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
)

// Plan is a descriptor made ready to run: checked, reduced to its simplest loop nest, and
// given a kernel. A Plan is immutable, keeps nothing of its descriptor, and may be used
// by any number of goroutines at once. [NewPlan] makes plans; of a nil or zero Plan, the
// methods that run or check return ErrPlan and write nothing.
type Plan struct {
	dstSize, srcSize int64   // least bytes of the buffers
	ahead, apart     uintptr // operands of the comparison in fits, which tests that the touched spans do not meet
	home             int     // bytes of the source before the window

	runner        // runs the whole nest if parts is nil
	parts  *parts // runs the nest in parts if it is large; else nil

	chosen   plan.Candidate
	work     plan.Work
	measured []plan.Candidate // measured in the race of this shape, fastest first; shared by plans of the shape; nil without a race
	bytes    int64            // bytes that a run copies
	elemSize int
	dataType DataType
	nest     nest.Nest // its source starts home bytes into src
	axes     []axis    // the offsets that RunAt accepts, by axis
}

// axis is the range of offsets, from 0 on, that RunAt accepts on an axis.
type axis struct {
	last   int   // the largest offset
	stride int64 // bytes of the source from one offset to the next
}

// NewPlan validates d as [Desc.Validate] does and prepares its execution. The error is a
// [*DescError], or ErrKernel for a kernel that this build lacks or this host cannot run and
// for a candidate that the plan does not have. For a slice that runs once, [Copy] needs no
// plan. [Desc.Key] is a key for a cache of plans.
func NewPlan(d *Desc, opts ...Option) (*Plan, error) { return newPlan(d, configure(opts)) }

func newPlan(d *Desc, c config) (*Plan, error) {
	p := new(Plan)
	var in layout
	if err := p.init(d, &in, c.kernel); err != nil {
		return nil, err
	}
	p.axes = make([]axis, len(d.Input.Sizes))
	for i, n := range d.Input.Sizes {
		p.axes[i] = axis{n - d.WindowSizes[i], in.strides[i] * int64(p.elemSize)}
	}
	if c.candidate != "" && c.kernel == "" && forced == "" {
		p.work.Kernels = usable // all of them under the race detector, too
	}
	p.prepare(c)
	if c.candidate != "" {
		if err := p.ask(c.candidate, c); err != nil {
			return nil, err
		}
	} else if c.budget > 0 {
		theMeasurer.choose(p, c)
	}
	return p, nil
}

// prepare chooses how the nest runs and makes the programs or the table for it. It takes both
// from theMemory if the nest's shape is there.
func (p *Plan) prepare(c config) {
	if p.bytes > plan.PartBytes {
		p.parts = new(parts)
		p.parts.init(p, c)
		return
	}
	known, again := theMemory.find(&p.nest, p.work.Kernels)
	if known != nil {
		p.chosen, p.runner = known.chosen, known.runner
		return
	}
	p.choose()
	if again {
		p.remember()
	}
}

// choose sets p.chosen to the cheapest candidate for the whole nest, and makes its program or
// table, if it has one.
func (p *Plan) choose() {
	var search plan.Search
	search.Begin(plan.Here(), &p.nest, &p.work)
	var ok bool
	if p.chosen, ok = search.InGo(); !ok {
		p.program = new(csrc.Program)
		p.chosen = search.Choose(plan.Here(), p.program, &p.nest, &p.work)
	}
	p.ready()
}

// remember stores how p runs, for later slices of its shape.
func (p *Plan) remember() {
	theMemory.put(&prepared{p.nest, p.work.Kernels, p.chosen, p.runner})
}

// ready completes the runner of a plan that runs its nest whole, by p.chosen: plain Go has no
// program, and a table if that pays.
func (p *Plan) ready() {
	if p.chosen.Kernel < 0 {
		p.program = nil
	}
	if p.chosen.Kernel == plan.Go {
		p.table = portable.NewTable(&p.nest)
	}
}

// init sets what follows from d, and the kernels that p may use. It leaves axes, runner, parts,
// chosen and measured alone. It stores the input's layout in *in, which must be zero.
func (p *Plan) init(d *Desc, in *layout, kernel string) error {
	var out layout
	err := d.validate(in, &out)
	if err != nil {
		return err
	}
	p.dataType, p.elemSize = d.Input.DataType, d.Input.DataType.Size()
	p.srcSize, p.dstSize = in.bytes, out.bytes
	p.home = d.loops(&p.nest, in, &out)
	nest.Normalize(&p.nest)
	srcLo, srcHi, dstLo, dstHi := nest.Span(&p.nest)
	p.ahead, p.apart = uintptr(dstHi-1-srcLo), uintptr(srcHi-srcLo+dstHi-dstLo-1)
	p.bytes = nest.Bytes(&p.nest)
	p.work.Lines = plan.Here().LinesOf(&p.nest)
	p.work.Kernels, err = allowed(kernel)
	return err
}

// loops sets n, which must be zero, to the nest of a valid descriptor, not in normal form.
// It returns the bytes of the source before the window; n.SrcOff counts from there. Axes
// of one output element have no loop: their strides are never taken and may be anything.
// No product here overflows, since each is the distance of two elements of a tensor.
func (d *Desc) loops(n *nest.Nest, in, out *layout) (home int) {
	size := int64(d.Input.DataType.Size())
	n.Width = int32(size)
	rank, first, before := 0, int64(0), int64(0)
	for i, extent := range d.Output.Sizes {
		step := int64(d.WindowStrides[i])
		before += int64(d.WindowOffsets[i]) * in.strides[i]
		first += int64(d.first(i)-d.WindowOffsets[i]) * in.strides[i]
		if extent > 1 {
			dim := &n.Dims[rank]
			dim.Extent = int64(extent)
			dim.Src = step * in.strides[i] * size
			dim.Dst = out.strides[i] * size
			rank++
		}
	}
	n.Rank, n.SrcOff = int32(rank), first*size
	return int(before * size)
}

// made reports whether NewPlan made p.
func (p *Plan) made() bool { return p != nil && p.elemSize != 0 }

// DataType returns the data type of both tensors. It returns 0 for a plan that NewPlan did
// not make.
func (p *Plan) DataType() DataType {
	if p == nil {
		return 0
	}
	return p.dataType
}

// DstSize returns the least length of a dst in bytes. It returns 0 for a plan that NewPlan
// did not make.
func (p *Plan) DstSize() int64 {
	if p == nil {
		return 0
	}
	return p.dstSize
}

// SrcSize returns the least length of a src in bytes. It returns 0 for a plan that NewPlan
// did not make.
func (p *Plan) SrcSize() int64 {
	if p == nil {
		return 0
	}
	return p.srcSize
}

// Kernel returns the name of the plan's kernel, one of [Kernels]. It returns "" for a plan
// that NewPlan did not make.
func (p *Plan) Kernel() string {
	if !p.made() {
		return ""
	}
	return kernelOf(p.chosen).Name
}

// String describes the plan: its kernel, the kind of its inner loop, how many elements it
// copies, in how many parts and on how many goroutines, and the loop nest with strides in
// bytes. For a plan that NewPlan did not make, it returns the text of the error that Run returns.
func (p *Plan) String() string {
	if !p.made() {
		return errNoPlan.Error()
	}
	class, count := portable.Class(&p.nest), int64(1)
	if p.parts != nil {
		count = p.parts.Count
	}
	switch {
	case p.parts != nil && p.chosen.Kernel >= 0:
		class = plan.KindOf(&p.parts.programs[0])
	case p.program != nil:
		class = plan.KindOf(p.program)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s, kind %s, %s of %s", p.Kernel(), class,
		plural(p.bytes/int64(p.nest.Width), "element"), plural(int64(p.nest.Width), "byte"))
	fmt.Fprintf(&b, ", %s on %s\n", plural(count, "part"), plural(int64(p.workers()), "goroutine"))
	indent := ""
	for _, d := range p.nest.Dims[:p.nest.Rank] {
		fmt.Fprintf(&b, "%sfor %d: source %+d, destination %+d\n", indent, d.Extent, d.Src, d.Dst)
		indent += "  "
	}
	fmt.Fprintf(&b, "%scopy %s, first from source %d to destination %d", indent, plural(int64(p.nest.Width), "byte"), int64(p.home)+p.nest.SrcOff, p.nest.DstOff)
	return b.String()
}
