package slice1

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
)

// Plan is a descriptor made ready to run, for any number of goroutines at once. It keeps nothing of the
// descriptor. A nil or zero Plan writes nothing, and its methods return ErrPlan, 0 or "".
type Plan struct {
	place
	entry  *entry                 // how the nest runs
	floats atomic.Pointer[floats] // what RunFloat32 runs, made at its first call
	rank   int
	axes   [maxRank]axis // of which rank are set
}

// place is where in its buffers a slice lies.
type place struct {
	dstSize, srcSize    int64   // least bytes of the buffers
	spanOffset, spanGap uintptr // operands of the comparison in fits, which tests that the touched spans do not meet
	srcStart            int     // bytes of the source before the element that the nest counts from
	first               int64   // bytes of the source from the first element of the window to the one that the nest counts from
	dataType            DataType
}

// axis is the range of offsets, from 0 on, that RunAt accepts on an axis, and the axis as a loop.
type axis struct {
	last   int      // the largest offset
	stride int64    // bytes of the source from one offset to the next
	loop   nest.Dim // Src counts bytes, Dst elements
}

// NewPlan validates d as [Desc.Validate] does and prepares its runs. The error is a [*DescError], or
// ErrKernel for a kernel or a candidate that is not there.
func NewPlan(d *Desc, opts ...Option) (*Plan, error) { return newPlan(d, configure(opts)) }

func newPlan(d *Desc, c config) (*Plan, error) {
	p := new(Plan)
	var of shape
	var in, out layout
	if err := p.init(&of, d, &in, &out, c); err != nil {
		return nil, err
	}
	p.rank = len(d.Input.Sizes)
	for i, n := range d.Input.Sizes {
		stride := in.strides[i] * int64(p.dataType.Size())
		p.axes[i] = axis{n - d.WindowSizes[i], stride, nest.Dim{
			Extent: int64(d.Output.Sizes[i]), Src: int64(d.WindowStrides[i]) * stride, Dst: out.strides[i]}}
	}
	if c.candidate != "" {
		return p, p.force(&of, c.candidate)
	}
	var again bool
	if p.entry, again = theCache.find(&of); p.entry == nil {
		p.entry = newEntry(of)
		if again {
			p.entry = theCache.put(p.entry)
		}
	}
	if c.budget > 0 {
		p.entry.measure(c.budget)
	}
	return p, nil
}

// init sets p and *of to the place and the shape of d's slice, and *in and *out to the tensors' layouts. All must be zero.
func (p *place) init(of *shape, d *Desc, in, out *layout, c config) error {
	err := d.validate(in, out)
	if err != nil {
		return err
	}
	p.dataType, p.srcSize, p.dstSize = d.Input.DataType, in.bytes, out.bytes
	n := &of.nest
	before := d.loops(n, in, out)
	nest.Normalize(n)
	p.first = n.SrcOff
	p.srcStart, n.SrcOff = before+int(p.first), 0
	srcLo, srcHi, dstLo, dstHi := nest.Span(n)
	p.spanOffset, p.spanGap = uintptr(dstHi-1-srcLo), uintptr(srcHi-srcLo+dstHi-dstLo-1)
	if of.kernels, err = allowed(c); err != nil {
		return err
	}
	bytes := nest.Bytes(n)
	of.stores, of.workers = storesOf(bytes, c.streaming), workersOf(bytes, c.parallelism)
	of.learns = learning && !c.fixed
	return nil
}

// storesOf returns how a slice of `bytes` bytes may store. A positive `from` asks for non-temporal stores
// for slices of that many bytes or more, and a negative one for none. 0 asks for the faster ones, if
// the output does not fit the share of the last-level cache that a program may count on.
func storesOf(bytes, from int64) plan.Stores {
	switch {
	case bytes <= plan.PartBytes || from < 0 || from > bytes:
		return plan.Stores{Cached: true}
	case from > 0:
		return plan.Stores{NonTemporal: true}
	}
	return plan.Stores{Cached: true, NonTemporal: bytes >= plan.Here().LastLevel}
}

// workersOf returns how many goroutines may run a slice of `bytes` bytes, the caller's included.
func workersOf(bytes int64, parallelism int) int32 {
	if parallelism == 1 || bytes < plan.ParallelBytes {
		return 1
	}
	workers := runtime.GOMAXPROCS(0)
	if parallelism > 0 {
		workers = min(workers, parallelism)
	}
	return int32(min(int64(workers), bytes/plan.PartBytes)) // about as many as there are parts
}

