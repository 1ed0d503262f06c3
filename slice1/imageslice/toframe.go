package imageslice

import (
	"errors"
	"image"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/engine"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/rows"
)

// ToFrame is the inverse of ToRGBA, for encoders: window r of m becomes dst's samples of luma and
// chroma, by dst's Matrix and FullRange. m is any picture that Convert takes, also a Frame of
// another format, matrix or range. Its colours are those of ToRGBA, and alpha is left out; 16 bits
// become their 257th, rounded. dst has a format of [Formats], or other steps in 4:2:0, 4:2:2 or
// 4:4:4. For example, boxes are drawn into a frame that becomes NV12 again:
//
//	err := imageslice.ToRGBA(rgba, frame, frame.Rect)
//	draw.Draw(rgba, box, image.NewUniform(red), image.Point{}, draw.Src)
//	err = imageslice.ToFrame(frame, rgba, rgba.Rect)
//
// Luma is the real number of the matrix, rounded. Chroma are those of the mean R, G and B of a
// cell's pixels: of their sums, with one rounding at the end. A cell at an edge has the pixels that
// are in dst. Of all 2^24 colours, by each matrix and range, at most one sample in 800 is not the
// nearest to the real number, and 1 off then. Grey has chroma of 128. Every kernel gives the same
// samples.
//
// Full-range BT601 in 4:4:4 gives the samples of libjpeg-turbo for all colours. Its luma is that of
// color.RGBToYCbCr, whose chroma are 1 off in 0.4 %. libjpeg-turbo and FFmpeg's scaler round twice
// where pixels share chroma. libyuv 1857 counts luma in 128ths, and is up to 1 off.
//
// A smaller dst gets the first rows and columns of r. ToFrame stores samples alone: padding, other
// bytes between them, and the low bytes of P010 keep what they have.
//
// The errors are the same as Convert's, also those of a Frame for dst, and these:
//
//   - [errors.ErrUnsupported] for a dst of another ratio, and for one whose Colours are not Repeated;
//   - slice1.ErrOutput for a dst larger than r;
//   - slice1.ErrOverlap for a dst in m's memory, and for planes of dst that share a byte.
//
// If ToFrame returns an error, it has written nothing. Any number of goroutines may call it at
// once. The options are Convert's. Pictures of less than 4 MiB, four bytes a pixel, take the
// caller's goroutine alone, larger ones up to GOMAXPROCS goroutines. On one goroutine, ToFrame does
// not allocate once runs for a layout have settled.
func ToFrame(dst *Frame, m image.Image, r image.Rectangle, opts ...slice1.Option) error {
	w := requests.Get().(*request)
	defer w.release()
	return w.toFrame(dst, m, r, opts)
}

func (w *request) toFrame(dst *Frame, m image.Image, r image.Rectangle, opts []slice1.Option) (err error) {
	if err := w.open(m, opts); err != nil {
		return err
	}
	encoded, made := &w.encoded, &w.frame
	if err := encoded.open(dst); err != nil {
		return err
	}
	f := &encoded.frame
	if cell := encoded.cell; cell.X > 2 || cell.Y > cell.X {
		return refused(errors.ErrUnsupported, "dst has ratio %v; ToFrame makes 4:2:0, 4:2:2 and 4:4:4", f.Ratio)
	}
	if f.Colours != Repeated {
		return refusedField("Colours", int64(f.Colours), int64(Repeated), errors.ErrUnsupported,
			" is %d, must be 0 (Repeated): ToFrame makes samples by Matrix and FullRange alone", f.Colours)
	}
	crop, err := window{r, 1, 1, transforms[0]}.selectFrom(w.picture.bounds, false)
	if err != nil {
		return err
	}
	size := f.Rect.Size()
	if size.X > r.Dx() || size.Y > r.Dy() {
		return refused(slice1.ErrOutput, "dst has %v pixels, the window %v", size, r.Size())
	}
	for i := range encoded.list {
		if err := separate("dst", &w.picture, encoded.list[i].pix); err != nil {
			return err
		}
	}
	p := f.ycbcr()
	if err := distinct(&p, size); err != nil {
		return err
	}
	if err := w.setSource(nil, false, true); err != nil {
		return err
	}
	s := &w.source
	s.Format.Wide = s.Maker == rows.OfPixels
	s.Window = rows.Window{Left: crop.columns.start, Top: crop.rows.start}
	*made = rows.Frame{Coding: &rows.Codings[f.Matrix][0], Y: p.Y, Cb: p.Cb, Cr: p.Cr, YStride: p.YStride, CStride: p.CStride, YStep: p.YStep, CStep: p.CStep,
		CellX: p.CellX, CellY: p.CellY, PhaseX: p.PhaseX, PhaseY: p.PhaseY, Width: size.X, Height: size.Y, Colours: s}
	if f.FullRange {
		made.Coding = &rows.Codings[f.Matrix][1]
	}
	if made.Kernel, err = engine.KernelOf(&w.settings); err != nil {
		return adopt(err)
	}
	// The engine sees a row of cells as its first row of luma, made in place. What all rows have in
	// bytes decides about goroutines: R, G, B and a fourth byte of each pixel.
	pitch, cells := int64(p.YStride), int64(p.Rows)
	j := &w.job
	*j = job{room: j.room, pitch: pitch, inPlace: true, band: max(1, bandPixels/int64(size.X*p.CellY)), sourceBytes: 4 * int64(size.X) * int64(size.Y),
		loops: [...]nest.Dim{{Extent: cells, Src: pitch, Dst: pitch}, {Extent: int64(size.X), Src: int64(p.YStep), Dst: int64(p.YStep)}, 7: {}}}
	j.number[0], j.values.Source = program.Uint8, made
	return j.store(unsafe.Pointer(&p.Y[0]), nil, &w.settings)
}

