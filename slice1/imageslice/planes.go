package imageslice

import (
	"errors"
	"fmt"
	"image"
	"reflect"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
)

// planes is the memory of a picture. It is one plane of whole pixels, or a plane of luma with two
// planes of chroma, or a plane of luma with a plane of pairs of chroma.
type planes struct {
	bounds image.Rectangle
	cell   image.Point // columns and rows of pixels that share a sample of chroma; 1, 1 without chroma
	list   []plane
	room   [3]plane // the memory of list
	rgb    axis     // R, G and B, or the only channel, among the channels of whole pixels or of a stage
	form   form     // of chroma
}

// form says how a picture's samples lie.
type form int

const (
	apart     form = iota // in planes of their own
	blueFirst             // Cb and Cr in pairs
	redFirst              // Cr and Cb in pairs
	scattered             // in another way; such a picture cannot be sliced
)

type plane struct {
	pix    []uint8
	tensor slice1.TensorDesc // rows, columns, channels

	sizes, strides [3]int // the memory of the tensor's lists, so that opening a picture does not allocate
}

// set gives p a tensor of these extents and strides.
func (p *plane) set(t slice1.DataType, sizes, strides [3]int) {
	p.sizes, p.strides = sizes, strides
	p.tensor = slice1.TensorDesc{DataType: t, Sizes: p.sizes[:], Strides: p.strides[:]}
}

// meets reports whether the memory of two planes has a byte in common. Gaps between rows count,
// too.
//
// unsafe: addresses are compared, not used.
func (p *plane) meets(q *plane) bool {
	from, size := uintptr(unsafe.Pointer(unsafe.SliceData(p.pix))), uintptr(len(p.pix))
	other, long := uintptr(unsafe.Pointer(unsafe.SliceData(q.pix))), uintptr(len(q.pix))
	return from < other+long && other < from+size
}

var one = image.Pt(1, 1)

// cells has, by ratio, the columns and rows of pixels that share a sample of chroma.
var cells = map[image.YCbCrSubsampleRatio]image.Point{
	image.YCbCrSubsampleRatio444: image.Pt(1, 1),
	image.YCbCrSubsampleRatio422: image.Pt(2, 1),
	image.YCbCrSubsampleRatio420: image.Pt(2, 2),
	image.YCbCrSubsampleRatio440: image.Pt(1, 2),
	image.YCbCrSubsampleRatio411: image.Pt(4, 1),
	image.YCbCrSubsampleRatio410: image.Pt(4, 2),
}

// open sets ps, which must be zero, to m's planes. The errors are the same as View's and Frame's,
// also for the chroma planes of *image.YCbCr. An unknown ratio, and cells left of or above 0, are
// errors.ErrUnsupported.
func (ps *planes) open(m image.Image) error {
	switch m := m.(type) {
	case *image.YCbCr:
		if m != nil {
			return ps.openFrame(m, frameOf(m), slice1.ErrStride)
		}
	case *Frame:
		if m != nil {
			return ps.openFrame(m, m, slice1.ErrBuffer)
		}
	}
	p, err := view(m, &ps.room[0])
	if err != nil {
		return err
	}
	ps.bounds, ps.cell, ps.list = p.Rect, one, ps.room[:1]
	ps.rgb = axis{0, 1, min(3, ps.room[0].sizes[2]), 1}
	switch m := m.(type) {
	case *Pixels:
		_, ps.rgb, _ = m.channels()
	case *image.Paletted:
		ps.rgb.n = 3
	}
	return nil
}

// openFrame opens m as the frame f. `short` is the error of a row that is shorter than the picture.
func (ps *planes) openFrame(m image.Image, f *Frame, short error) error {
	cell, ok := cells[f.Ratio]
	if _, own := m.(*Frame); !ok || (own || cell != one) && (f.Rect.Min.X < 0 || f.Rect.Min.Y < 0) {
		// Left of and above 0, package image does not place cells regularly.
		return fmt.Errorf("imageslice: %T of %v, ratio %v: %w", m, f.Rect, f.Ratio, errors.ErrUnsupported)
	}
	switch {
	case f.Matrix < 0 || int(f.Matrix) >= len(formulas):
		last := Matrix(len(formulas) - 1)
		return refusedField("Matrix", int64(f.Matrix), int64(min(max(f.Matrix, 0), last)), slice1.ErrDataType,
			" is %d, must be 0 to %d: BT601, BT709 or BT2020", f.Matrix, last)
	case f.Rect.Empty():
		return fmt.Errorf("imageslice: %v: %w", f.Rect, slice1.ErrEmpty)
	}
	ps.bounds, ps.cell, ps.rgb, ps.list = f.Rect, cell, axis{0, 1, 3, 1}, ps.room[:]
	for i, p := range [...]struct {
		name, strideName, stepName string
		pix                        []uint8
		stride, step               int
		cell                       image.Point
	}{{"Y", "YStride", "YStep", f.Y, f.YStride, f.YStep, one}, {"Cb", "CStride", "CStep", f.Cb, f.CStride, f.CStep, cell}, {"Cr", "CStride", "CStep", f.Cr, f.CStride, f.CStep, cell}} {
		if p.step < 0 {
			return refusedField(p.stepName, int64(p.step), 1, slice1.ErrStride, " is %d, must be at least 0", p.step)
		}
		sizes := [3]int{samples(f.Rect.Min.Y, f.Rect.Max.Y, p.cell.Y), samples(f.Rect.Min.X, f.Rect.Max.X, p.cell.X), 1}
		to := &ps.list[i]
		if err := to.lay(slice1.Uint8, sizes, p.pix, p.stride, max(1, p.step), p.strideName, p.name, short); err != nil {
			return err
		}
		need, _ := to.tensor.MinSize()
		to.pix = p.pix[:need]
	}
	ps.pair(f)
	return nil
}

