package slice1

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed2e45c115/dml/slice1/internal/engine"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// Plan is a descriptor that is prepared to run. Any number of goroutines may run it at once. It
// keeps no reference to the descriptor. A nil or zero Plan writes nothing. Its methods return
// ErrPlan or a zero value, and String returns a sentence.
type Plan struct {
	buffers
	entry      *engine.Entry // how the nest runs
	values     engine.Values // of numbers
	conversion *conversion   // nil without numbers
	rank       int
	axes       [maxRank]axis // where the window may be; the first rank are set
}

// buffers is what a slice needs of its buffers, and where in them it begins.
type buffers struct {
	dstSize, srcSize    int64   // least lengths of the buffers in bytes
	spanOffset, spanGap uintptr // for fits, which tests by one comparison that the touched spans do not meet
	srcStart            int     // bytes of the source before the element that the nest counts from
	first               int64   // offset of the nest's first element from the window's first, in source bytes
	srcType, dstType    DataType
	size                int32 // bytes of an element of the source
}

// axis is the range of offsets that RunAt accepts on an axis. It begins at 0.
type axis struct {
	last   int   // the largest offset
	stride int64 // bytes of the source from one offset to the next
}

// NewPlan validates d like [Desc.Validate] and prepares its runs. The error is a [*DescError], or
// ErrKernel for an unknown kernel or candidate, or [errors.ErrUnsupported] for options that
// contradict each other. Bad values of environment variables are errors, too: ErrKernel for
// SLICE1_KERNEL and DML_CPU, ErrSyntax for SLICE1_LEARN.
func NewPlan(d *Desc, opts ...Option) (*Plan, error) {
	var s engine.Settings
	return newPlan(d, &s, s.Configure(opts))
}

// newPlan is NewPlan with settings and with what the elements become, or nil.
func newPlan(d *Desc, s *engine.Settings, numbers *engine.Numbers) (*Plan, error) {
	p := new(Plan)
	var problem plan.Problem
	var input, output layout
	err := p.init(&problem, d, &input, &output, s, numbers, &p.values)
	if err != nil {
		return nil, err
	}
	p.rank = len(d.Input.Sizes)
	for i, n := range d.Input.Sizes {
		p.axes[i] = axis{n - d.WindowSizes[i], input.strides[i] * int64(p.srcType.Size())}
	}
	if numbers != nil {
		c := *d
		c.Input, c.Output = d.Input.clone(), d.Output.clone()
		c.WindowOffsets, c.WindowSizes, c.WindowStrides = slices.Clone(d.WindowOffsets), slices.Clone(d.WindowSizes), slices.Clone(d.WindowStrides)
		p.keep(&c, s, numbers)
	}
	if p.entry, err = engine.EntryOf(&problem, s); err != nil {
		return nil, err
	}
	return p, nil
}

// init sets b and *problem for d's slice with settings s and with numbers, unless these are nil. It
// sets *input and *output to the tensors' layouts. All four must be zero, and so must *v, which it
// sets to the values of runs. It does not copy them.
func (b *buffers) init(problem *plan.Problem, d *Desc, input, output *layout, s *engine.Settings, numbers *engine.Numbers, v *engine.Values) (err error) {
	dstType := DataType(0)
	if numbers != nil {
		if dstType = numbers.Type; dstType.Size() == 0 {
			return typeError("dstType", dstType)
		}
	}
	if err := d.validateTo(input, output, dstType); err != nil {
		return err
	}
	srcType, size := d.Input.DataType, d.Input.DataType.Size()
	if numbers == nil {
		dstType = srcType
	} else {
		size = dstType.Size()
	}
	windowStart := d.loops(&problem.Nest, input, output, size)
	if numbers != nil || s.Swap {
		if numbers != nil {
			if err := checkAffine(numbers, srcType, d.Output.Sizes); err != nil {
				return err
			}
		}
		problem.Numbers, *v = resolve(d, s, numbers)
		if v.Several() {
			loop := 0 // the number of the axis's loop: axes of one output element have none
			for _, n := range d.Output.Sizes[:numbers.Axis] {
				loop += min(n-1, 1)
			}
			problem.Nest.Dims[loop].Param = 1
		}
	}
	if problem.Numbers.Opaque() {
		nest.Normalize(&problem.Nest)
	}
	b.srcType, b.dstType, b.size = srcType, dstType, int32(srcType.Size())
	b.set(input, output, windowStart, &problem.Nest, size-srcType.Size())
	return engine.Configure(problem, s)
}

// set sets b, except the types, to what a nest needs of buffers of the given layouts. An element of
// the destination has growth bytes more than one of the source. n.SrcOff counts from byte
// windowStart of the source; set makes n count from the element that it reads first.
func (b *buffers) set(input, output *layout, windowStart int, n *nest.Nest, growth int) {
	b.srcSize, b.dstSize = input.bytes, output.bytes
	b.first = n.SrcOff
	b.srcStart, n.SrcOff = windowStart+int(b.first), 0
	srcLo, srcHi, dstLo, dstHi := nest.Span(n)
	dstHi += int64(growth)
	b.spanOffset, b.spanGap = uintptr(dstHi-1-srcLo), uintptr(srcHi-srcLo+dstHi-dstLo-1)
}

