package imageslice

import (
	"errors"
	"fmt"
	"image"
	"reflect"
)

// blank returns a new picture of the given size, with chroma of the given cell. It has m's type,
// form, palette, order and colours; src has m's planes. The error is errors.ErrUnsupported if no
// ratio has such a cell.
func blank(m image.Image, src *planes, size, cell image.Point) (image.Image, error) {
	r, tensor := image.Rectangle{Max: size}, src.list[0].tensor
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
		if src.form != apart {
			pairs := make([]uint8, 2*len(f.Cb))
			f.CStride, f.CStep, f.Cb, f.Cr = 2*f.CStride, 2, pairs, pairs[1:]
			if src.form == redFirst {
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
func unlike(dst, src image.Image, dstForm, srcForm form) string {
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
		if dstForm != srcForm {
			return "chroma of one of dst and src are planes and of the other pairs, or pairs in another order"
		}
	}
	return ""
}
