package program

import "math/bits"

// Frame says which rows of pixels become luma and chroma of a frame, and by which factors. Frame
// holds no pointers.
//
// Factors of Luma are at least 0, and that of G is 16384 to 49151. Factors of chroma are -32767 to
// 32768. No sample leaves 0 to 255, and no sum needs more than 31 bits.
type Frame struct {
	Luma, Cb, Cr             [3]int32 // factors of R, G and B, in 65536ths
	LumaOffset, ChromaOffset int32

	CellX, CellY            int32 // pixels that share a sample of chroma: 1 x 1, 2 x 1 or 2 x 2
	Skip, Phase             int32 // columns of the first pixel's cell before it, and rows
	Pixel, Red, Green, Blue int32 // bytes of a pixel, 1, 3 or 4, and which of them have its colours

	Width, Rows              int64 // of pixels
	LumaStep, ChromaStep     int64 // bytes from sample to sample, positive
	LumaStride, ChromaStride int64 // bytes from row to row
	Stride                   int64 // bytes from row to row of pixels
}

// LumaOf returns the luma of a pixel.
func (f *Frame) LumaOf(r, g, b int32) uint8 {
	return uint8((f.Luma[0]*r + f.Luma[1]*g + f.Luma[2]*b + f.LumaOffset) >> 16)
}

// ChromaOf returns Cb and Cr of a cell of n pixels, 1, 2 or 4, whose samples have the sums r, g and
// b. The only rounding is that of the sum.
func (f *Frame) ChromaOf(r, g, b, n int32) (cb, cr uint8) {
	shift, offset := 16+bits.TrailingZeros32(uint32(n)), n*f.ChromaOffset
	return uint8((f.Cb[0]*r + f.Cb[1]*g + f.Cb[2]*b + offset) >> shift), uint8((f.Cr[0]*r + f.Cr[1]*g + f.Cr[2]*b + offset) >> shift)
}
