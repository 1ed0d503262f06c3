package engine

import (
	"context"
	"unsafe"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/slice1/dtype"
	"github.com/seed2e45c115/dml/slice1/internal/convert"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Numbers ask for elements of another type.
type Numbers struct {
	Converts bool           // whether the other fields count
	To       dtype.DataType // of the elements written
	Axis     int            // of the output, along which the values go if there are several
	Values
}

// Values are what a run makes of each number x: x*Scale + Bias. Each has one value, or one for each
// iteration of the loop Numbers.Valued of the problem. A run without Numbers ignores them.
type Values struct{ Scale, Bias []float32 }

// Any reports whether there is a value.
func (v *Values) Any() bool { return len(v.Scale) > 0 || len(v.Bias) > 0 }

// converts reports whether the problem has Numbers.
func (p *Problem) converts() bool { return p.Numbers.From != program.Opaque }

// Normalize brings Nest and Numbers into normal form.
func (p *Problem) Normalize() {
	if p.converts() {
		convert.Normalize(&p.Nest, &p.Numbers)
		return
	}
	nest.Normalize(&p.Nest)
}

// newConversion returns an entry that runs a problem with Numbers, in one way.
func newConversion(p Problem) *Entry {
	e := &Entry{problem: p, conversion: convert.Of(&p.Nest, p.Numbers, p.Kernels, cpuid.Host().F16C, p.stores)}
	e.size = int64(unsafe.Sizeof(*e)) + e.conversion.Bytes()
	e.ways = []Way{{Candidate: plan.Candidate{Kernel: e.conversion.Kernel()}}}
	e.best.Store(&e.ways[0])
	e.settled.Store(&e.ways[0])
	return e
}

// someParts is how many parts of a conversion a goroutine takes at a time. The output of a part has
// at most plan.PartBytes, so all these have at most about as many bytes as plan.RunParts writes.
const someParts = plan.CallParts

// convert converts elements from src on, the address of the first one, to dst. Several goroutines share the work only if parallel is true. If ctx
// is done before the last part has begun, convert begins no more parts and returns ctx's error. A
// goroutine looks at ctx before it takes someParts parts.
//
// unsafe: the caller guarantees what convert.Worker asks for.
func (e *Entry) convert(ctx context.Context, dst, src unsafe.Pointer, v Values, parallel bool) error {
	n := e.conversion
	e.note(&e.ways[0])
	if workers := min(int64(e.problem.Workers), n.Parts()); parallel && workers > 1 {
		return e.convertParallel(ctx, dst, src, v, workers)
	}
	w := n.Worker()
	defer w.Put()
	w.Dst, w.Src, w.Scale, w.Bias = dst, src, v.Scale, v.Bias
	for at := int64(0); at < n.Parts(); at += someParts {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		w.Run(at, min(n.Parts(), at+someParts))
	}
	return nil
}

func (e *Entry) convertParallel(ctx context.Context, dst, src unsafe.Pointer, v Values, workers int64) error {
	n := e.conversion
	var next queue
	onGoroutines(workers, func() {
		w := n.Worker()
		defer w.Put()
		w.Dst, w.Src, w.Scale, w.Bias = dst, src, v.Scale, v.Bias
		for ctx.Err() == nil {
			at := next.take(someParts)
			if at >= n.Parts() {
				return
			}
			w.Run(at, min(n.Parts(), at+someParts))
		}
	})
	if next.taken() < n.Parts() {
		return ctx.Err()
	}
	return nil
}

// Converts reports whether the entry's problem has Numbers.
func (e *Entry) Converts() bool { return e.conversion != nil }

// ConversionText describes a run of a conversion: its kernel, parts, goroutines, steps and loops.
func (e *Entry) ConversionText() string {
	return e.conversion.Text(int64(e.problem.Workers))
}