// loops sets n, which must be zero, to the nest of a valid descriptor. The nest is not in normal
// form. Elements of the destination have dstSize bytes. loops returns the bytes of the source
// before the window, and n.SrcOff counts from there. Axes of one output element have no loop, and
// their strides may be anything. No product overflows, because each is the distance of two elements
// of a tensor.
func (d *Desc) loops(n *nest.Nest, input, output *layout, dstSize int) (srcStart int) {
	size := int64(d.Input.DataType.Size())
	n.Width = int32(size)
	rank, first, windowStart := 0, int64(0), int64(0)
	for i, extent := range d.Output.Sizes {
		step := int64(d.WindowStrides[i])
		windowStart += int64(d.WindowOffsets[i]) * input.strides[i]
		first += int64(d.first(i)-d.WindowOffsets[i]) * input.strides[i]
		if extent > 1 {
			dim := &n.Dims[rank]
			dim.Extent = int64(extent)
			dim.Src = step * input.strides[i] * size
			dim.Dst = output.strides[i] * int64(dstSize)
			rank++
		}
	}
	n.Rank, n.SrcOff = int32(rank), first*size
	return int(windowStart * size)
}

// valid reports whether NewPlan made p.
func (p *Plan) valid() bool { return p != nil && p.entry != nil }

// needs returns what p needs of its buffers, which is nothing for nil.
func (p *Plan) needs() *buffers {
	if p == nil {
		return new(buffers)
	}
	return &p.buffers
}

// SrcType returns the data type of the source's elements.
func (p *Plan) SrcType() DataType { return p.needs().srcType }

// DstType returns the data type of the destination's elements. It is SrcType's unless the plan has
// numbers.
func (p *Plan) DstType() DataType { return p.needs().dstType }

// DstSize returns the number of bytes that dst must have at least.
func (p *Plan) DstSize() int64 { return p.needs().dstSize }

// SrcSize returns the number of bytes that src must have at least.
func (p *Plan) SrcSize() int64 { return p.needs().srcSize }

// Kernel returns the name of the kernel that a run takes if it begins at once. [Plan.LastKernel]
// returns the last run's. Like the other methods that describe a plan, Kernel waits for no run.
func (p *Plan) Kernel() string {
	if !p.valid() {
		return ""
	}
	return p.entry.Upcoming().Kernel.String()
}

// LastKernel returns the name of the last run's kernel, or "" before the first run. With it a
// program can count runs by kernel: while plans learn, runs take kernels in turn. Plans of slices
// that run alike share what they know. So the last run may belong to another plan or another
// goroutine.
func (p *Plan) LastKernel() string {
	if p.valid() {
		if w := p.entry.LastWay(); w != nil {
			return w.Kernel.String()
		}
	}
	return ""
}

// String describes a run that begins at once: its kernel, kind of inner loop, elements, parts,
// goroutines and loops with strides in bytes. It also lists the times of earlier runs.
func (p *Plan) String() string {
	if !p.valid() {
		return errNoPlan.Error()
	}
	e := p.entry
	n, w, size := &e.Problem().Nest, e.Described(e.Upcoming()), int64(p.srcType.Size())
	elements := int64(1)
	for _, d := range n.Dims[:n.Rank] {
		elements *= d.Extent
	}
	elements *= int64(n.Width) / size
	var text strings.Builder
	if p.conversion != nil {
		fmt.Fprintf(&text, "%v to %v, ", p.srcType, p.dstType)
	}
	fmt.Fprintf(&text, "kernel %s, kind %s, %s of %s", w.Kernel, w.Kind(), plural(elements, "element"), plural(size, "byte"))
	fmt.Fprintf(&text, ", %s on %s\n", plural(w.Parts(), "part"), plural(e.Goroutines(w), "goroutine"))
	indent := ""
	for _, d := range n.Dims[:n.Rank] {
		fmt.Fprintf(&text, "%sfor %d: source %+d, destination %+d\n", indent, d.Extent, d.Src, d.Dst)
		indent += "  "
	}
	verb := "copy"
	if p.conversion != nil {
		verb = "convert"
	}
	fmt.Fprintf(&text, "%s%s %s, first from source %d to destination %d", indent, verb, plural(int64(n.Width), "byte"), p.srcStart, n.DstOff)
	for i, c := range e.Known() {
		if i == 0 {
			text.WriteString("\ntried")
		} else {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, " %s %.3g us", c, float64(c.Cost)/1e6)
	}
	return text.String()
}

// Candidate is one way to run a plan.
type Candidate struct {
	// Name is the name for [WithCandidate]. It begins with the kernel. The kind follows: that of
	// the inner loop, which is left out for "go", or what a plan with numbers does with a part, or
	// "packed" for parts that are first sliced into scratch memory. "element long" has the longest
	// loop innermost. "nt" means non-temporal stores. The rest says how a slice of several parts is
	// cut, if not by the usual rule: into "boxes" with long stretches in the input and in the
	// output, into "bands" of whole rows, or, with numbers, into "long" parts of four times as many
	// elements. "by source" and "by destination" are the order of the parts, and of the loops
	// within a part. "in blocks" means blocks of some MiB, one after another.
	Name     string
	Cost     float64 // nanoseconds of one run
	Chosen   bool    // a run that begins at once takes this candidate
	Measured bool    // Cost is the time of runs, not an estimate
}

// Candidates returns the ways to run the plan with the kernels and stores that it may use.
// Candidates with times of runs come first, and each group is sorted by cost, cheapest first.
// Estimates are for one goroutine, with the data in the smallest cache that holds it. Candidates
// plans anew, and waits for no run.
func (p *Plan) Candidates() []Candidate {
	if !p.valid() {
		return nil
	}
	all, measured, chosen := p.entry.Candidates()
	var cs []Candidate
	for i, c := range all {
		cs = append(cs, Candidate{c.String(), float64(c.Cost) / 1000, c.Same(chosen), i < measured})
	}
	return cs
}
