package imageslice

import (
	"context"
	"errors"
	"math"
	"runtime"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/engine"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/rows"
)

// settings returns what options ask for. An option that means nothing for pictures is
// errors.ErrUnsupported.
func settings(opts []slice1.Option) (s engine.Settings, err error) {
	for i := range opts {
		o := (*engine.Option)(&opts[i])
		switch field := o.Field(); field {
		case 0, engine.WithKernel, engine.WithParallelism, engine.WithStreaming, engine.WithLearning:
			o.Set(&s)
		default:
			return s, refused(errors.ErrUnsupported, "%v is no option for pictures", field)
		}
	}
	return s, nil
}

// memory is a list of numbers.
type memory struct {
	base     unsafe.Pointer
	n        int
	dataType slice1.DataType
}

// memoryOf returns the memory of a slice of numbers.
func memoryOf[N slice1.Number](s []N) memory {
	return memory{unsafe.Pointer(unsafe.SliceData(s)), len(s), slice1.DataTypeOf[N]()}
}

// bytes returns the bytes of m.
//
// unsafe: numbers have no pointers.
func (m memory) bytes() []byte { return unsafe.Slice((*byte)(m.base), m.n*m.dataType.Size()) }

// job is a slice or a conversion of rows, columns and channels.
type job struct {
	loops       [nest.MaxRank]nest.Dim // rows, columns and channels, in bytes; of a tensor of patches more
	number      [2]program.ElementType // what is read and what is written
	values      engine.Values          // one value each or one per channel; none for a slice
	becomes     plan.Cast              // what becomes of elements, if there are values
	room        []uint64               // for tables
	pitch       int64                  // bytes from row to row of a source that is made; 0 for memory
	inPlace     bool                   // whether rows are made where they are stored
	band        int64                  // the least number of rows that should be made at once
	minRows     int64                  // the number of rows that even one goroutine should make at once
	sourceBytes int64                  // the bytes that they are made of
	offset      int                    // bytes from the first made byte of a row to its first element
	blocks      blocks                 // what makes rows for patches
}

// numbersOf returns what an Affine asks for. Elements of type t are stored.
func numbersOf(affine *slice1.Affine, t slice1.DataType) engine.Affine {
	return engine.Affine{Type: uint32(t), Scale: affine.Scale, Bias: affine.Bias, Table: affine.Table, Zero: affine.Zero, Divide: affine.Divide}
}

// setValues sets the values of a conversion of the job's types, but not what makes its source.
func (j *job) setValues(affine *slice1.Affine, t slice1.DataType) {
	n, source := numbersOf(affine, t), j.values.Source
	j.becomes, j.values = n.Resolve(j.number[0], j.number[1], &j.room)
	j.values.Source = source
}

// entry returns what runs j with this many rows.
func (j *job) entry(rows int, s *engine.Settings) (*engine.Entry, error) {
	p := plan.Problem{Pitch: j.pitch, InPlace: j.inPlace, RowsAtOnce: j.band, BytesRead: j.sourceBytes}
	n := &p.Nest
	n.Width, n.SrcOff = int32(j.number[0].Size()), int64(j.offset)
	for i, d := range j.loops {
		if i == 0 {
			d.Extent = int64(rows)
		}
		if d.Extent <= 1 {
			continue
		}
		if i == 2 && j.values.Several() {
			d.Param = 1
		}
		n.Dims[n.Rank] = d
		n.Rank++
	}
	if j.values.Scale != nil {
		p.Cast = j.becomes
	} else if j.pitch == 0 {
		nest.Normalize(n)
	}
	if err := engine.Configure(&p, s); err != nil {
		return nil, adopt(err)
	}
	p.RowsAtOnce = max(p.RowsAtOnce, j.minRows)
	e, err := engine.EntryOf(&p, s)
	return e, adopt(err)
}

// store runs j from src to dst, or from what values.Source makes.
//
// unsafe: the caller has checked that all elements lie in their memory.
func (j *job) store(dst, src unsafe.Pointer, s *engine.Settings) error {
	e, err := j.entry(int(j.loops[0].Extent), s)
	if err != nil {
		return err
	}
	return adopt(e.Run(context.Background(), dst, src, &j.values, true))
}

// bound keeps the rows of all goroutines to rows.MostMemory bytes: those that each of them keeps to
// make others, and the band that it makes before it stores numbers. First bands become shorter, but
// not shorter than what is kept, since each band makes some of that anew. Then goroutines become
// fewer.
func (j *job) bound(kept int64, s *engine.Settings) {
	band := int64(0) // bytes
	if !j.inPlace {
		band = max(1, min(j.band, kept/j.pitch)) * j.pitch
	}
	workers := int(min(max(1, rows.MostMemory/max(1, kept+band)), math.MaxInt32))
	if s.Parallelism <= 0 || s.Parallelism > workers {
		s.Parallelism = workers
	}
	if !j.inPlace && j.band > band/j.pitch {
		workers = min(s.Parallelism, runtime.GOMAXPROCS(0))
		j.band = min(j.band, max(1, (rows.MostMemory/int64(workers)-kept)/j.pitch))
	}
}
