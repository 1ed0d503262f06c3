package imageslice

import (
	"errors"
	"image"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

// Resize resamples window r of src to all of dst by filter f. Like with Tensor.Resize, the window
// is cut out first and must lie in src. The types are:
//
//   - *image.Gray of all: of colours Pillow's L, as Tensor.Channels has it;
//   - *image.RGBA of *image.RGBA, whose alpha is resampled, too;
//   - *image.RGBA of *image.YCbCr, NYCbCrA, CMYK, Paletted, RGBA64 and NRGBA64, *Frame and *Pixels,
//     opaque: their alpha is dropped;
//   - *image.NRGBA of *image.NRGBA, and *Pixels of *Pixels, if r is opaque.
//
// Others are [errors.ErrUnsupported], and so is an r that is not opaque where it must be. Convert
// makes the bytes of pictures that Resize takes, also of a picture that is not opaque: it drops
// alpha without multiplying by it. An *image.NRGBA becomes the Pix of [Pixels] of R, G and B, whose
// Stride is 3*r.Dx():
//
//	err = imageslice.Convert(m.Pix, src, r, imageslice.Tensor{Type: slice1.Uint8, Layout: imageslice.HWC})
//
// Of 16 bits the high bytes count, as in Pillow, OpenCV and package image/draw.
//
// The other errors and the options are Convert's, and a dst in src's memory is slice1.ErrOverlap.
// If Resize returns an error, it has written nothing. Any number of goroutines may call it at once.
func Resize(dst, src image.Image, r image.Rectangle, f Filter, opts ...slice1.Option) (err error) {
	w := requests.Get().(*request)
	defer w.release()
	if err := w.open(src, opts); err != nil {
		return err
	}
	var (
		result picture
		target plane
	)
	if err := result.describe(dst); err != nil {
		return err
	}
	if result.kind.channels == 0 {
		return refused(errors.ErrUnsupported, "Resize makes no %T; it makes an *image.RGBA of luma and chroma", dst)
	}
	if err := result.view(&target); err != nil {
		return err
	}
	need, _ := target.tensor.MinSize()
	target.pix = result.Pix[:need]
	channels, opaque, alpha, gray := result.colours, result.opaque, -1, false // alpha is the byte of each pixel that must be 255 in src, or -1
	switch kind := w.picture.kind; {
	case result.name == kind.name && result.whole:
		channels, opaque = upTo(kind.channels), -1
		w.picture.rgb = channels
	case result.name == kind.name && result.resized:
		alpha = kind.alpha
	case result.kind == &grayKind:
		gray = true
	case result.kind != &rgbaKind || !kind.becomes:
		return refused(errors.ErrUnsupported, "Resize makes no %T of %T; %s", dst, src, resizes(&w.picture))
	}
	t := Tensor{Type: slice1.Uint8, Layout: HWC, Resize: result.Rect.Size(), Filter: f}
	if gray {
		t.Channels = 1
	}
	channels, t.BGR = channels.ascending() // a conversion writes in ascending order
	p := &w.place
	if *p, err = t.place(src, &w.picture, r, w.picture.rgb.n, false); err != nil {
		return err
	}
	source, crop := &w.picture.list[0], r.Sub(w.picture.bounds.Min)
	for y := crop.Min.Y; alpha >= 0 && y < crop.Max.Y; y++ {
		for row := source.pix[y*source.strides[0]+4*crop.Min.X:][:4*crop.Dx()]; len(row) > 0; row = row[4:] {
			if row[alpha] != 255 {
				return refused(errors.ErrUnsupported, "%T is not opaque in %v; %s", src, r, converts(&w.picture))
			}
		}
	}
	if err := separate("dst", &w.picture, target.pix); err != nil {
		return err
	}
	p.row, p.column, p.channel, p.origin = target.strides[0], target.strides[1], channels.step, channels.start
	if err := w.convertPixels(memoryOf(target.pix), &t); err != nil || opaque < 0 || p.resized.opaque && w.job.inPlace {
		return err
	}
	for y := range target.sizes[0] {
		row := target.pix[y*target.strides[0]:]
		for x := range target.sizes[1] {
			row[x*target.strides[1]+opaque] = 255
		}
	}
	return nil
}

// converts says, for errors, how Convert makes samples of 8 bits without alpha of a picture.
func converts(src *planes) string {
	pixels := "RGB Pixels"
	if src.rgb.n == 1 {
		pixels = "an *image.Gray"
	}
	return "Convert to Uint8 in layout HWC makes the Pix of " + pixels
}

// resizes says, for errors, what Resize makes of a picture, or what must be made of it first.
func resizes(src *planes) string {
	var names []string
	if src.becomes {
		names = append(names, rgbaKind.name)
	}
	if src.resized {
		names = append(names, src.name)
	}
	if names == nil {
		return converts(src)
	}
	return "it makes an " + strings.Join(names, " or ")
}
