package imageslice

import (
	"bytes"
	"context"
	"image/color"
	"math"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/colours"
	"github.com/seed2e45c115/dml/slice1/internal/engine"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/resample"
)

// source makes R, G and B of pictures whose samples are something else. A row that it makes has
// pixels, or a row of R, one of G and one of B, as layout says.
type source struct {
	maker       maker
	colours     colours.Picture
	pixels      fields        // of inks or indices
	table       [256][3]uint8 // the palette's colours; indices beyond the palette are black
	rows        axis          // the rows that are made; the picture's first row is number 0
	left, width int           // the first column that is made, from the picture's left, and how many are
	layout      colours.Layout
}

// open makes s, which must be zero, the source of a picture.
func (s *source) open(p *picture, by *engine.Settings) (err error) {
	s.maker, s.pixels = p.makes, p.fields
	switch s.maker {
	case ofLuma:
		s.colours = p.frame.ycbcr()
		s.colours.Kernel, err = engine.KernelOf(by)
	case ofPalette:
		for i, c := range p.palette[:min(len(p.palette), 256)] {
			switch c := c.(type) {
			case nil:
			case color.NRGBA:
				s.table[i] = [3]uint8{c.R, c.G, c.B}
			default:
				r, g, b, _ := c.RGBA()
				s.table[i] = [3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}
			}
		}
	}
	return adopt(err)
}

// Make makes `count` of the rows that s takes, from number `first` on.
//
// unsafe: dst has room for these rows.
func (s *source) Make(dst unsafe.Pointer, first, count int64) {
	rows := s.rows.part(int(first), int(count))
	rgb := unsafe.Slice((*uint8)(dst), (rows.n-1)*s.layout.Stride+max(3*s.layout.Plane, s.layout.Pixel*s.width))
	s.store(rgb, s.layout, colours.Rows{Left: s.left, Width: s.width, First: rows.first, Step: rows.step, Count: rows.n})
}

// under returns what an ink leaves of the light that black leaves, as Pillow's convert("RGB") has
// it: white - ink*white/255, where the quotient is rounded to nearest. color.CMYKToRGB rounds
// another product, and differs by 1 in 29.9 % of all pairs of an ink and black.
func under(ink uint8, white int) uint8 {
	product := int(ink)*white + 128
	return uint8(white - (product+product>>8)>>8)
}

// store stores R, G and B of rows of the picture, in pixels of four bytes with 255 behind them.
func (s *source) store(rgb []uint8, to colours.Layout, rows colours.Rows) {
	if s.maker == ofLuma {
		s.colours.Store(rgb, to, rows)
		return
	}
	plane := to.Plane
	if to.Pixel == 4 {
		plane = 1
	}
	for k := range rows.Count {
		row, made := rows.First+k*rows.Step, rgb[k*to.Stride:]
		red, green, blue := made, made[plane:], made[2*plane:]
		if s.maker == ofInks {
			pix := s.pixels.Pix[row*s.pixels.Stride+4*rows.Left:]
			for i := range rows.Width {
				at, ink, white := i*to.Pixel, pix[4*i:][:4], 255-int(pix[4*i+3])
				red[at], green[at], blue[at] = under(ink[0], white), under(ink[1], white), under(ink[2], white)
			}
		} else {
			for i, index := range s.pixels.Pix[row*s.pixels.Stride+rows.Left:][:rows.Width] {
				at := i * to.Pixel
				red[at], green[at], blue[at] = s.table[index][0], s.table[index][1], s.table[index][2]
			}
		}
		for i := 3; to.Pixel == 4 && i < 4*rows.Width; i += 4 {
			made[i] = 255
		}
	}
}

// resampler makes resampled rows of a picture, from its memory or from rows of R, G and B that are
// made. The rows are those of the picture in memory, `pitch` bytes apart.
type resampler struct {
	plan          *resample.Plan
	from          *plane  // the picture's memory, or nil
	source        *source // what makes rows otherwise
	packed        *plane  // pixels of three bytes, or nil
	left, top     int     // the first column that is read, and row 0 of the window
	pixel         int     // bytes of a pixel
	length, pitch int     // bytes of a row of the result, and from such a row to the next
	rows          int     // of the result
	reversed      bool    // rows are made from the last one on

	mutex sync.Mutex
	idle  []*resample.Worker // that make rows for one goroutine at a time
}

// workers have memory that later calls use again.
var workers = sync.Pool{New: func() any { return new(resample.Worker) }}

