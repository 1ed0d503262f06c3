package rows

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/exec"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/yield"
)

// Coding says how luma and chroma follow from R, G and B.
type Coding struct{ factors program.Frame }

// Codings has the inverses of Formulas: of BT.601, BT.709 and BT.2020, each for limited and for
// full range. Factors are real numbers times 65536, rounded. With Kr, Kg and Kb of Formulas:
//
//	Y  = l*(Kr*R + Kg*G + Kb*B) + 16
//	Cb = s*(B - (Kr*R + Kg*G + Kb*B)) / (2*(1-Kb)) + 128
//	Cr = s*(R - (Kr*R + Kg*G + Kb*B)) / (2*(1-Kr)) + 128
//
// In limited range l = 219/255 and s = 224/255. In full range both are 1, and 16 is left out. The
// factor of G is what is left, so that white is the greatest luma, and grey has chroma of 128.
// Offsets include half of 65536, so that the result is rounded. Chroma of full range add 1 less,
// since the largest ones are 255.5, and a byte holds 255. BT.601 in full range gives the samples of
// libjpeg-turbo, although two of its factors are others.
var Codings = [...][2]Coding{
	{
		{program.Frame{Luma: [3]int32{16829, 33039, 6416}, Cb: [3]int32{-9714, -19070, 28784}, Cr: [3]int32{28784, -24103, -4681}, LumaOffset: 16<<16 + 1<<15, ChromaOffset: 128<<16 + 1<<15}},
		{program.Frame{Luma: [3]int32{19595, 38470, 7471}, Cb: [3]int32{-11058, -21710, 32768}, Cr: [3]int32{32768, -27439, -5329}, LumaOffset: 1 << 15, ChromaOffset: 128<<16 + 1<<15 - 1}},
	},
	{
		{program.Frame{Luma: [3]int32{11966, 40254, 4064}, Cb: [3]int32{-6596, -22188, 28784}, Cr: [3]int32{28784, -26145, -2639}, LumaOffset: 16<<16 + 1<<15, ChromaOffset: 128<<16 + 1<<15}},
		{program.Frame{Luma: [3]int32{13933, 46871, 4732}, Cb: [3]int32{-7509, -25259, 32768}, Cr: [3]int32{32768, -29763, -3005}, LumaOffset: 1 << 15, ChromaOffset: 128<<16 + 1<<15 - 1}},
	},
	{
		{program.Frame{Luma: [3]int32{14786, 38160, 3338}, Cb: [3]int32{-8038, -20746, 28784}, Cr: [3]int32{28784, -26469, -2315}, LumaOffset: 16<<16 + 1<<15, ChromaOffset: 128<<16 + 1<<15}},
		{program.Frame{Luma: [3]int32{17216, 44434, 3886}, Cb: [3]int32{-9151, -23617, 32768}, Cr: [3]int32{32768, -30133, -2635}, LumaOffset: 1 << 15, ChromaOffset: 128<<16 + 1<<15 - 1}},
	},
}

// Frame makes luma and chroma of a picture, whose pixels lie in memory or are made. It is an
// engine's Source whose rows are rows of cells. It stores them where its samples lie. Samples lie
// as those of a Luma do. Several goroutines may make rows at once.
type Frame struct {
	Kernel           plan.Kernel
	Coding           *Coding
	Y, Cb, Cr        []uint8
	YStride, CStride int
	YStep, CStep     int // positive
	CellX, CellY     int // columns and rows of pixels that share a sample of chroma: 1 x 1, 2 x 1 or 2 x 2
	PhaseX, PhaseY   int // columns and rows of the first pixel's cell before it
	Width, Height    int

	// Colours makes the pixels if it has a Maker. Else they lie in its Pix, as Packed says. The
	// first pixel is that of its Window, of which nothing else counts.
	Colours *Colours
}

// Make stores the samples of some rows of cells. dst is not used.
func (f *Frame) Make(_ unsafe.Pointer, begin, count int64) {
	row := max(0, int(begin)*f.CellY-f.PhaseY)
	end := min(f.Height, int(begin+count)*f.CellY-f.PhaseY)
	made, window := f.Colours.Maker != NoMaker, &f.Colours.Window
	limit := max(1, callPixels/(f.Width*f.CellY)) // rows of cells
	if made {
		limit = 1
	}
	for n := 0; row < end; row += n {
		n = min(limit*f.CellY-(f.PhaseY+row)%f.CellY, end-row)
		if !made {
			size, stride := f.Colours.Format.Size, f.Colours.Stride
			f.store(row, n, 0, f.Width, f.Colours.Pix[(window.Top+row)*stride+window.Left*size:], stride, f.Colours.Format)
			continue
		}
		var room [2 * 4 * chunk]uint8
		for column, columns := 0, 0; column < f.Width; column += columns {
			columns = min(chunk-(f.PhaseX+column)%f.CellX, f.Width-column)
			f.Colours.store(room[:], Layout{Pixel: 4, Stride: 4 * chunk}, Window{Left: window.Left + column, Width: columns, Top: window.Top + row, Step: 1, Count: n})
			f.store(row, n, column, columns, room[:], 4*chunk, PixelFormat{Size: 4, Green: 1, Blue: 2})
		}
	}
}

// store stores the samples of n rows, which begin at pix.
func (f *Frame) store(row, n, column, columns int, pix []uint8, stride int, format PixelFormat) {
	c := f.Coding.factors
	x, y := f.PhaseX+column, f.PhaseY+row
	c.CellX, c.CellY, c.Skip, c.Phase = int32(f.CellX), int32(f.CellY), int32(x%f.CellX), int32(y%f.CellY)
	c.Pixel, c.Red, c.Green, c.Blue = int32(format.Size), int32(format.Red), int32(format.Green), int32(format.Blue)
	c.Width, c.Rows, c.Stride = int64(columns), int64(n), int64(stride)
	c.LumaStep, c.ChromaStep, c.LumaStride, c.ChromaStride = int64(f.YStep), int64(f.CStep), int64(f.YStride), int64(f.CStride)
	chroma := y/f.CellY*f.CStride + x/f.CellX*f.CStep
	yield.BeforeCall(c.Rows * c.Width * perPixel)
	exec.Frame(f.Kernel, &c, f.Y[row*f.YStride+column*f.YStep:], f.Cb[chroma:], f.Cr[chroma:], pix)
}
