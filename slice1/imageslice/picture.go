package imageslice

import (
	"errors"
	"fmt"
	"image"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
)

// planes is the memory of a picture. It is one plane of whole pixels, or a plane of luma with two
// planes of chroma, or a plane of luma with a plane of pairs of chroma.
type planes struct {
	picture
	bounds image.Rectangle
	cell   image.Point // columns and rows of pixels that share a sample of chroma; 1, 1 without chroma
	list   []plane
	room   [4]plane // the memory of list
	rgb    axis     // the channels that are taken, of pixels in memory or of rows that are made
	form   form     // of chroma
}

// form says how a picture's samples lie.
type form int

const (
	apart     form = iota // in planes of their own
	blueFirst             // Cb and Cr in pairs
	redFirst              // Cr and Cb in pairs
	scattered             // in another way; such a picture cannot be sliced
	withAlpha             // in planes, with one of alpha behind them; nor can this one
)

type plane struct {
	pix    []uint8
	tensor slice1.TensorDesc // rows, columns, channels

	sizes, strides [3]int // the memory of the tensor's lists, so that opening a picture does not allocate
}

// setTensor gives p a tensor of these extents and strides.
func (p *plane) setTensor(t slice1.DataType, sizes, strides [3]int) {
	p.sizes, p.strides = sizes, strides
	p.tensor = slice1.TensorDesc{DataType: t, Sizes: p.sizes[:], Strides: p.strides[:]}
}

// meets reports whether the memory of two planes has a byte in common. Gaps between rows count,
// too.
//
// unsafe: addresses are compared, not used.
func (p *plane) meets(q *plane) bool {
	pStart, size := uintptr(unsafe.Pointer(unsafe.SliceData(p.pix))), uintptr(len(p.pix))
	qStart, long := uintptr(unsafe.Pointer(unsafe.SliceData(q.pix))), uintptr(len(q.pix))
	return pStart < qStart+long && qStart < pStart+size
}

// open sets ps, which must be zero, to m's planes. The errors are the same as View's and Frame's,
// also for the chroma planes of *image.YCbCr. An unknown ratio, and cells left of or above 0, are
// errors.ErrUnsupported.
func (ps *planes) open(m image.Image) error {
	if err := ps.describe(m); err != nil {
		return err
	}
	ps.rgb = ps.colours
	if ps.channels == 0 {
		return ps.openFrame()
	}
	ps.bounds, ps.cell, ps.list = ps.Rect, onePixel, ps.room[:1]
	return ps.view(&ps.room[0])
}

// openColours is open for a picture whose R, G and B are wanted. Its errors are also those of rules
// that are not for a frame like m.
func (ps *planes) openColours(m image.Image) error {
	if err := ps.open(m); err != nil || ps.channels != 0 {
		return err
	}
	return ps.frame.checkColours()
}

// openFrame opens luma and chroma.
func (ps *planes) openFrame() error {
	f, isFrame, short := &ps.frame, ps.kind == &frameKind, slice1.ErrStride // of a row that is shorter than the picture
	if isFrame {
		short = slice1.ErrBuffer
	}
	cell, ok := cells[f.Ratio]
	if !ok || (isFrame || cell != onePixel) && (f.Rect.Min.X < 0 || f.Rect.Min.Y < 0) {
		// Left of and above 0, package image does not place cells regularly.
		return fmt.Errorf("imageslice: %s of %v, ratio %v: %w", ps.name, f.Rect, f.Ratio, errors.ErrUnsupported)
	}
	if err := f.checkRule(); err != nil {
		return err
	}
	if f.Rect.Empty() {
		return refused(slice1.ErrEmpty, "the picture has no pixels: its bounds are %v", f.Rect)
	}
	ps.bounds, ps.cell, ps.list = f.Rect, cell, ps.room[:3]
	if ps.alpha >= 0 {
		ps.list, ps.form = ps.room[:], withAlpha
	}
	for i, p := range []struct {
		name, strideName, stepName string
		pix                        []uint8
		stride, step               int
		cell                       image.Point
	}{{"Y", "YStride", "YStep", f.Y, f.YStride, f.YStep, onePixel}, {"Cb", "CStride", "CStep", f.Cb, f.CStride, f.CStep, cell},
		{"Cr", "CStride", "CStep", f.Cr, f.CStride, f.CStep, cell}, {"A", "AStride", "", ps.Pix, ps.Stride, 1, onePixel}}[:len(ps.list)] {
		if p.step < 0 {
			return refusedField(p.stepName, int64(p.step), 0, slice1.ErrStride, " is %d, must be at least 0", p.step)
		}
		sizes := [3]int{samples(f.Rect.Min.Y, f.Rect.Max.Y, p.cell.Y), samples(f.Rect.Min.X, f.Rect.Max.X, p.cell.X), 1}
		target := &ps.list[i]
		if err := target.lay(slice1.Uint8, sizes, p.pix, p.stride, max(1, p.step), p.strideName, p.name, short); err != nil {
			return err
		}
		need, _ := target.tensor.MinSize()
		target.pix = p.pix[:need]
	}
	if ps.form != withAlpha {
		ps.pair(f)
	}
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
	pairs, pix := cb, f.Cb
	form := blueFirst
	switch uintptr(unsafe.Pointer(&cr.pix[0])) - uintptr(unsafe.Pointer(&cb.pix[0])) {
	case 1:
	case ^uintptr(0):
		pairs, pix, form = cr, f.Cr, redFirst
	default:
		return
	}
	need := len(pairs.pix) + 1
	if max(1, f.YStep) != 1 || f.CStep != 2 || f.CStride < 2*cb.tensor.Sizes[1] && cb.tensor.Sizes[0] > 1 || cap(pix) < need {
		return
	}
	rows, columns := pairs.sizes[0], pairs.sizes[1]
	cb.setTensor(slice1.Uint8, [3]int{rows, columns, 2}, [3]int{max(pairs.strides[0], 2*columns), 2, 1})
	cb.pix, ps.list, ps.form = pix[:need], ps.list[:2], form
}

