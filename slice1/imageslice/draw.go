package imageslice

import (
	"bytes"
	"context"
	"errors"
	"image"
	"slices"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/engine"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/rows"
)

// Draw is the inverse of Convert: it stores the tensor src, from t.At on, in window r of m. Each
// number y becomes t.Affine's scale*y + bias, rounded to the nearest sample from 0 to 255, ties to
// even. [Denormalize] returns the Affine for a normalised tensor. 16-bit pictures get 257 times as
// much, rounded only then: 127.5 becomes 32768, and not 128*257. Alpha becomes opaque, and the
// unused byte of BGRX 255. In a picture with colours, one channel is repeated. Steps and
// Orientation are the same as in Convert: Draw writes every |StepX|-th column of r, from its right
// on if StepX is negative, and pixels between keep their values. Draw ignores Fill and Keep. It
// does not resize: a Resize is errors.ErrUnsupported.
//
// m is an *image.RGBA, NRGBA, Gray, RGBA64, NRGBA64, Gray16 or Pixels. Another type is
// [errors.ErrUnsupported], and so are three channels for a grey picture. r must lie in m
// (slice1.ErrWindow), and src has the length of the whole tensor (slice1.ErrBuffer). The other
// errors and the options are the same as Convert's. If Draw returns an error, it has written
// nothing. Pictures of less than 4 MiB take the caller's goroutine alone, larger ones up to
// GOMAXPROCS goroutines. On one goroutine, Draw does not allocate once runs for a layout have
// settled.
func Draw[S slice1.Number](m image.Image, r image.Rectangle, src []S, t Tensor, opts ...slice1.Option) error {
	w := requests.Get().(*request)
	defer w.release()
	return w.draw(m, r, memoryOf(src), &t, opts)
}

func (w *request) draw(m image.Image, r image.Rectangle, src memory, t *Tensor, opts []slice1.Option) error {
	if err := w.open(m, opts); err != nil {
		return err
	}
	if !w.picture.drawn {
		return refused(errors.ErrUnsupported, "%T is no picture that Draw writes; it writes %s", m, list(func(k *kind) bool { return k.drawn }))
	}
	if t.Patch > 0 {
		return refused(errors.ErrUnsupported, "Draw takes no patches; a plan of package slice1 brings them into the order of a picture")
	}
	if t.Resize != (image.Point{}) {
		return refused(errors.ErrUnsupported, "Draw does not resize; Convert does")
	}
	if err := w.check("src", src, m, r, t, 1, false); err != nil {
		return err
	}
	p, d, target := &w.place, &w.drawing, &w.picture.list[0]
	sample, wide := program.Uint8, t.dataType().Size()
	if target.tensor.DataType == slice1.Uint16 {
		sample = program.Sample257
	}
	d.numbers.number = [2]program.ElementType{engine.ElementTypeOf(t.dataType()), sample}
	_, stored := w.types(true, t)
	d.numbers.setValues(&t.Affine, stored)
	channels := t.ordered(w.picture.rgb)
	origin, channel := p.origin, p.channel
	if p.channels < channels.n { // one channel, repeated
		channel = 0
	}
	d.open(target, p.columns.n, channels.lowest(), w.picture.opaque, &w.settings)
	// The picture is written in ascending order. An axis that descends in it descends in the tensor
	// instead.
	for i, l := range [...]struct {
		axis       *axis
		step, made int // elements of the tensor, and bytes of what is made
	}{{&p.rows, p.row, d.pitch}, {&p.columns, p.column, target.tensor.DataType.Size()}, {&channels, channel, d.plane}} {
		reversed := false
		if *l.axis, reversed = l.axis.ascending(); reversed {
			origin += (l.axis.n - 1) * l.step
			l.step = -l.step
		}
		d.numbers.loops[i] = nest.Dim{Extent: int64(l.axis.n), Src: int64(l.step * wide), Dst: int64(l.made)}
		if i == 2 && reversed {
			d.reverseValues()
		}
	}
	d.src = unsafe.Add(src.base, origin*wide)
	return d.store(target, p.rows, p.columns)
}

// ToRGBA stores the colours of window r of m in dst's first pixels, opaque, as Convert has them, of
// 16 bits the high bytes. m is any picture that Convert takes, and its alpha is left out. A smaller
// dst gets the first rows and columns. Of opaque pictures ToRGBA makes what package image/draw
// makes with draw.Src, up to a hundred times as fast for a Frame; only CMYK may be 1 off. The
// errors are the same as Convert's, and also slice1.ErrOutput for a dst larger than r and
// slice1.ErrOverlap for a dst in m's memory. If ToRGBA returns an error, it has written nothing.
// Any number of goroutines may call it at once. The options are Convert's, and it takes goroutines
// and allocates like Draw.
func ToRGBA(dst *image.RGBA, m image.Image, r image.Rectangle, opts ...slice1.Option) error {
	w := requests.Get().(*request)
	defer w.release()
	return w.toRGBA(dst, m, r, opts)
}

