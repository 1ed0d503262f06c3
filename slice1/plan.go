package slice1

import (
	"fmt"
	"strings"

	"github.com/seed2e45c115/dml/slice1/internal/engine"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// Plan is a descriptor made ready to run, for any number of goroutines at once. It keeps nothing of
// the descriptor. A nil or zero Plan writes nothing, and its methods return ErrPlan, 0 or "".
type Plan struct {
	placed
	entry *engine.Entry // how the nest runs
}

// placed are what a slice asks of its buffers, and the places that its window may have.
type placed struct {
	buffers
	rank int
	axes [maxRank]axis // of which rank are set
}

// buffers are what a slice asks of its buffers, and where in them it begins.
type buffers struct {
	dstSize, srcSize    int64   // least bytes of the buffers
	spanOffset, spanGap uintptr // operands of the comparison in fits, which tests that the touched spans do not meet
	srcStart            int     // bytes of the source before the element that the nest counts from
	first               int64   // offset of the nest's first element from the window's first, in source bytes
	dataType, dstType   DataType
}

// axis is the range of offsets, from 0 on, that RunAt accepts on an axis.
type axis struct {
	last   int   // the largest offset
	stride int64 // bytes of the source from one offset to the next
}

// NewPlan validates d as [Desc.Validate] does and prepares its runs. The error is a [*DescError],
// or ErrKernel for a kernel or a candidate that is not there. ErrKernel is also the error for a
// value of the environment variables SLICE1_KERNEL and DML_CPU that they do not take, and ErrSyntax
// for SLICE1_LEARN.
func NewPlan(d *Desc, opts ...Option) (*Plan, error) { return newPlan(d, configure(opts)) }

func newPlan(d *Desc, s engine.Settings) (*Plan, error) {
	p := new(Plan)
	var problem engine.Problem
	var in, out layout
	err := p.init(&problem, d, &in, &out, &s)
	if err != nil {
		return nil, err
	}
	p.setAxes(d, &in)
	if p.entry, err = problem.Entry(&s); err != nil {
		return nil, err
	}
	return p, nil
}

// setAxes sets the places that the window of a valid descriptor may have.
func (p *placed) setAxes(d *Desc, in *layout) {
	p.rank = len(d.Input.Sizes)
	for i, n := range d.Input.Sizes {
		p.axes[i] = axis{n - d.WindowSizes[i], in.strides[i] * int64(p.dataType.Size())}
	}
}

// init sets b and *problem to those of d's slice, as s asks, and *in and *out to the tensors'
// layouts. All must be zero.
func (b *buffers) init(problem *engine.Problem, d *Desc, in, out *layout, s *engine.Settings) error {
	if err := d.validate(in, out); err != nil {
		return err
	}
	n := &problem.Nest
	before := d.loops(n, in, out, d.Input.DataType.Size())
	nest.Normalize(n)
	b.set(d.Input.DataType, d.Input.DataType, in, out, before, n)
	return problem.Configure(s)
}

// set sets b to what a nest asks of buffers of the given types and layouts. `before` are the bytes
// of the source before what n.SrcOff counts from, and set makes n count from its first element.
func (b *buffers) set(from, to DataType, in, out *layout, before int, n *nest.Nest) {
	b.dataType, b.dstType, b.srcSize, b.dstSize = from, to, in.bytes, out.bytes
	b.first = n.SrcOff
	b.srcStart, n.SrcOff = before+int(b.first), 0
	srcLo, srcHi, dstLo, dstHi := nest.Span(n)
	dstHi += int64(to.Size() - from.Size())
	b.spanOffset, b.spanGap = uintptr(dstHi-1-srcLo), uintptr(srcHi-srcLo+dstHi-dstLo-1)
}

// loops sets n, which must be zero, to the nest of a valid descriptor, not in normal form, whose
// destination has elements of dstSize bytes. It returns the bytes of the source before the window;
// n.SrcOff counts from there. Axes of one output element have no loop: their strides are never
// taken and may be anything. No product here overflows, since each is the distance of two elements
// of a tensor.
func (d *Desc) loops(n *nest.Nest, in, out *layout, dstSize int) (srcStart int) {
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
			dim.Dst = out.strides[i] * int64(dstSize)
			rank++
		}
	}
	n.Rank, n.SrcOff = int32(rank), first*size
	return int(before * size)
}

