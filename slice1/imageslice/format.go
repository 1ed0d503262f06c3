package imageslice

import (
	"fmt"
	"image"
	"math"
	"math/bits"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
)

// Format says how the samples of a frame lie in a buffer.
type Format struct {
	// Name is the name of the format's function in lower case, and FFmpeg is the name that FFmpeg
	// has for it, or "".
	Name, FFmpeg string

	ratio  image.YCbCrSubsampleRatio
	planes int // 0: rows have luma and chroma; 1: pairs of chroma lie behind all luma; 2: two planes do
	bytes  int // of a sample; the last one is its high byte, which is taken
	y      int // the byte of the first luma in its row, where rows have both
	cb, cr int // the like of chroma; else which of the samples of a pair, or of the planes, they are
}

const (
	nv12 = iota
	nv21
	nv16
	i420
	yv12
	i422
	i444
	yuy2
	uyvy
	p010
)

var formats = [...]Format{
	nv12: {"nv12", "nv12", image.YCbCrSubsampleRatio420, 1, 1, 0, 0, 1},
	nv21: {"nv21", "nv21", image.YCbCrSubsampleRatio420, 1, 1, 0, 1, 0},
	nv16: {"nv16", "nv16", image.YCbCrSubsampleRatio422, 1, 1, 0, 0, 1},
	i420: {"i420", "yuv420p", image.YCbCrSubsampleRatio420, 2, 1, 0, 0, 1},
	yv12: {"yv12", "", image.YCbCrSubsampleRatio420, 2, 1, 0, 1, 0},
	i422: {"i422", "yuv422p", image.YCbCrSubsampleRatio422, 2, 1, 0, 0, 1},
	i444: {"i444", "yuv444p", image.YCbCrSubsampleRatio444, 2, 1, 0, 0, 1},
	yuy2: {"yuy2", "yuyv422", image.YCbCrSubsampleRatio422, 0, 1, 0, 1, 3},
	uyvy: {"uyvy", "uyvy422", image.YCbCrSubsampleRatio422, 0, 1, 1, 0, 2},
	p010: {"p010", "p010le", image.YCbCrSubsampleRatio420, 1, 2, 0, 0, 1},
}

// Formats returns the formats of frames, for programs that read a format's name.
func Formats() []Format { return slices.Clone(formats[:]) }

// NV12 returns a frame in pix, without a copy. pix has rows of luma, then rows of pairs of Cb and
// Cr, one pair for each 2 x 2 pixels. Rows of luma are `stride` bytes apart; a stride of 0 is the
// width. Rows of pairs are as far apart, rounded up to an even number. pix must reach to the end of
// the last row, including the bytes up to the stride.
//
// Decoders often store more than is shown: a video of 1920 x 1080 pixels in 1088 rows. Chroma begin
// behind all stored rows, so give the height that is stored, and show less of it:
//
//	f, err := imageslice.NV12(pix, 1920, 1088, 0)
//	f.Rect.Max.Y = 1080
//
// With a height of 1080, rows of luma would be taken for chroma, and the picture would be green. So
// a pix that has exactly the bytes of the height rounded up to 8, 16, 32 or 64 rows, which is what
// V4L2, VA-API and Android's MediaCodec give, is slice1.ErrBuffer. A pix that is longer otherwise
// is taken, and its rest is not read.
//
// The matrix is BT601 and the range limited. High definition has BT709, and its stream says so:
//
//	f, err := imageslice.NV12(pix, 1920, 1080, 0)
//	f.Matrix = imageslice.BT709
//
// But cv2.VideoCapture (OpenCV 4.6) and PyAV (10) take BT.601 whatever the stream says. For a model
// that was trained on their frames leave Matrix as it is, and of I420 set f.Colours to Swscale.
//
// The errors are slice1.ErrSize for a negative width or height, slice1.ErrEmpty for a width or
// height of 0, slice1.ErrBuffer for a short pix, a stride shorter than a row and rows that are not
// shown, and slice1.ErrOverflow for a size that is too large to count.
func NV12(pix []uint8, width, height, stride int) (*Frame, error) {
	return formats[nv12].Frame(pix, width, height, stride)
}