func (w *request) toRGBA(dst *image.RGBA, m image.Image, r image.Rectangle, opts []slice1.Option) (err error) {
	if err := w.open(m, opts); err != nil {
		return err
	}
	var p picture
	target := &w.target
	if err := p.describe(dst); err != nil {
		return err
	}
	if err := p.view(target); err != nil {
		return err
	}
	crop, err := window{r, 1, 1, transforms[0]}.selectFrom(w.picture.bounds, false)
	if err != nil {
		return err
	}
	height, columns := target.sizes[0], target.sizes[1]
	if columns > r.Dx() || height > r.Dy() {
		return refused(slice1.ErrOutput, "dst has %v pixels, the window %v", p.Rect.Size(), r.Size())
	}
	need, _ := target.tensor.MinSize()
	target.pix = p.Pix[:need]
	if err := separate("dst", &w.picture, target.pix); err != nil {
		return err
	}
	crop.rows.n, crop.columns.n = height, columns
	if err := w.setSource(nil, false, true); err != nil {
		return err
	}
	if s := &w.source; s.Maker != rows.NoMaker {
		pitch := int64(p.Stride)
		s.Window = rows.Window{Left: crop.columns.start, Width: columns, Top: crop.rows.start, Step: crop.rows.step, Count: crop.rows.n}
		s.Layout = rows.Layout{Pixel: 4, Stride: p.Stride}
		j := job{pitch: pitch, inPlace: true, loops: [...]nest.Dim{{Extent: int64(height), Src: pitch, Dst: pitch}, {Extent: int64(columns), Src: 4, Dst: 4}, {Extent: 4, Src: 1, Dst: 1}, 7: {}}}
		j.number[0], j.values.Source = program.Uint8, s
		return j.store(unsafe.Pointer(&target.pix[0]), nil, &w.settings)
	}
	src, d, channels := &w.picture.list[0], &w.drawing, w.picture.rgb
	if channels.n == 1 { // grey, repeated
		channels = axis{channels.start, 0, 3}
	}
	d.open(target, columns, 0, 3, &w.settings)
	offset := 0
	for i, l := range [...]struct {
		axis axis
		made int
	}{{crop.rows, d.pitch}, {crop.columns, 1}, {channels, d.plane}} {
		offset += l.axis.start * src.strides[i]
		d.numbers.loops[i] = nest.Dim{Extent: int64(l.axis.n), Src: int64(l.axis.step * src.strides[i]), Dst: int64(l.made)}
	}
	d.numbers.number[0], d.src = program.Uint8, unsafe.Pointer(&src.pix[offset])
	return d.store(target, upTo(height), upTo(columns))
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
	zero         [3]int32      // the zero points, too
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
	v := &d.numbers.values
	zero := d.zero[:len(v.Zero)]
	copy(zero, v.Zero)
	slices.Reverse(zero)
	v.Zero = zero
	if n := len(v.Table) / max(1, int(v.Tables)); v.Tables > 1 { // whole words, of 256 elements
		for i := range int(v.Tables) / 2 {
			low, high := v.Table[i*n:][:n], v.Table[(int(v.Tables)-1-i)*n:][:n]
			for k := range low {
				low[k], high[k] = high[k], low[k]
			}
		}
	}
}

// Make makes rows, like rows.Colours.Make. The kernel of d's settings is available, since the
// picture's slice has the same settings, so there is no error.
func (d *drawing) Make(dst unsafe.Pointer, row, count int64) {
	colours := unsafe.Add(dst, d.colour)
	if e, err := d.numbers.entry(int(count), d.settings); err == nil {
		src := unsafe.Add(d.src, row*d.numbers.loops[0].Src)
		_ = e.Run(context.Background(), colours, src, &d.numbers.values, false) // the context is never done
	}
	for row := 0; row < int(count) && d.opaque >= 0; row++ {
		for alpha := unsafe.Slice((*byte)(unsafe.Add(dst, row*d.pitch+d.opaque)), d.plane); len(alpha) > 0; {
			alpha = alpha[copy(alpha, opaque):]
		}
	}
}

// open sets the sizes of rows of so many columns for a picture. Its alpha, if it gets one, is
// channel number alpha, and its colours begin with channel number `channel`.
func (d *drawing) open(target *plane, columns, channel, alpha int, settings *engine.Settings) {
	d.settings = settings
	d.plane = columns * target.tensor.DataType.Size()
	d.pitch = target.sizes[2]*d.plane + 1 // more than all loops inside a row reach
	d.colour, d.opaque = channel*d.plane, -1
	if alpha >= 0 {
		d.opaque = alpha * d.plane
	}
}

// store stores the rows that d makes in these rows and columns of a picture, which ascend.
func (d *drawing) store(target *plane, rows, columns axis) error {
	size := target.tensor.DataType.Size()
	j := job{pitch: int64(d.pitch)}
	j.number[0] = program.Uint8
	if size > 1 {
		j.number[0] = program.Sample257
	}
	j.values.Source = d
	for i, l := range [...]struct {
		axis axis
		made int // bytes of what is made
	}{{rows, d.pitch}, {columns, size}, {upTo(target.sizes[2]), d.plane}} {
		j.loops[i] = nest.Dim{Extent: int64(l.axis.n), Src: int64(l.made), Dst: int64(l.axis.step * target.strides[i] * size)}
	}
	offset := (rows.start*target.strides[0] + columns.start*target.strides[1]) * size
	return j.store(unsafe.Pointer(&target.pix[offset]), nil, d.settings)
}