// bandPixels is about how many pixels a goroutine makes at a time, if there are several.
const bandPixels = 1 << 16

// samplesAt is rows of samples of a frame: `rows` of them, stride bytes apart, each of n samples
// that are `step` bytes apart. The first one is at an address.
type samplesAt struct {
	address               uintptr
	rows, stride, n, step int
}

// distinct returns an error if two planes of dst, which has so many pixels, have a byte in common.
// Bytes between samples do not count.
//
// unsafe: addresses are compared, not used.
func distinct(dst *rows.Luma, size image.Point) error {
	samplesOf := func(pix []uint8, rows, stride, n, step int) samplesAt {
		return samplesAt{uintptr(unsafe.Pointer(unsafe.SliceData(pix))), rows, stride, n, step}
	}
	planes := [...]samplesAt{samplesOf(dst.Y, size.Y, dst.YStride, size.X, dst.YStep),
		samplesOf(dst.Cb, dst.Rows, dst.CStride, dst.Columns, dst.CStep), samplesOf(dst.Cr, dst.Rows, dst.CStride, dst.Columns, dst.CStep)}
	names := [...]string{"Y", "Cb", "Cr"}
	for i := range planes {
		for k := range planes[:i] {
			lower, upper := &planes[k], &planes[i]
			if upper.address < lower.address {
				lower, upper = upper, lower
			}
			if lower.meets(upper) {
				return refused(slice1.ErrOverlap, "samples of %s and %s of dst lie in the same byte", names[k], names[i])
			}
		}
	}
	return nil
}

// meets reports whether a sample of s, which begins first, lies in the same byte as one of t. A row
// of s is compared with each row of t that begins before its end and ends behind its beginning.
func (s *samplesAt) meets(t *samplesAt) bool {
	if t.address-s.address > uintptr((s.rows-1)*s.stride+(s.n-1)*s.step) {
		return false
	}
	ahead := int(t.address - s.address) // bytes from s's first sample to t's
	lengthS, lengthT := (s.n-1)*s.step, (t.n-1)*t.step
	for rowS, rowT := 0, 0; rowS < s.rows && rowT < t.rows; {
		beginS, beginT := rowS*s.stride, ahead+rowT*t.stride
		if beginS <= beginT+lengthT && beginT <= beginS+lengthS && rowsMeet(beginT-beginS, s.n, s.step, t.n, t.step) {
			return true
		}
		if beginS+lengthS < beginT+lengthT {
			rowS++
		} else {
			rowT++
		}
	}
	return false
}

// rowsMeet reports whether n samples that are `step` bytes apart, and m samples that are stride
// bytes apart and begin `ahead` bytes behind them, have a byte in common. From one sample to the
// next the distance to the samples behind changes by `step`, so it repeats after stride samples.
func rowsMeet(ahead, n, step, m, stride int) bool {
	begin := 0
	if ahead > 0 {
		begin = (ahead + step - 1) / step
	}
	for i := begin; i < n && i-begin < stride && i*step-ahead <= (m-1)*stride; i++ {
		if (i*step-ahead)%stride == 0 {
			return true
		}
	}
	return false
}