// NV21 is NV12 with Cr before Cb in each pair, the format of Android's cameras. FFmpeg calls it
// nv21.
func NV21(pix []uint8, width, height, stride int) (*Frame, error) {
	return formats[nv21].Frame(pix, width, height, stride)
}

// NV16 is NV12 with a pair for each 2 x 1 pixels: as many rows of pairs as of luma. FFmpeg calls it
// nv16.
func NV16(pix []uint8, width, height, stride int) (*Frame, error) {
	return formats[nv16].Frame(pix, width, height, stride)
}

// I420 is NV12 with two planes of chroma in place of pairs: Cb, and then Cr. Their rows are
// (stride+1)/2 bytes apart. FFmpeg calls this format yuv420p. Of frames that are stored larger than
// they are shown, both sides count as for NV12. For example, 34 x 21 pixels of 48 x 24:
//
//	f, err := imageslice.I420(pix, 48, 24, 0)
//	f.Rect.Max = image.Point{X: 34, Y: 21}
func I420(pix []uint8, width, height, stride int) (*Frame, error) {
	return formats[i420].Frame(pix, width, height, stride)
}

// YV12 is I420 with the plane of Cr before that of Cb. FFmpeg has no name for it.
func YV12(pix []uint8, width, height, stride int) (*Frame, error) {
	return formats[yv12].Frame(pix, width, height, stride)
}

// I422 is I420 with as many rows of chroma as of luma. FFmpeg calls it yuv422p.
func I422(pix []uint8, width, height, stride int) (*Frame, error) {
	return formats[i422].Frame(pix, width, height, stride)
}

// I444 is I420 with planes of chroma as large as that of luma. FFmpeg calls it yuv444p.
func I444(pix []uint8, width, height, stride int) (*Frame, error) {
	return formats[i444].Frame(pix, width, height, stride)
}

// YUY2 returns a frame in pix, without a copy. pix has rows with Y, Cb, Y, Cr for each two pixels,
// the format of webcams. FFmpeg calls it yuyv422. Rows are `stride` bytes apart; a stride of 0 is
// the least that holds whole groups of four. Matrix, range and errors are the same as NV12's.
func YUY2(pix []uint8, width, height, stride int) (*Frame, error) {
	return formats[yuy2].Frame(pix, width, height, stride)
}

// UYVY is YUY2 with groups of Cb, Y, Cr, Y. FFmpeg calls it uyvy422.
func UYVY(pix []uint8, width, height, stride int) (*Frame, error) {
	return formats[uyvy].Frame(pix, width, height, stride)
}

// P010 is NV12 with samples of two bytes, the low one first, whose upper 10 bits count, as decoders
// of 10 bits give them. FFmpeg calls it p010le. The frame has the high byte of each sample, the
// upper 8 of its bits. A stride of 0 is twice the width, and rows of pairs are as far apart,
// rounded up to a multiple of 4.
func P010(pix []uint8, width, height, stride int) (*Frame, error) {
	return formats[p010].Frame(pix, width, height, stride)
}

// layout is how many bytes the parts of a frame take. stride is a row of luma or of all samples,
// and luma is all these rows. chroma is a row of chroma, and rows is how many there are. total is
// the whole buffer.
type layout struct{ stride, luma, chroma, rows, total int64 }

// Size returns how many bytes a frame takes, with rows as its function has them. The errors are the
// function's.
func (f *Format) Size(width, height, stride int) (int64, error) {
	l, err := f.layout(width, height, stride)
	return l.total, err
}

