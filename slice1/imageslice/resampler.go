package imageslice

import (
	"image"
	"strings"
	"sync"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/colours"
	"github.com/seed2e45c115/dml/slice1/internal/engine"
	"github.com/seed2e45c115/dml/slice1/internal/resample"
)

// resampler makes resampled rows of a picture, from its memory or from rows of R, G and B that are
// made. The rows are those of the picture in memory, `pitch` bytes apart.
type resampler struct {
	plan      *resample.Plan
	from      *plane  // the picture's memory, or nil
	source    *source // what makes rows otherwise
	packed    *Pixels // pixels of three bytes, or nil
	left, top int     // the first column that is read, and row 0 of the window
	width     int     // columns that are read
	pixel     int     // bytes of a pixel
	length    int     // bytes of a row of the result
	pitch     int     // bytes from such a row to the next
	rows      int     // of the result
	reversed  bool    // rows are made from the last one on

	mutex sync.Mutex
	idle  []*resample.Worker // that make rows for one goroutine at a time
}

// workers have memory that later calls use again.
var workers = sync.Pool{New: func() any { return new(resample.Worker) }}

// newResampler returns what makes the rows of p. Either s makes the picture's rows, or they are
// memory.
func newResampler(m image.Image, from *planes, p *placement, s *source, makes bool, by *engine.Settings) (*resampler, error) {
	kernel, err := engine.KernelOf(by)
	if err != nil {
		return nil, adopt(err)
	}
	r := &resampler{top: p.resized.top, pixel: 4, rows: p.rows.n, reversed: p.rows.step < 0}
	switch size := from.list[0].sizes[2]; {
	case makes:
		r.source = s
	case size == 3:
		r.packed = m.(*Pixels)
	default:
		r.from, r.pixel = &from.list[0], size
	}
	r.plan, err = resample.New(resample.Filter(p.resized.filter), p.resized.x, p.resized.y, p.resized.rowsFirst, r.pixel, int32(kernel))
	if err != nil {
		return nil, refused(slice1.ErrOverflow, "%s", strings.TrimPrefix(err.Error(), "resample: "))
	}
	low, high := r.plan.Columns()
	r.left, r.width = p.resized.left+low, high-low
	r.length, r.pitch = p.columns.n*r.pixel, p.columns.n*r.pixel+1
	return r, nil
}

// Stays reports whether rows are the picture's memory.
func (r *resampler) Stays() bool { return r.from != nil }

// Row returns the pixels of row y of the window that are read.
func (r *resampler) Row(y int, memory []uint8) []uint8 {
	y += r.top
	switch {
	case r.from != nil:
		return r.from.pix[y*r.from.strides[0]+r.left*r.pixel:][:r.width*r.pixel]
	case r.packed != nil:
		pix := r.packed.Pix[y*r.packed.Stride+3*r.left:][:3*r.width]
		for i := range r.width {
			copy(memory[4*i:][:3], pix[3*i:][:3])
		}
	default:
		r.source.store(memory, colours.Layout{Pixel: 4}, colours.Rows{Left: r.left, Width: r.width, First: y, Step: 1, Count: 1})
	}
	return memory
}

// Make makes rows, like source.Make.
func (r *resampler) Make(dst unsafe.Pointer, first, count int64) {
	y, n, stride := int(first), int(count), r.pitch
	if r.reversed {
		y, stride = r.rows-y-n, -stride
	}
	w := r.take()
	w.Rows(unsafe.Slice((*uint8)(dst), (n-1)*r.pitch+r.length), stride, y, n, r)
	r.mutex.Lock()
	r.idle = append(r.idle, w)
	r.mutex.Unlock()
}

// take returns an idle worker: the last one that has made rows, whose ring may have rows that the
// next ones take.
func (r *resampler) take() (w *resample.Worker) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if n := len(r.idle); n > 0 {
		w, r.idle = r.idle[n-1], r.idle[:n-1]
		return w
	}
	w = workers.Get().(*resample.Worker)
	w.Open(r.plan)
	return w
}

// close gives the workers' memory back.
func (r *resampler) close() {
	for _, w := range r.idle {
		w.Close()
		workers.Put(w)
	}
}
