package imageslice

import (
	"errors"
	"image"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/rows"
)

// Colours is the rule by which luma and chroma of a Frame become R, G and B. Libraries have rules
// of their own, and a model wants the samples of the library that its training data came through.
type Colours int

// The rules. With Repeated, the pixels of a cell share its sample of chroma, and R, G and B are
// those of the frame's matrix and range. The others give the bytes of a library:
//
//   - Libjpeg, of libjpeg-turbo 2.0.3 and later with its defaults, so Pillow's, OpenCV's imread's
//     and torchvision.io's of a JPEG. Chroma are interpolated in 4:2:0, 4:2:2 and 4:4:0. Matrix and
//     FullRange do not count.
//   - Libwebp, of libwebp, so Pillow's and OpenCV's of a lossy WebP, which is 4:2:0 with limited
//     range. Chroma are interpolated. Matrix and FullRange do not count.
//   - Swscale, of FFmpeg's default scaler on amd64, of cv2.VideoCapture and PyAV: planes in 4:2:0
//     and 4:2:2 of even height, by BT601 or BT709.
//   - OpenCV, of its cvtColor from NV12, NV21, I420 and YV12: 4:2:0 with even sides, limited BT.601
//     whatever Matrix and FullRange say.
//
// A frame that a rule is not for is [errors.ErrUnsupported] where colours are made, and At returns
// zero colours of it. An unknown rule is slice1.ErrDataType.
const (
	Repeated Colours = iota
	Libjpeg
	Libwebp
	Swscale
	OpenCV
)

// Limited returns m as a picture with limited-range BT.601 samples. Decoders of lossy WebP
// (golang.org/x/image/webp) and many video libraries fill an *image.YCbCr with such samples,
// although package image defines them as full-range. Without Limited, black becomes 16 and white
// 235. The result shares m's memory. It is nil for a nil m.
func Limited(m *image.YCbCr) *Frame { return withColours(m, Repeated, false) }

// LibJPEG returns m with the R, G and B that libjpeg-turbo, and so Pillow, OpenCV's imread and
// torchvision.io, make of its samples: chroma are interpolated and colours rounded, bit by bit. For
// example, of the second pixel in a row of 4:2:2, Cb is (3*Cb[0] + Cb[1] + 2) / 4.
//
// Planes from libjpeg-turbo then have its samples exactly: bench/jpegplanes decodes to them by cgo,
// in less time than image/jpeg, and compares the bytes with Pillow's. Package image/jpeg rounds its
// inverse cosine transform otherwise, so of a JPEG that it decodes 2 to 4 in 100 samples differ
// from Python's, by 1 to 3. Without LibJPEG 26 to 70 in 100 differ, by up to 48.
//
// A pixel at the edge of a window takes chroma from outside of it, as a crop in Python has it. A
// sub-image ends at its edges: give m and a window in place of m.SubImage(window). The result
// shares m's memory. It is nil for a nil m.
func LibJPEG(m *image.YCbCr) *Frame { return withColours(m, Libjpeg, true) }

// LibWebP is LibJPEG for a lossy WebP: the R, G and B that libwebp, and so Pillow and OpenCV's
// imread, make of its samples. The samples that golang.org/x/image/webp decodes are libwebp's, so a
// picture then equals Python's. m has 4:2:0; another ratio is [errors.ErrUnsupported] where colours
// are made.
func LibWebP(m *image.YCbCr) *Frame { return withColours(m, Libwebp, false) }

// Decoded returns m with the colours of the library that Python decodes its format with. m and
// format are what [image.Decode] returns. The result is LibJPEG of an *image.YCbCr of "jpeg",
// LibWebP of one of "webp", and m of other pictures.
//
//	m, format, err := image.Decode(file)
//	// an error ends the job
//	m = imageslice.Decoded(m, format)
func Decoded(m image.Image, format string) image.Image {
	if ycbcr, ok := m.(*image.YCbCr); ok && ycbcr != nil {
		switch format {
		case "jpeg":
			return LibJPEG(ycbcr)
		case "webp":
			return LibWebP(ycbcr)
		}
	}
	return m
}

func withColours(m *image.YCbCr, c Colours, fullRange bool) *Frame {
	if m == nil {
		return nil
	}
	f := frameOf(m)
	f.Colours, f.FullRange = c, fullRange
	return &f
}

// formula returns the formula of f's colours, matrix and range, which are known.
func (f *Frame) formula() *rows.Formula {
	fullRange := 0
	if f.FullRange {
		fullRange = 1
	}
	switch f.Colours {
	case Libjpeg:
		return &rows.LibJPEG
	case Libwebp:
		return &rows.LibWebP
	case Swscale:
		return &rows.Swscale[f.Matrix][fullRange]
	case OpenCV:
		return &rows.OpenCV
	}
	return &rows.Formulas[f.Matrix][fullRange]
}

// checkRule returns an error if f's matrix or its rule of colours is unknown.
func (f *Frame) checkRule() error {
	if highest := Matrix(len(rows.Formulas) - 1); f.Matrix < 0 || f.Matrix > highest {
		return refusedField("Matrix", int64(f.Matrix), int64(min(max(f.Matrix, 0), highest)), slice1.ErrDataType,
			" is %d, must be 0 to %d: BT601, BT709 or BT2020", f.Matrix, highest)
	}
	if f.Colours < Repeated || f.Colours > OpenCV {
		return refusedField("Colours", int64(f.Colours), int64(min(max(f.Colours, Repeated), OpenCV)), slice1.ErrDataType,
			" is %d, must be 0 to %d: Repeated, Libjpeg, Libwebp, Swscale or OpenCV", f.Colours, OpenCV)
	}
	return nil
}

// checkColours returns an error unless f's colours are made as a rule says: if the rule is unknown,
// or not for a frame like f.
func (f *Frame) checkColours() error {
	if err := f.checkRule(); err != nil {
		return err
	}
	width, height, subsampled := f.Rect.Dx(), f.Rect.Dy(), f.Ratio == image.YCbCrSubsampleRatio420
	planes := max(1, f.YStep) == 1 && max(1, f.CStep) == 1
	switch {
	case f.Colours == Libwebp && !subsampled:
		return refused(errors.ErrUnsupported, "Colours Libwebp of ratio %v: libwebp has 4:2:0 alone", f.Ratio)
	case f.Colours == OpenCV && (!subsampled || width%2 != 0 || height%2 != 0):
		return refused(errors.ErrUnsupported, "Colours OpenCV of %d x %d pixels, ratio %v: cvtColor takes 4:2:0 with even sides alone", width, height, f.Ratio)
	case f.Colours == Swscale && f.Matrix == BT2020:
		return refused(errors.ErrUnsupported, "Colours Swscale with Matrix BT2020: must be BT601 or BT709")
	case f.Colours == Swscale && (!planes || !subsampled && f.Ratio != image.YCbCrSubsampleRatio422 || height%2 != 0):
		return refused(errors.ErrUnsupported, "Colours Swscale of %d rows, ratio %v, steps of %d and %d: must be planes of 4:2:0 or 4:2:2 with an even number of rows",
			height, f.Ratio, max(1, f.YStep), max(1, f.CStep))
	}
	return nil
}
