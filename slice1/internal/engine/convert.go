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

// elementTypes maps a data type of DirectML to its type of numbers.
var elementTypes = [...]program.ElementType{dtype.Uint8: program.Uint8, dtype.Int8: program.Int8, dtype.Uint16: program.Uint16,
	dtype.Int16: program.Int16, dtype.Int32: program.Int32, dtype.Float32: program.Float32, dtype.Float16: program.Float16}

// ElementTypeOf returns t's type of numbers, or Opaque if conversions do not take t.
func ElementTypeOf(t dtype.DataType) program.ElementType {
	switch {
	case t == dtype.BFloat16:
		return program.BFloat16
	case uint64(t) < uint64(len(elementTypes)):
		return elementTypes[t]
	}
	return program.Opaque
}

// Conversion returns the entry of a problem with Numbers, from the cache if the cache has it.
// Conversions do not learn.
func (p *Problem) Conversion() *Entry {
	e, again := theCache.find(p)
	if e == nil {
		e = &Entry{problem: *p, conversion: convert.Of(&p.Nest, p.Numbers, p.Kernels, cpuid.Host().F16C, p.stores)}
		e.size = int64(unsafe.Sizeof(*e)) + e.conversion.Bytes()
		if again {
			e = theCache.put(e)
		}
	}
	return e
}

// ConfigureConversion is Configure for a conversion. The caller sets Nest, which need not be in
// normal form, and Numbers.
func (p *Problem) ConfigureConversion(s *Settings) error {
	convert.Normalize(&p.Nest, &p.Numbers)
	if err := p.Configure(s); err != nil {
		return err
	}
	written := p.Nest
	written.Width = int32(p.Numbers.To.Size())
	bytes := nest.Bytes(&written) // the bytes of as many elements of the source may overflow
	p.Workers, p.stores = workersOf(bytes, s.Parallelism), storesOf(bytes, s.Streaming)
	if p.stores.Cached {
		p.stores.NonTemporal = false
	}
	p.learns = false
	return nil
}

// someParts is how many parts of a conversion a goroutine takes at a time. The output of a part has
// at most plan.PartBytes, so all these have at most about as many bytes as plan.RunParts writes.
const someParts = plan.CallParts

// Convert converts elements from src on, the address of the first one, to dst. scale and bias have
// one value, or one per index. Several goroutines share the work only if parallel is true. If ctx
// is done before the last part has begun, Convert begins no more parts and returns ctx's error. A
// goroutine looks at ctx before it takes someParts parts.
//
// unsafe: the caller guarantees what convert.Worker asks for.
func (e *Entry) Convert(ctx context.Context, dst, src unsafe.Pointer, scale, bias []float32, parallel bool) error {
	n := e.conversion
	if workers := min(int64(e.problem.Workers), n.Parts()); parallel && workers > 1 {
		return e.convertParallel(ctx, dst, src, scale, bias, workers)
	}
	w := n.Worker()
	defer w.Put()
	w.Dst, w.Src, w.Scale, w.Bias = dst, src, scale, bias
	for at := int64(0); at < n.Parts(); at += someParts {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		w.Run(at, min(n.Parts(), at+someParts))
	}
	return nil
}

func (e *Entry) convertParallel(ctx context.Context, dst, src unsafe.Pointer, scale, bias []float32, workers int64) error {
	n := e.conversion
	var next queue
	onGoroutines(workers, func() {
		w := n.Worker()
		defer w.Put()
		w.Dst, w.Src, w.Scale, w.Bias = dst, src, scale, bias
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

// ConversionText describes a run of a conversion: its kernel, parts, goroutines, steps and loops.
func (e *Entry) ConversionText() string {
	return e.conversion.Text(int64(e.problem.Workers))
}
