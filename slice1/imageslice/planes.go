package imageslice

import (
	"errors"
	"fmt"
	"image"
	"reflect"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
)

// planes is the memory of a picture: one plane of whole pixels, or one plane of luma and
// two of chroma.
type planes struct {
	bounds image.Rectangle
	cell   image.Point // columns and rows of the pixels that share a sample of chroma; 1, 1 without chroma
	list   []plane
}

type plane struct {
	pix    []uint8
	tensor slice1.TensorDesc // rows, columns, channels
}

// meets reports whether the memory of two planes, gaps between rows included, has a byte in
// common.
//
// unsafe: addresses are compared, not used.
func (p *plane) meets(q *plane) bool {
	from, size := uintptr(unsafe.Pointer(unsafe.SliceData(p.pix))), uintptr(len(p.pix))
	other, long := uintptr(unsafe.Pointer(unsafe.SliceData(q.pix))), uintptr(len(q.pix))
	return from < other+long && other < from+size
}

var one = image.Pt(1, 1)

// cells has the columns and rows of the pixels that share a sample of chroma, by ratio.
var cells = map[image.YCbCrSubsampleRatio]image.Point{
	image.YCbCrSubsampleRatio444: image.Pt(1, 1),
	image.YCbCrSubsampleRatio422: image.Pt(2, 1),
	image.YCbCrSubsampleRatio420: image.Pt(2, 2),
	image.YCbCrSubsampleRatio440: image.Pt(1, 2),
	image.YCbCrSubsampleRatio411: image.Pt(4, 1),
	image.YCbCrSubsampleRatio410: image.Pt(4, 2),
}

// open returns m's planes. The errors are those of View, for planes of chroma too, and
// errors.ErrUnsupported for an unknown ratio or for cells left of or above 0.
func open(m image.Image) (*planes, error) {
	if y, ok := m.(*image.YCbCr); ok && y != nil {
		return openYCbCr(y)
	}
	p, tensor, err := view(m)
	if err != nil {
		return nil, err
	}
	return &planes{p.Rect, one, []plane{{p.Pix, tensor}}}, nil
}

func openYCbCr(m *image.YCbCr) (*planes, error) {
	cell, ok := cells[m.SubsampleRatio]
	if !ok || cell != one && (m.Rect.Min.X < 0 || m.Rect.Min.Y < 0) {
		// Left of and above 0, package image does not place cells regularly.
		return nil, fmt.Errorf("imageslice: %T of %v, ratio %v: %w", m, m.Rect, m.SubsampleRatio, errors.ErrUnsupported)
	}
	if m.Rect.Empty() {
		return nil, fmt.Errorf("imageslice: %v: %w", m.Rect, slice1.ErrEmpty)
	}
	ps := &planes{bounds: m.Rect, cell: cell}
	for _, p := range []struct {
		name, stride string
		pix          []uint8
		pitch        int
		cell         image.Point
	}{{"Y", "YStride", m.Y, m.YStride, one}, {"Cb", "CStride", m.Cb, m.CStride, cell}, {"Cr", "CStride", m.Cr, m.CStride, cell}} {
		t := slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{
			samples(m.Rect.Min.Y, m.Rect.Max.Y, p.cell.Y), samples(m.Rect.Min.X, m.Rect.Max.X, p.cell.X), 1}}
		if err := lay(&t, p.pix, p.pitch, p.stride, p.name); err != nil {
			return nil, err
		}
		need, _ := t.MinSize()
		ps.list = append(ps.list, plane{p.pix[:need], t})
	}
	return ps, nil
}

// samples returns the number of cells that have pixels from lo up to, not including, hi.
func samples(lo, hi, cell int) int {
	if cell == 1 {
		return hi - lo // negative if int overflows; MinSize then returns an error
	}
	return (hi-1)/cell - lo/cell + 1
}

// blank returns a new picture of m's type and palette, of the given size and with chroma of
// the given cell. The error is errors.ErrUnsupported if no ratio has such a cell. tensor is
// that of m's first plane.
func blank(m image.Image, tensor slice1.TensorDesc, size, cell image.Point) (image.Image, error) {
	r := image.Rectangle{Max: size}
	switch m := m.(type) {
	case *image.YCbCr:
		for ratio, known := range cells {
			if known == cell {
				return image.NewYCbCr(r, ratio), nil
			}
		}
		return nil, fmt.Errorf("imageslice: %v transposed: %w", m.SubsampleRatio, errors.ErrUnsupported)
	case *image.Paletted:
		return &image.Paletted{Pix: make([]uint8, size.X*size.Y), Stride: size.X, Rect: r, Palette: m.Palette}, nil
	}
	row := size.X * tensor.Sizes[2] * tensor.DataType.Size()
	p := &picture{make([]uint8, size.Y*row), row, r}
	return reflect.ValueOf(p).Convert(reflect.TypeOf(m)).Interface().(image.Image), nil
}

// alike reports whether samples of two pictures mean the same: whether their types and palettes
// are equal. It ignores ratios of chroma.
func alike(a, b image.Image) bool {
	if reflect.TypeOf(a) != reflect.TypeOf(b) {
		return false
	}
	p, ok := a.(*image.Paletted)
	return !ok || reflect.DeepEqual(p.Palette, b.(*image.Paletted).Palette)
}
