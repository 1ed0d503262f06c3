package imageslice

import (
	"errors"
	"image"
	"math"

	"github.com/seed2e45c115/dml/slice1"
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

// ResizeCrop returns t with what torchvision's Resize(short) and CenterCrop(crop) make of window r.
// The shorter side of r becomes `short`, and the middle crop x crop pixels of that are the tensor.
// It sets Resize, Width, Height and At. A picture smaller than `crop` lies in the middle of the
// tensor: torchvision fills around it with 0, as a Fill of 0 does. If r is empty, t is unchanged.
// With an Orientation, r counts in the upright picture: t.Center(m, math.MaxInt32, math.MaxInt32)
// is all of it, and m.Bounds() with 5 to 8 is not.
//
//	t := imageslice.Tensor{Affine: imageNet}.ResizeCrop(m.Bounds(), 256, 224)
//
// The preprocessors of transformers resize to the same size, but round the margin down where it is
// not a whole number. Torchvision rounds it to the nearest, ties to even.
func (t Tensor) ResizeCrop(r image.Rectangle, short, crop int) Tensor {
	if r.Empty() {
		return t
	}
	side := func(n int) int {
		return int(min(int64(short)*int64(n)/int64(min(r.Dx(), r.Dy())), math.MaxInt32))
	}
	at := func(n int) int {
		if n < crop {
			return (crop - n) / 2
		}
		half := (n - crop) / 2
		return -(half + (n-crop)%2*(half%2))
	}
	t.Resize = image.Pt(side(r.Dx()), side(r.Dy()))
	t.Width, t.Height, t.At = crop, crop, image.Pt(at(t.Resize.X), at(t.Resize.Y))
	return t
}

// Resize resamples window r of src to all of dst by filter f. Like with Tensor.Resize, the window
// is cut out first and must lie in src. The types are:
//
//   - *image.Gray of *image.Gray;
//   - *image.RGBA of *image.RGBA, whose alpha is resampled, too;
//   - *image.RGBA of *image.YCbCr, CMYK and Paletted, *Frame and *Pixels, opaque: their alpha is
//     dropped;
//   - *image.NRGBA of *image.NRGBA, and *Pixels of *Pixels, if r is opaque.
//
// Others are [errors.ErrUnsupported], and so is an r that is not opaque where it must be. Pictures
// of 16 bits a sample are among the others: package image/draw makes an *image.Gray or an
// *image.RGBA of them. The other errors and the options are Convert's, and a dst in src's memory is
// slice1.ErrOverlap. If Resize returns an error, it has written nothing. Any number of goroutines
// may call it at once.
func Resize(dst, src image.Image, r image.Rectangle, f Filter, opts ...slice1.Option) (err error) {
	w := workings.Get().(*working)
	defer w.put()
	if w.settings, err = settings(opts); err != nil {
		return err
	}
	if err := w.picture.open(src); err != nil {
		return err
	}
	switch dst.(type) {
	case *image.YCbCr, *Frame:
		return refused(errors.ErrUnsupported, "Resize makes no %T; it makes an *image.RGBA of luma and chroma", dst)
	}
	var to plane
	out, err := view(dst, &to)
	if err != nil {
		return err
	}
	need, _ := to.tensor.MinSize()
	to.pix = out.Pix[:need]
	channels, alpha, opaque, known := upTo(3), -1, 3, false // the places of alpha in src, and of what becomes 255 in dst
	switch m := dst.(type) {
	case *image.Gray:
		_, known = src.(*image.Gray)
		channels.n, opaque = 1, -1
	case *image.RGBA:
		switch src.(type) {
		case *image.RGBA:
			w.picture.rgb, channels.n, opaque, known = upTo(4), 4, -1, true
		case *image.YCbCr, *image.CMYK, *image.Paletted, *Frame, *Pixels:
			known = true
		}
	case *image.NRGBA:
		_, known = src.(*image.NRGBA)
		alpha = 3
	case *Pixels:
		if from, ok := src.(*Pixels); ok {
			known, alpha = true, orders[from.Order].a
		}
		_, channels, _ = m.channels()
		opaque = m.Order.unseen()
	}
	if !known {
		return refused(errors.ErrUnsupported, "Resize makes no %T of %T; its documentation lists the types", dst, src)
	}
	t := Tensor{Type: slice1.Uint8, Layout: HWC, Resize: out.Rect.Size(), Filter: f}
	channels, t.BGR = channels.ascending() // a conversion writes in ascending order
	p := &w.place
	if *p, err = t.place(src, &w.picture, r, w.picture.rgb.n, false); err != nil {
		return err
	}
	from, crop := &w.picture.list[0], r.Sub(w.picture.bounds.Min)
	for y := crop.Min.Y; alpha >= 0 && y < crop.Max.Y; y++ {
		for row := from.pix[y*from.strides[0]+4*crop.Min.X:][:4*crop.Dx()]; len(row) > 0; row = row[4:] {
			if row[alpha] != 255 {
				return refused(errors.ErrUnsupported, "%T is not opaque in %v; package image/draw makes an *image.RGBA of it", src, r)
			}
		}
	}
	if err := separate("dst", &w.picture, to.pix); err != nil {
		return err
	}
	p.row, p.column, p.channel, p.first = to.strides[0], to.strides[1], channels.step, channels.first
	if err := w.convertPixels(memoryOf(to.pix), src, &t); err != nil || opaque < 0 {
		return err
	}
	for y := range to.sizes[0] {
		row := to.pix[y*to.strides[0]:]
		for x := range to.sizes[1] {
			row[x*to.strides[1]+opaque] = 255
		}
	}
	return nil
}

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
		return 0, 0, refused(errors.ErrUnsupported, "%T has 16 bits a sample, Resize takes 8; image/draw makes an *image.Gray or *image.RGBA of it", m)
	case t.Filter < Bilinear || t.Filter > Linear:
		return 0, 0, refusedField("Filter", int64(t.Filter), int64(min(max(t.Filter, Bilinear), Linear)), slice1.ErrSize, " is %d, must be 0 to %d", t.Filter, Linear)
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
		return resample.Axis{Size: crop.n, Out: out, From: taken.lowest(), To: taken.lowest() + taken.n, Flip: d < 0}
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
		return stay, 0, refusedField(names[1], int64(asked), 0, slice1.ErrSize, " is %d, must be at least 0", asked)
	case at < -far || at > far:
		return stay, 0, refusedField(names[2], int64(at), int64(min(max(at, -far), far)), slice1.ErrOverflow, " is %d, must be %d to %d", at, -far, far)
	case asked == 0:
		asked = n
	}
	first := max(0, -at)
	return axis{first, 1, min(n, asked-at) - first}, asked, nil
}
