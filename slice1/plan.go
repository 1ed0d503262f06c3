package slice1

import (
	"context"
	"slices"
	"unsafe"

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
	nestStart           int64   // offset of the nest's first element from the window's first, in source bytes
	srcType, dstType    DataType
	size                int32 // bytes of an element of the source
}

// axis is the range of offsets that RunAt accepts on an axis. It begins at 0.
type axis struct {
	maxOffset int   // the largest offset
	stride    int64 // bytes of the source from one offset to the next
}

// NewPlan validates d like [Desc.Validate] and prepares its runs. The error is a [*DescError], or
// ErrKernel for an unknown kernel or candidate, or [errors.ErrUnsupported] for options that
// contradict each other. Bad values of environment variables are errors, too: ErrKernel for
// SLICE1_KERNEL and DML_CPU, ErrSyntax for SLICE1_LEARN.
func NewPlan(d *Desc, opts ...Option) (*Plan, error) {
	s, numbers := settings(opts)
	return newPlan(d, &s, numbers)
}

// settings returns what the options ask for: settings and, in the memory of opts, numbers, or nil.
// The last one of several options of one kind counts.
func settings(opts []Option) (s engine.Settings, numbers *engine.Affine) {
	for i := range opts {
		if n := (*engine.Option)(&opts[i]).Set(&s); n != nil {
			numbers = n
		}
	}
	return s, numbers
}

// newPlan is NewPlan with settings and with what the elements become, or nil.
func newPlan(d *Desc, s *engine.Settings, numbers *engine.Affine) (*Plan, error) {
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
func (b *buffers) init(problem *plan.Problem, d *Desc, input, output *layout, s *engine.Settings, numbers *engine.Affine, v *engine.Values) (err error) {
	dstType := DataType(0)
	if numbers != nil {
		if dstType = DataType(numbers.Type); dstType.Size() == 0 {
			return typeError("dstType", dstType)
		}
	}
	if err := d.validate(input, output, dstType); err != nil {
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
		problem.Cast, *v = resolve(d, s, numbers)
		if v.Several() {
			loop := 0 // the number of the axis's loop: axes of one output element have none
			for _, n := range d.Output.Sizes[:numbers.Axis] {
				loop += min(n-1, 1)
			}
			problem.Nest.Dims[loop].Param = 1
		}
	}
	if problem.Cast.Opaque() {
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
	b.nestStart = n.SrcOff
	b.srcStart, n.SrcOff = windowStart+int(b.nestStart), 0
	srcLo, srcHi, dstLo, dstHi := nest.Span(n)
	dstHi += int64(growth)
	b.spanOffset, b.spanGap = uintptr(dstHi-1-srcLo), uintptr(srcHi-srcLo+dstHi-dstLo-1)
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

// Run slices src into dst. Each buffer must have at least its tensor's MinSize (ErrBuffer). Bytes
// of dst beyond that and between output elements keep their value. A span is all bytes from the
// first to the last that the slice touches in a buffer. If the spans of dst and src meet, Run
// searches for a byte that it would both read and write, mostly for less than a microsecond. The
// error is ErrOverlap if there is such a byte, or if about 20 microseconds do not suffice to tell.
// If Run returns an error, it has written nothing. Otherwise, on one goroutine, it allocates in two
// cases: a few times while it learns, and if it needs scratch memory and the garbage collector has
// taken that of earlier runs.
func (p *Plan) Run(dst, src []byte) error {
	if !p.valid() || !p.fits(dst, src, p.srcStart) {
		return p.RunContext(context.Background(), dst, src)
	}
	d, s := pointers(dst, src, p.srcStart)
	w := p.entry.Small()
	if w == nil {
		return p.entry.Run(context.Background(), d, s, &p.values, true)
	}
	w.Slice(d, s)
	return nil
}

// fits reports whether the buffers are long enough and the spans that the slice touches have no
// byte in common. The window is srcStart bytes into src. The spans do not meet if
//
//	dst+dstHi <= src+srcStart+srcLo || dst+dstLo >= src+srcStart+srcHi
//
// Both spans together are shorter than the address space, and uintptrs wrap around. So one
// comparison decides this.
//
// unsafe: addresses are compared, not used.
func (b *buffers) fits(dst, src []byte, srcStart int) bool {
	d, s := pointers(dst, src, 0)
	return int64(len(dst)) >= b.dstSize && int64(len(src)) >= b.srcSize &&
		uintptr(d)-(uintptr(s)+uintptr(srcStart))+b.spanOffset >= b.spanGap
}

// pointers returns the addresses of dst and of a window srcStart bytes into src.
//
// unsafe: both lie in their buffers if these have the lengths that fits requires.
func pointers(dst, src []byte, srcStart int) (d, s unsafe.Pointer) {
	return unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Add(unsafe.Pointer(unsafe.SliceData(src)), srcStart)
}