// pair finds the form of a frame. If chroma lie in pairs, it makes them one plane of two channels.
//
// unsafe: addresses are compared, not used.
func (ps *planes) pair(f *Frame) {
	if max(1, f.YStep) == 1 && max(1, f.CStep) == 1 {
		return
	}
	ps.form = scattered
	cb, cr := &ps.list[1], &ps.list[2]
	first, pix := cb, f.Cb
	form := blueFirst
	switch uintptr(unsafe.Pointer(&cr.pix[0])) - uintptr(unsafe.Pointer(&cb.pix[0])) {
	case 1:
	case ^uintptr(0):
		first, pix, form = cr, f.Cr, redFirst
	default:
		return
	}
	need := len(first.pix) + 1
	if max(1, f.YStep) != 1 || f.CStep != 2 || f.CStride < 2*cb.tensor.Sizes[1] && cb.tensor.Sizes[0] > 1 || cap(pix) < need {
		return
	}
	rows, columns := first.sizes[0], first.sizes[1]
	cb.set(slice1.Uint8, [3]int{rows, columns, 2}, [3]int{max(first.strides[0], 2*columns), 2, 1})
	cb.pix, ps.list, ps.form = pix[:need], ps.list[:2], form
}

// refuseScattered returns an error for a picture that cannot be sliced.
func (ps *planes) refuseScattered(m image.Image) error {
	if ps.form == scattered {
		return refused(errors.ErrUnsupported, "chroma of %T are neither planes nor pairs; Convert and ToRGBA take it", m)
	}
	return nil
}

// samples returns how many cells have pixels from lo up to, not including, hi.
func samples(lo, hi, cell int) int {
	if cell == 1 {
		return hi - lo // negative if int overflows; MinSize then returns an error
	}
	return (hi-1)/cell - lo/cell + 1
}

// blank returns a new picture of the given size, with chroma of the given cell. It has m's type,
// form, palette, order and colours; from has m's planes. The error is errors.ErrUnsupported if no
// ratio has such a cell.
func blank(m image.Image, from *planes, size, cell image.Point) (image.Image, error) {
	r, tensor := image.Rectangle{Max: size}, from.list[0].tensor
	switch m := m.(type) {
	case *image.YCbCr:
		ratio, err := ratioOf(cell, m.SubsampleRatio)
		if err != nil {
			return nil, err
		}
		return image.NewYCbCr(r, ratio), nil
	case *Frame:
		ratio, err := ratioOf(cell, m.Ratio)
		if err != nil {
			return nil, err
		}
		f := frameOf(image.NewYCbCr(r, ratio))
		f.Matrix, f.FullRange = m.Matrix, m.FullRange
		if from.form != apart {
			pairs := make([]uint8, 2*len(f.Cb))
			f.CStride, f.CStep, f.Cb, f.Cr = 2*f.CStride, 2, pairs, pairs[1:]
			if from.form == redFirst {
				f.Cb, f.Cr = f.Cr, f.Cb
			}
		}
		return f, nil
	case *Pixels:
		row := size.X * tensor.Sizes[2]
		return &Pixels{make([]uint8, size.Y*row), row, r, m.Order}, nil
	case *image.Paletted:
		return &image.Paletted{Pix: make([]uint8, size.X*size.Y), Stride: size.X, Rect: r, Palette: m.Palette}, nil
	}
	row := size.X * tensor.Sizes[2] * tensor.DataType.Size()
	p := &picture{make([]uint8, size.Y*row), row, r}
	return reflect.ValueOf(p).Convert(reflect.TypeOf(m)).Interface().(image.Image), nil
}

// ratioOf returns the ratio with such cells of chroma. Its error names `was`, the ratio of the
// picture that is transposed.
func ratioOf(cell image.Point, was image.YCbCrSubsampleRatio) (image.YCbCrSubsampleRatio, error) {
	for ratio, known := range cells {
		if known == cell {
			return ratio, nil
		}
	}
	return 0, fmt.Errorf("imageslice: %v transposed: %w", was, errors.ErrUnsupported)
}

// unlike compares the types, palettes, orders of channels, forms, matrices and ranges of two
// pictures. It says what differs, so that samples do not mean the same, or returns "". It ignores
// ratios of chroma.
func unlike(dst, src image.Image, to, from form) string {
	if reflect.TypeOf(dst) != reflect.TypeOf(src) {
		return fmt.Sprintf("dst is %T, must be %T", dst, src)
	}
	switch a := dst.(type) {
	case *image.Paletted:
		if !reflect.DeepEqual(a.Palette, src.(*image.Paletted).Palette) {
			return "dst has another palette than src"
		}
	case *Pixels:
		if a.Order != src.(*Pixels).Order {
			return "dst has another order of channels than src"
		}
	case *Frame:
		if b := src.(*Frame); a.Matrix != b.Matrix || a.FullRange != b.FullRange {
			return "dst has another matrix or range than src"
		}
		if to != from {
			return "chroma of one of dst and src are planes and of the other pairs, or pairs in another order"
		}
	}
	return ""
}
