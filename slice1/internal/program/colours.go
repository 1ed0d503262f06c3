package program

// Colours says which rows of luma and of chroma become R, G and B, and by which coefficients. A
// channel of a pixel is (65536*y + Luma*y + Offset + F*(cb-128) + G*(cr-128)) >> 16, limited to 0
// to 255, where F and G are the coefficients of that channel. Colours holds no pointers.
type Colours struct {
	Luma, Offset, RedCr, GreenCb, GreenCr, BlueCb int32 // 65536ths; Luma is 0 to 32767, and no sum needs more than 32 bits

	CellX, CellY int32 // pixels that share a sample of chroma: 1, 2 or 4, and 1 or 2
	Skip         int32 // columns of the first pixel's cell before it
	Pixel        int32 // bytes of a pixel of the result: 1 for planes of R, G and B, 4 for R, G, B and 255

	Width, Rows          int64 // of the result
	First, Step          int64 // the first row taken, counted from the planes' first one, and the rows from each to the next
	Phase                int64 // rows of the first row's cell before it
	LumaStep, ChromaStep int64 // bytes from sample to sample, positive
	// Bytes from row to row, of luma, of chroma and of the result, and between the planes of the
	// result.
	LumaStride, ChromaStride, Stride, Plane int64
}

// Channel returns the byte of a sum in 65536ths, limited to 0 to 255.
func Channel(sum int32) uint8 {
	if uint32(sum) < 1<<24 {
		return uint8(sum >> 16)
	}
	return uint8(^(sum >> 31)) // 0 below 0, else 255
}