// newResampler returns what makes the rows of p. If the picture's rows are made, s makes them.
func newResampler(from *planes, p *placement, s *source, by *engine.Settings) (*resampler, error) {
	kernel, err := engine.KernelOf(by)
	if err != nil {
		return nil, adopt(err)
	}
	r := &resampler{top: p.resized.top, pixel: 4, rows: p.rows.n, reversed: p.rows.step < 0}
	switch size := from.list[0].sizes[2]; {
	case from.makes != noMaker:
		r.source = s
	case size == 3:
		r.packed = &from.list[0]
	default:
		r.from, r.pixel = &from.list[0], size
	}
	r.plan, err = resample.New(resample.Filter(p.resized.filter), p.resized.x, p.resized.y, p.resized.rowsFirst, r.pixel, r.from != nil, int32(kernel))
	if err != nil {
		return nil, refused(slice1.ErrOverflow, "%s", strings.TrimPrefix(err.Error(), "resample: "))
	}
	if p.columns.n > math.MaxInt/4 { // on 32 bits
		return nil, refused(slice1.ErrOverflow, "the tensor takes %d columns, must take at most %d", p.columns.n, math.MaxInt/4)
	}
	// All goroutines together keep to the bound, so large rows have fewer of them.
	most := int(min(max(1, resample.MostMemory/max(1, r.plan.Memory())), math.MaxInt32))
	if by.Parallelism <= 0 || by.Parallelism > most {
		by.Parallelism = most
	}
	low, _ := r.plan.Columns()
	r.left = p.resized.left + low
	r.length, r.pitch = p.columns.n*r.pixel, p.columns.n*r.pixel+1
	return r, nil
}

// Row returns n pixels of row y of the window, from pixel number `first` of those that are read.
// Unless they are the picture's memory, it makes them in `memory`.
func (r *resampler) Row(y, first, n int, memory []uint8) []uint8 {
	y, first = y+r.top, first+r.left
	switch {
	case r.from != nil:
		return r.from.pix[y*r.from.strides[0]+first*r.pixel:][:n*r.pixel]
	case r.packed != nil:
		pix := r.packed.pix[y*r.packed.strides[0]+3*first:][:3*n]
		for i := range n {
			copy(memory[4*i:][:3], pix[3*i:][:3])
		}
	default:
		r.source.store(memory, colours.Layout{Pixel: 4}, colours.Rows{Left: first, Width: n, First: y, Step: 1, Count: 1})
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

// drawing makes rows of samples, and stores them in a picture. A row that it makes has a row for
// each channel of the picture, in the order of the picture's channels, each of `plane` bytes.
type drawing struct {
	numbers      job // makes R, G and B, or the only channel
	settings     *engine.Settings
	src          unsafe.Pointer // the number for the first sample
	colour       int            // bytes from a row of samples to its first colour
	opaque       int            // bytes to its alpha, or -1
	plane, pitch int
	values       [2][3]float32 // scale and bias in reverse order
}

// opaque is a row of alpha.
var opaque = bytes.Repeat([]byte{255}, 4096)

// reverseValues reverses the order of the values of the numbers.
func (d *drawing) reverseValues() {
	for i, v := range [...]*[]float32{&d.numbers.values.Scale, &d.numbers.values.Bias} {
		reversed := d.values[i][:len(*v)]
		copy(reversed, *v)
		slices.Reverse(reversed)
		*v = reversed
	}
}

// Make makes rows, like source.Make. The kernel of d's settings is available, since the picture's
// slice has the same settings, so there is no error.
func (d *drawing) Make(dst unsafe.Pointer, first, count int64) {
	colours := unsafe.Add(dst, d.colour)
	if e, err := d.numbers.entry(int(count), d.settings); err == nil {
		from := unsafe.Add(d.src, first*d.numbers.loops[0].Src)
		_ = e.Run(context.Background(), colours, from, &d.numbers.values, false) // the context is never done
	}
	for row := 0; row < int(count) && d.opaque >= 0; row++ {
		for alpha := unsafe.Slice((*byte)(unsafe.Add(dst, row*d.pitch+d.opaque)), d.plane); len(alpha) > 0; {
			alpha = alpha[copy(alpha, opaque):]
		}
	}
}

// open sets the sizes of rows of so many columns for a picture. Its alpha, if it gets one, is
// channel number alpha, and its first colour channel number `first`.
func (d *drawing) open(target *plane, columns, first, alpha int, settings *engine.Settings) {
	d.settings = settings
	d.plane = columns * target.tensor.DataType.Size()
	d.pitch = target.sizes[2]*d.plane + 1 // more than all loops inside a row reach
	d.colour, d.opaque = first*d.plane, -1
	if alpha >= 0 {
		d.opaque = alpha * d.plane
	}
}

// store stores the rows that d makes in these rows and columns of a picture, which ascend.
func (d *drawing) store(target *plane, rows, columns axis) error {
	size := target.tensor.DataType.Size()
	j := job{made: int64(d.pitch)}
	j.number[0] = program.Uint8
	if size > 1 {
		j.number[0] = program.Sample
	}
	j.values.Source = d
	for i, l := range [...]struct {
		a    axis
		made int // bytes of what is made
	}{{rows, d.pitch}, {columns, size}, {upTo(target.sizes[2]), d.plane}} {
		j.loops[i] = nest.Dim{Extent: int64(l.a.n), Src: int64(l.made), Dst: int64(l.a.step * target.strides[i] * size)}
	}
	at := (rows.first*target.strides[0] + columns.first*target.strides[1]) * size
	return j.store(unsafe.Pointer(&target.pix[at]), nil, d.settings)
}