// refuseScattered returns an error for a picture that cannot be sliced.
func (ps *planes) refuseScattered() error {
	if ps.form == scattered {
		return refused(errors.ErrUnsupported, "chroma of %s are neither planes nor pairs; Convert and ToRGBA take it", ps.name)
	}
	if ps.form == withAlpha {
		return refused(errors.ErrUnsupported, "%s has luma, chroma and alpha; Convert and ToRGBA take it, and Slice takes &m.YCbCr", ps.name)
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

// View returns m's memory, without a copy, and m as a tensor in it: [height, width, channels]. The
// first element is the first sample of the pixel at m.Bounds().Min.
//
// The error is [errors.ErrUnsupported] if m is nil or has another type, slice1.ErrEmpty if it has
// no pixels, slice1.ErrStride for a Stride that is shorter than a row or not of whole samples,
// slice1.ErrBuffer for a Pix that ends before the picture, and slice1.ErrSize or slice1.ErrOverflow
// for bounds too large to count.
func View(m image.Image) ([]byte, slice1.TensorDesc, error) {
	var (
		p      picture
		target plane
	)
	if err := p.describe(m); err != nil {
		return nil, slice1.TensorDesc{}, err
	}
	if err := p.view(&target); err != nil {
		return nil, slice1.TensorDesc{}, err
	}
	return target.pix, target.tensor, nil
}

// view opens p as one plane.
func (p *picture) view(target *plane) error {
	switch {
	case p.kind.channels == 0 && p.alpha >= 0:
		return refused(errors.ErrUnsupported, "%s has luma, chroma and alpha, which are no single tensor; Convert and ToRGBA take it", p.name)
	case p.kind.channels == 0:
		return refused(errors.ErrUnsupported, "%s has luma and chroma, which are no single tensor; Slice, Copy, Orient and Convert take it", p.name)
	case p.Rect.Empty():
		return refused(slice1.ErrEmpty, "the picture has no pixels: its bounds are %v", p.Rect)
	}
	target.pix = p.Pix
	return target.lay(p.sample, [3]int{p.Rect.Dy(), p.Rect.Dx(), p.kind.channels}, p.Pix, p.Stride, p.kind.channels, "Stride", "Pix", slice1.ErrStride)
}

// lay sets p's tensor to rows that are pitch bytes apart, of pixels that are `step` samples apart.
// It checks the tensor, the pitch and the length of pix. Errors call the fields strideName and
// pixName, and `short` is the error of a pitch shorter than a row.
func (p *plane) lay(t slice1.DataType, sizes [3]int, pix []uint8, pitch, step int, strideName, pixName string, short error) error {
	size := t.Size()
	p.setTensor(t, [3]int{1, sizes[1], sizes[2]}, [3]int{0, step, 1})
	tooLarge := func() error {
		return refused(slice1.ErrOverflow, "%d rows of %d pixels, %s %d and steps of %d: 63 bits must count the picture's bytes", sizes[0], sizes[1], strideName, pitch, step)
	}
	row, err := p.tensor.MinSize()
	if err != nil {
		return tooLarge()
	}
	switch stride := int64(pitch); {
	case stride < row:
		return refusedField(strideName, stride, row, short, " is %d bytes, a row takes %d", pitch, row)
	case pitch%size != 0:
		whole := pitch / size * size
		return refusedField(strideName, stride, int64(whole), short, " is %d bytes, a sample takes %d; the nearest is %d", pitch, size, whole)
	}
	p.setTensor(t, sizes, [3]int{pitch / size, step, 1})
	need, err := p.tensor.MinSize()
	if err != nil {
		return tooLarge()
	}
	if held := int64(len(pix)); held < need {
		return refusedField(pixName, held, need, slice1.ErrBuffer, " has %d bytes, the picture takes %d", held, need)
	}
	return nil
}
