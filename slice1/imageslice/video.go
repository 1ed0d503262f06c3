package imageslice

import (
	"fmt"
	"image"
	"math/bits"

	"github.com/seed2e45c115/dml/slice1"
)

// NV12 returns a frame in pix, without a copy. pix has rows of luma, then rows of pairs of Cb and
// Cr, one pair for each 2 x 2 pixels. Rows of luma are `stride` bytes apart; a stride of 0 is the
// width. Rows of pairs are as far apart, rounded up to an even number. pix must reach to the end of
// the last row, including the bytes up to the stride. If luma is followed by rows of padding, with
// `rows` rows in all, set f.Cb and f.Cr to pix[stride*rows:] and pix[stride*rows+1:].
//
// The matrix is BT601 and the range limited. High definition has BT709, and its stream says so:
//
//	f, err := imageslice.NV12(pix, 1920, 1080, 0)
//	f.Matrix = imageslice.BT709
//
// The errors are slice1.ErrSize for a negative width or height, slice1.ErrEmpty for a width or
// height of 0, slice1.ErrBuffer for a short pix or a stride shorter than a row, and
// slice1.ErrOverflow for a size that is too large to count.
func NV12(pix []uint8, width, height, stride int) (*Frame, error) {
	return semiplanar(pix, width, height, stride, 0, 1)
}

// NV21 is NV12 with Cr before Cb in each pair, the format of Android's cameras.
func NV21(pix []uint8, width, height, stride int) (*Frame, error) {
	return semiplanar(pix, width, height, stride, 1, 0)
}

// I420 is NV12 with two planes of chroma in place of pairs: Cb, and then Cr. Their rows are
// (stride+1)/2 bytes apart. FFmpeg calls this format yuv420p.
func I420(pix []uint8, width, height, stride int) (*Frame, error) {
	s, err := sizesOf(pix, width, height, stride, 1, func(stride int) (int, int) { return stride/2 + stride%2, 2 })
	if err != nil {
		return nil, err
	}
	cr := s.luma + s.chroma*s.rows
	return &Frame{Y: pix[:s.luma], Cb: pix[s.luma:cr], Cr: pix[cr:s.total], YStride: s.stride, CStride: s.chroma, YStep: 1, CStep: 1,
		Ratio: image.YCbCrSubsampleRatio420, Rect: image.Rect(0, 0, width, height)}, nil
}

// YUY2 returns a frame in pix, without a copy. pix has rows with Y, Cb, Y, Cr for each two pixels,
// the format of webcams (FFmpeg's yuyv422). Rows are `stride` bytes apart; a stride of 0 is the
// least that holds whole groups of four. Matrix, range and errors are the same as NV12's.
func YUY2(pix []uint8, width, height, stride int) (*Frame, error) {
	return packed(pix, width, height, stride, 0, 1, 3)
}

// UYVY is YUY2 with groups of Cb, Y, Cr, Y.
func UYVY(pix []uint8, width, height, stride int) (*Frame, error) {
	return packed(pix, width, height, stride, 1, 0, 2)
}

// sizes are the sizes of a buffer in bytes. stride is a row of luma or of all samples, and luma is
// all these rows. chroma is a row of chroma, and rows is how many there are. total is the whole
// buffer.
type sizes struct{ stride, luma, chroma, rows, total int }

// sizesOf checks the sizes of a frame. A pixel takes `pixel` bytes of a row. If that is more than
// 1, a row holds whole pairs of pixels. chromaOf returns the stride of chroma and how many chroma
// planes there are.
func sizesOf(pix []uint8, width, height, stride, pixel int, chromaOf func(stride int) (chroma, planes int)) (s sizes, err error) {
	for _, side := range []struct {
		name string
		n    int
	}{{"width", width}, {"height", height}} {
		if side.n < 0 {
			return s, refusedField(side.name, int64(side.n), 1, slice1.ErrSize, " is %d, must be at least 1", side.n)
		}
		if side.n == 0 {
			return s, fmt.Errorf("imageslice: a frame of %d x %d pixels: %w", width, height, slice1.ErrEmpty)
		}
	}
	tooLarge := fmt.Errorf("imageslice: a frame of %d x %d pixels in rows of %d bytes: %w", width, height, stride, slice1.ErrOverflow)
	const most = int(^uint(0)>>1) / 2 // so that a row can be rounded up
	if width > most/pixel || stride > most {
		return s, tooLarge
	}
	least := width * pixel
	if pixel > 1 {
		least = (width + width%2) * pixel
	}
	if s.stride = stride; stride == 0 {
		s.stride = least
	}
	if s.stride < least {
		return s, refusedField("stride", int64(stride), int64(least), slice1.ErrBuffer, " is %d bytes, a row takes %d", stride, least)
	}
	var planes int
	s.chroma, planes = chromaOf(s.stride)
	s.rows = height/2 + height%2
	high, luma := bits.Mul64(uint64(s.stride), uint64(height))
	highC, chroma := bits.Mul64(uint64(s.chroma)*uint64(planes), uint64(s.rows))
	all, carry := bits.Add64(luma, chroma, 0)
	if high != 0 || highC != 0 || carry != 0 || all > uint64(int64(^uint64(0)>>1)) {
		return s, tooLarge
	}
	if uint64(len(pix)) < all {
		return s, refusedField("pix", int64(len(pix)), int64(all), slice1.ErrBuffer, " has %d bytes, the frame takes %d", len(pix), all)
	}
	s.luma, s.total = int(luma), int(all)
	return s, nil
}

// semiplanar returns the frame whose first Cb and Cr are `cb` and `cr` bytes behind luma.
func semiplanar(pix []uint8, width, height, stride, cb, cr int) (*Frame, error) {
	s, err := sizesOf(pix, width, height, stride, 1, func(stride int) (int, int) { return stride + stride%2, 1 })
	if err != nil {
		return nil, err
	}
	return &Frame{Y: pix[:s.luma], Cb: pix[s.luma+cb : s.total], Cr: pix[s.luma+cr : s.total], YStride: s.stride, CStride: s.chroma, YStep: 1, CStep: 2,
		Ratio: image.YCbCrSubsampleRatio420, Rect: image.Rect(0, 0, width, height)}, nil
}

// packed returns the frame whose first Y, Cb and Cr are at bytes y, cb and cr of pix.
func packed(pix []uint8, width, height, stride, y, cb, cr int) (*Frame, error) {
	s, err := sizesOf(pix, width, height, stride, 2, func(int) (int, int) { return 0, 0 })
	if err != nil {
		return nil, err
	}
	return &Frame{Y: pix[y:s.total], Cb: pix[cb:s.total], Cr: pix[cr:s.total], YStride: s.stride, CStride: s.stride, YStep: 2, CStep: 4,
		Ratio: image.YCbCrSubsampleRatio422, Rect: image.Rect(0, 0, width, height)}, nil
}