func (f *Format) layout(width, height, stride int) (l layout, err error) {
	for _, side := range [...]struct {
		name string
		n    int
	}{{"width", width}, {"height", height}} {
		if side.n < 0 {
			return l, refusedField(side.name, int64(side.n), 1, slice1.ErrSize, " is %d, must be at least 1", side.n)
		}
		if side.n == 0 {
			return l, fmt.Errorf("imageslice: a frame of %d x %d pixels: %w", width, height, slice1.ErrEmpty)
		}
	}
	tooLarge := fmt.Errorf("imageslice: a frame of %d x %d pixels in rows of %d bytes: %w", width, height, stride, slice1.ErrOverflow)
	const limit = math.MaxInt / 4 // so that a row can be rounded up
	if width > limit/2 || stride > limit {
		return l, tooLarge
	}
	rowBytes := width * f.bytes
	if f.planes == 0 {
		rowBytes = (width + width%2) * 2
	}
	if stride < rowBytes && stride != 0 {
		return l, refusedField("stride", int64(stride), int64(rowBytes), slice1.ErrBuffer, " is %d bytes, a row takes %d", stride, rowBytes)
	}
	l.stride = int64(max(stride, rowBytes))
	if f.planes > 0 {
		cell := cells[f.ratio]
		pixels := (l.stride + int64(cell.X*f.bytes) - 1) / int64(cell.X*f.bytes) // samples of one chroma, as the stride has room for luma
		l.chroma, l.rows = pixels*int64(f.bytes*(3-f.planes)), int64(height/cell.Y+height%cell.Y)
	}
	high, luma := bits.Mul64(uint64(l.stride), uint64(height))
	highC, chroma := bits.Mul64(uint64(l.chroma)*uint64(f.planes), uint64(l.rows))
	total, carry := bits.Add64(luma, chroma, 0)
	if high != 0 || highC != 0 || carry != 0 || total > math.MaxInt64 {
		return l, tooLarge
	}
	l.luma, l.total = int64(luma), int64(total)
	return l, nil
}

// Frame returns a frame in pix, as the function of the format does.
func (f *Format) Frame(pix []uint8, width, height, stride int) (*Frame, error) {
	l, err := f.layout(width, height, stride)
	if err != nil {
		return nil, err
	}
	if int64(len(pix)) < l.total {
		return nil, refusedField("pix", int64(len(pix)), l.total, slice1.ErrBuffer, " has %d bytes, the frame takes %d", len(pix), l.total)
	}
	m := &Frame{YStride: int(l.stride), CStride: int(l.chroma), Ratio: f.ratio, Rect: image.Rect(0, 0, width, height)}
	given, sample := pix, int64(f.bytes-1)
	if pix = pix[:l.total]; f.planes == 0 {
		m.CStride, m.YStep, m.CStep = m.YStride, 2, 4
		m.Y, m.Cb, m.Cr = pix[f.y:], pix[f.cb:], pix[f.cr:]
		return m, nil
	}
	m.YStep, m.CStep = f.bytes, f.bytes*(3-f.planes)
	chroma := func(luma, rows int64) (cb, cr int64) { // where they begin behind so many bytes of luma
		apart := int64(f.bytes)
		if f.planes == 2 {
			apart = l.chroma * rows
		}
		return luma + int64(f.cb)*apart, luma + int64(f.cr)*apart
	}
	for _, multiple := range [...]int{8, 16, 32, 64} {
		// If so many rows of luma are stored, pix holds them and their chroma.
		rows := (height + multiple - 1) / multiple * multiple
		luma, chromaRows := l.stride*int64(rows), int64(rows/cells[f.ratio].Y)
		if rows > height && int64(len(given)) == luma+int64(f.planes)*l.chroma*chromaRows {
			cb, cr := chroma(luma, chromaRows)
			return nil, refusedField("pix", int64(len(given)), l.total, slice1.ErrBuffer,
				" has %d bytes, which are %d rows for a height of %d; pass pix[:%d], then set f.Cb = pix[%d:] and f.Cr = pix[%d:]",
				len(given), rows, height, l.total, cb+sample, cr+sample)
		}
	}
	cb, cr := chroma(l.luma, l.rows)
	m.Y, m.Cb, m.Cr = pix[sample:l.luma], pix[cb+sample:], pix[cr+sample:]
	return m, nil
}
