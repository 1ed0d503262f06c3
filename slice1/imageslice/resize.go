package imageslice

import (
	"errors"
	"image"
	"math"
	"strings"
	"sync"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/colours"
	"github.com/seed2e45c115/dml/slice1/internal/engine"
	"github.com/seed2e45c115/dml/slice1/internal/resample"
)

// Filter is a rule by which samples of 8 bits are resampled. Each gives the same bytes as the
// library that it is named after. Pillow's filters but Nearest take the mean of what a shrunk pixel
// covers, as torchvision and transformers do with pictures of PIL. Linear takes four neighbours
// only, as OpenCV's resize does in YOLO's letterbox.
type Filter int

// The filters. Bilinear to Nearest are Pillow's.
const (
	Bilinear Filter = iota
	Bicubic
	Lanczos
	Box
	Hamming
	Nearest
	Linear // OpenCV's INTER_LINEAR
)

// resized is what a tensor's Resize takes of a picture and makes of it.
type resized struct {
	left, top int           // the first column and row of the window in memory
	x, y      resample.Axis // of the picture in memory
	rowsFirst bool          // the picture lies transposed
	filter    Filter
}

// resize sets p to the part of the resampled window w that stays in t's tensor, and returns the
// tensor's width and height.
func (t *Tensor) resize(p *placement, m image.Image, from *planes, w window) (width, height int, err error) {
	switch {
	case w.dx != 1 && w.dx != -1, w.dy != 1 && w.dy != -1:
		return 0, 0, refused(slice1.ErrStride, "steps of %d and %d: with Resize they must be 1 or -1", w.dx, w.dy)
	case from.list[0].tensor.DataType != slice1.Uint8:
		return 0, 0, refused(errors.ErrUnsupported, "%T has 16 bits a sample, Resize takes 8", m)
	case t.Filter < Bilinear || t.Filter > Linear:
		return 0, 0, refusedField("Filter", int64(t.Filter), int64(Linear), slice1.ErrSize, " is %d, must be 0 to %d", t.Filter, Linear)
	}
	crop, err := window{w.r, 1, 1, w.turn}.take(from.bounds, false)
	if err != nil {
		return 0, 0, err
	}
	x, width, err := kept(t.Resize.X, t.Width, t.At.X, [...]string{"Resize.X", "Width", "At.X"})
	if err != nil {
		return 0, 0, err
	}
	y, height, err := kept(t.Resize.Y, t.Height, t.At.Y, [...]string{"Resize.Y", "Height", "At.Y"})
	if err != nil || x.n <= 0 || y.n <= 0 {
		return width, height, err
	}
	w.r = image.Rect(x.first, y.first, x.first+x.n, y.first+y.n)
	if w.dx < 0 {
		w.r.Min.X, w.r.Max.X = t.Resize.X-w.r.Max.X, t.Resize.X-w.r.Min.X
	}
	if w.dy < 0 {
		w.r.Min.Y, w.r.Max.Y = t.Resize.Y-w.r.Max.Y, t.Resize.Y-w.r.Min.Y
	}
	out := t.Resize
	if w.transposed {
		out.X, out.Y = out.Y, out.X
	}
	if p.taken, err = w.take(image.Rectangle{Max: out}, false); err != nil {
		return 0, 0, err
	}
	p.inside = p.inside.Add(image.Pt(x.first, y.first))
	along := func(crop, taken axis, out, d int) resample.Axis {
		low := taken.lowest()
		return resample.Axis{Size: crop.n, Out: out, From: low, To: low + taken.n, Flip: d < 0}
	}
	p.resized = resized{left: crop.columns.lowest(), top: crop.rows.lowest(), rowsFirst: w.transposed, filter: t.Filter,
		x: along(crop.columns, p.columns, out.X, w.turn.x), y: along(crop.rows, p.rows, out.Y, w.turn.y)}
	return width, height, nil
}

// kept returns which of n resampled pixels stay in a tensor that has as many as asked for along an
// axis, or n if that is 0. The first of the n is pixel `at` of the tensor. names are what errors
// call n, the tensor's extent and `at`.
func kept(n, asked, at int, names [3]string) (stay axis, extent int, err error) {
	switch {
	case n <= 0:
		return stay, 0, refusedField(names[0], int64(n), 1, slice1.ErrSize, " is %d, must be at least 1", n)
	case n > math.MaxInt32:
		return stay, 0, refusedField(names[0], int64(n), math.MaxInt32, slice1.ErrOverflow, " is %d, must be at most %d", n, math.MaxInt32)
	case asked < 0:
		return stay, 0, refused(slice1.ErrSize, "%s is %d", names[1], asked)
	case at < -far || at > far:
		return stay, 0, refusedField(names[2], int64(at), far, slice1.ErrOverflow, " is %d, must be %d to %d", at, -far, far)
	case asked == 0:
		asked = n
	}
	first := max(0, -at)
	return axis{first, 1, min(n, asked-at) - first}, asked, nil
}

// resampler makes resampled rows of a picture, from its memory or from rows of R, G and B that are
// made. The rows are those of the picture in memory, `pitch` bytes apart.
type resampler struct {
	plan         *resample.Plan
	from         *plane  // the picture's memory, or nil
	source       *source // what makes rows otherwise
	packed       *Pixels // pixels of three bytes, or nil
	left, top    int     // the first column that is read, and row 0 of the window
	width        int     // columns that are read
	pixel, pitch int     // bytes of a pixel, and from row to row of the result
	rows         int     // of the result
	reversed     bool    // rows are made from the last one on

	mutex sync.Mutex
	idle  []*worker
}

// worker makes rows for one goroutine at a time.
type worker struct {
	resample.Worker
	next int // the row after the last one that it has made
}

// workers have memory that later calls use again.
var workers = sync.Pool{New: func() any { return new(worker) }}

// newResampler returns what makes the rows of p. Either s makes the picture's rows, or they are
// memory.
func newResampler(m image.Image, from *planes, p *placement, s *source, makes bool, by *engine.Settings) (*resampler, error) {
	kernel, err := engine.KernelOf(by)
	if err != nil {
		return nil, own(err)
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
	r.pitch = p.columns.n*r.pixel + 1
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
	y, n := int(first), int(count)
	if r.reversed {
		y = r.rows - y - n
	}
	made := unsafe.Slice((*uint8)(dst), n*r.pitch-1)
	w := r.take(y)
	w.Rows(made, r.pitch, y, n, r)
	w.next = y + n
	r.mutex.Lock()
	r.idle = append(r.idle, w)
	r.mutex.Unlock()
	if !r.reversed {
		return
	}
	for i, j := 0, n-1; i < j; i, j = i+1, j-1 {
		a, b := made[i*r.pitch:][:r.pitch-1], made[j*r.pitch:][:r.pitch-1]
		for k := range a {
			a[k], b[k] = b[k], a[k]
		}
	}
}

// take returns an idle worker. Of several it takes the one whose next row is nearest before row y,
// since that one has most of the rows that y takes.
func (r *resampler) take(y int) *worker {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	best := -1
	for i, w := range r.idle {
		if best < 0 || w.next <= y && (w.next > r.idle[best].next || r.idle[best].next > y) {
			best = i
		}
	}
	if best < 0 {
		w := workers.Get().(*worker)
		w.Open(r.plan)
		return w
	}
	w := r.idle[best]
	r.idle[best] = r.idle[len(r.idle)-1]
	r.idle = r.idle[:len(r.idle)-1]
	return w
}

// close gives the workers' memory back.
func (r *resampler) close() {
	for _, w := range r.idle {
		w.Close()
		workers.Put(w)
	}
}
