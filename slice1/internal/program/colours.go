package program

// Colours says which rows of luma and of chroma become R, G and B, and by which rule and
// coefficients. Colours holds no pointers.
type Colours struct {
	Luma, Offset, RedCr, GreenCb, GreenCr, BlueCb int32 // of the rules Formula and Swscale, which say what they are

	CellX, CellY int32 // pixels that share a sample of chroma: 1, 2 or 4, and 1 or 2
	Skip         int32 // columns of the first pixel's cell before it
	Pixel        int32 // bytes of a pixel of the result: 1 for planes of R, G and B, 3 for R, G and B, or for B, G and R if Plane is negative, 4 for R, G, B and 255; only C makes 3

	// What a rule other than Formula makes of chroma. Let s be a sample. With SmoothX, which is for
	// cells of two columns, the sum of the first column of a cell is 3*s plus the sample to the
	// left, and that of the second column is 3*s plus the one to the right. Otherwise each column
	// has the sum 4*s. A pixel's chroma is (3*a + b + Round) >> 4. Here a is its sum in the row of
	// its cell. With SmoothY, b is the one in the row of the cell above or below, whichever is
	// nearer, else b is a. Round is Round[0] or Round[1]: with SmoothX by column, else by row of
	// the cell. Samples outside of the planes count as the nearest ones inside.
	Rule             Rule
	SmoothX, SmoothY int32 // 0 or 1
	Round            [2]int32

	Width, Rows          int64 // of the result
	First, Step          int64 // the first row taken, counted from the planes' first one, and the rows from each to the next
	Phase                int64 // rows of the first row's cell above that row
	LumaStep, ChromaStep int64 // bytes from sample to sample, positive
	// Bytes from row to row, of luma, of chroma and of the result, and between the planes of the
	// result.
	LumaStride, ChromaStride, Stride, Plane int64
	// Of a rule other than Formula: the column of chroma of the first pixel, and how many samples
	// a row and a column of chroma have.
	Column, Columns, CellRows int64
}

// Rule is a rule by which luma and chroma become R, G and B. Each is limited to 0 to 255. u and v
// are the samples Cb and Cr less 128. All quotients are rounded down.
type Rule int32

const (
	// Formula is (65536*y + Luma*y + Offset + F*u + G*v) / 65536, where F and G are the
	// coefficients of a channel, in 65536ths. Luma is 0 to 32767, RedCr 65536 to 131071, GreenCb
	// -32768 to 0, GreenCr -65536 to -1, BlueCb 98304 to 163839, and no sum needs more than 32 bits.
	Formula Rule = iota
	// LibJPEG is libjpeg-turbo's: R = y + (91881*v + 32768)/65536, G = y + (-22554*u - 46802*v +
	// 32768)/65536, B = y + (116130*u + 32768)/65536.
	LibJPEG
	// LibWebP is libwebp's. Let l = 19077*y/256. R = (l + 26149*cr/256 - 14234)/64, G = (l -
	// 6419*cb/256 - 13320*cr/256 + 8708)/64, B = (l + 33050*cb/256 - 17685)/64.
	LibWebP
	// Swscale is FFmpeg's. R = l + RedCr*8*v/65536, G = l + GreenCb*8*u/65536 + GreenCr*8*v/65536,
	// B = l + BlueCb*8*u/65536. l is Luma*(8*y - 128)/65536, or y if Luma is 0.
	Swscale
	// OpenCV is cvtColor's. Let l = 1220542*max(0, y-16) + 524288. R = (l + 1673527*v) / 1048576, G
	// = (l - 409993*u - 852492*v) / 1048576, B = (l + 2116026*u) / 1048576.
	OpenCV
)

// Channel returns the byte of a sum in 65536ths, limited to 0 to 255.
func Channel(sum int32) uint8 { return limited(sum, 16) }

// limited returns the byte of a sum of which `bits` bits are behind the point, limited to 0 to 255.
func limited(sum int32, bits int) uint8 {
	if uint32(sum) < 256<<bits {
		return uint8(sum >> bits)
	}
	return uint8(^(sum >> 31)) // 0 below 0, else 255
}

// RGB returns R, G and B of a pixel by c's rule.
func (c *Colours) RGB(y, cb, cr uint8) (r, g, b uint8) {
	l, u, v := int32(y), int32(cb)-128, int32(cr)-128
	switch c.Rule {
	case LibJPEG:
		return limited(l+(91881*v+32768)>>16, 0), limited(l+(-22554*u-46802*v+32768)>>16, 0), limited(l+(116130*u+32768)>>16, 0)
	case LibWebP:
		l, u, v = 19077*l>>8, int32(cb), int32(cr)
		return limited(l+26149*v>>8-14234, 6), limited(l-6419*u>>8-13320*v>>8+8708, 6), limited(l+33050*u>>8-17685, 6)
	case Swscale:
		if c.Luma != 0 {
			l = c.Luma * (8*l - 128) >> 16
		}
		return limited(l+c.RedCr*8*v>>16, 0), limited(l+c.GreenCb*8*u>>16+c.GreenCr*8*v>>16, 0), limited(l+c.BlueCb*8*u>>16, 0)
	case OpenCV:
		l = 1220542*max(0, l-16) + 1<<19
		return limited(l+1673527*v, 20), limited(l-409993*u-852492*v, 20), limited(l+2116026*u, 20)
	}
	l = l*(1<<16+c.Luma) + c.Offset
	return Channel(l + c.RedCr*v), Channel(l + c.GreenCb*u + c.GreenCr*v), Channel(l + c.BlueCb*u)
}