// loops sets n, which must be zero, to the nest of a valid descriptor, not in normal form.
// It returns the bytes of the source before the window; n.SrcOff counts from there. Axes
// of one output element have no loop: their strides are never taken and may be anything.
// No product here overflows, since each is the distance of two elements of a tensor.
func (d *Desc) loops(n *nest.Nest, in, out *layout) (srcStart int) {
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

// Kernel returns the name of the kernel that the next run takes.
func (p *Plan) Kernel() string {
	if !p.valid() {
		return ""
	}
	return nameOf(p.entry.upcoming().Kernel)
}

// String describes the next run: kernel, kind of inner loop, elements, parts, goroutines, the loops
// with strides in bytes, and what runs have timed.
func (p *Plan) String() string {
	if !p.valid() {
		return errNoPlan.Error()
	}
	e, w, size := p.entry, p.entry.upcoming(), int64(p.dataType.Size())
	class := portable.Class(&e.nest)
	if w.programs != nil {
		class = w.Kind()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "kernel %s, kind %s, %s of %s", nameOf(w.Kernel), class,
		plural(nest.Bytes(&e.nest)/size, "element"), plural(size, "byte"))
	fmt.Fprintf(&b, ", %s on %s\n", plural(e.pieces.Count, "part"), plural(e.goroutines(), "goroutine"))
	indent := ""
	for _, d := range e.nest.Dims[:e.nest.Rank] {
		fmt.Fprintf(&b, "%sfor %d: source %+d, destination %+d\n", indent, d.Extent, d.Src, d.Dst)
		indent += "  "
	}
	fmt.Fprintf(&b, "%scopy %s, first from source %d to destination %d", indent, plural(int64(e.nest.Width), "byte"), p.srcStart, e.nest.DstOff)
	for i, c := range e.known() {
		fmt.Fprintf(&b, "%s %s %.3g us", []string{"\ntried", ","}[min(i, 1)], c, float64(c.Cost)/1e6)
	}
	return b.String()
}

// Candidate is one way to run a plan.
type Candidate struct {
	Name     string  // what WithCandidate takes: the kernel and, unless that is "go", the kind of its inner loop, with "long" if the longest loop is innermost, and "nt" for non-temporal stores
	Cost     float64 // nanoseconds of one run
	Chosen   bool    // the plan runs by this candidate
	Measured bool    // Cost is the time that runs took, and not an estimate
}

// Candidates returns the ways to run the plan by the kernels and stores that it may use: first those
// that runs have timed, each group from the cheapest on. Estimates are for one goroutine and data in
// the smallest cache that holds them. Candidates plans anew, and waits while a run is timed.
func (p *Plan) Candidates() []Candidate {
	if !p.valid() {
		return nil
	}
	chosen, measured := p.entry.upcoming().Candidate, p.entry.known()
	estimated := slices.DeleteFunc(p.entry.candidates(), func(c plan.Candidate) bool {
		return slices.ContainsFunc(measured, c.Is) || !c.Is(chosen) && !p.entry.stores.Allow(c)
	})
	var cs []Candidate
	for i, c := range slices.Concat(measured, estimated) {
		cs = append(cs, Candidate{c.String(), float64(c.Cost) / 1000, c.Is(chosen), i < len(measured)})
	}
	return cs
}

// candidates returns the ways to run a shape, cheapest first, with estimated costs that count all parts.
func (s *shape) candidates() []plan.Candidate {
	pieces, work := plan.Cut(&s.nest, s.stores), s.work()
	work.May = plan.Stores{Cached: true, NonTemporal: nest.Bytes(&s.nest) > plan.PartBytes}
	return plan.Here().Candidates(&pieces.Shapes[0], pieces.Count, work)
}

// force makes the plan, which is of that shape, run the candidate of the given name alone, or returns ErrKernel if it
// has none.
func (p *Plan) force(of *shape, name string) error {
	for _, c := range of.candidates() {
		if c.String() == name {
			p.entry = newEntry(*of, c)
			return nil
		}
	}
	return fmt.Errorf("slice1: %w: this plan has no candidate %q", ErrKernel, name)
}