// valid reports whether NewPlan made p.
func (p *Plan) valid() bool { return p != nil && p.entry != nil }

// DataType returns the data type of both tensors.
func (p *Plan) DataType() DataType {
	if p == nil {
		return 0
	}
	return p.dataType
}

// DstSize returns the least length of a dst in bytes.
func (p *Plan) DstSize() int64 {
	if p == nil {
		return 0
	}
	return p.dstSize
}

// SrcSize returns the least length of a src in bytes.
func (p *Plan) SrcSize() int64 {
	if p == nil {
		return 0
	}
	return p.srcSize
}

// Kernel returns the name of the kernel that the next run takes; LastKernel has that of the last
// one.
func (p *Plan) Kernel() string {
	if !p.valid() {
		return ""
	}
	return p.entry.Upcoming().Kernel.String()
}

// LastKernel returns the name of the kernel that the last run took, for counting runs by kernel:
// while plans learn, runs take kernels in turn. It is "" before the first run. Plans of slices that
// run alike share what they know, so that the last run may be another plan's, or that of another
// goroutine.
func (p *Plan) LastKernel() string {
	if p.valid() {
		if w := p.entry.Last(); w != nil {
			return w.Kernel.String()
		}
	}
	return ""
}

// String describes the next run: kernel, kind of inner loop, elements, parts, goroutines, the loops
// with strides in bytes, and what runs have timed.
func (p *Plan) String() string {
	if !p.valid() {
		return errNoPlan.Error()
	}
	n, w, size := &p.entry.Problem().Nest, p.entry.Upcoming(), int64(p.dataType.Size())
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s, kind %s, %s of %s", w.Kernel, w.Kind(),
		plural(nest.Bytes(n)/size, "element"), plural(size, "byte"))
	fmt.Fprintf(&b, ", %s on %s\n", plural(w.Parts(), "part"), plural(p.entry.Goroutines(w), "goroutine"))
	indent := ""
	for _, d := range n.Dims[:n.Rank] {
		fmt.Fprintf(&b, "%sfor %d: source %+d, destination %+d\n", indent, d.Extent, d.Src, d.Dst)
		indent += "  "
	}
	fmt.Fprintf(&b, "%scopy %s, first from source %d to destination %d", indent, plural(int64(n.Width), "byte"), p.srcStart, n.DstOff)
	for i, c := range p.entry.Known() {
		if i == 0 {
			b.WriteString("\ntried")
		} else {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %s %.3g us", c, float64(c.Cost)/1e6)
	}
	return b.String()
}

// Candidate is one way to run a plan.
type Candidate struct {
	// Name is what [WithCandidate] takes: the kernel and, unless that is "go", the kind of its
	// inner loop, with "long" if the longest loop is innermost, and "nt" for non-temporal stores.
	// What follows says how a slice of several parts is cut if not by the usual rule: into "boxes"
	// with long runs in the input and in the output, or into "bands" of whole rows; "by source" or
	// "by destination", which is the order in which parts, and loops within a part, come; "in
	// blocks" of some MiB, one after another.
	Name     string
	Cost     float64 // nanoseconds of one run
	Chosen   bool    // the plan runs by this candidate
	Measured bool    // Cost is the time that runs took, and not an estimate
}

// Candidates returns the ways to run the plan by the kernels and stores that it may use: first
// those that runs have timed, each group from the cheapest on. Estimates are for one goroutine and
// data in the smallest cache that holds them. Candidates plans anew, and waits while a run is
// timed.
func (p *Plan) Candidates() []Candidate {
	if !p.valid() {
		return nil
	}
	chosen := p.entry.Upcoming().Candidate
	all, measured := p.entry.Candidates()
	var cs []Candidate
	for i, c := range all {
		cs = append(cs, Candidate{c.String(), float64(c.Cost) / 1000, c.Is(chosen), i < measured})
	}
	return cs
}
