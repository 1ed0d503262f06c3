package portable

import (
	"encoding/binary"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Frame stores luma and chroma of the rows of pixels that f names. src begins with the first pixel,
// and y, cb and cr with the first samples that are stored.
func Frame(f *program.Frame, y, cb, cr, src []uint8) {
	for row := int64(0); row < f.Rows; {
		count, cell := int64(f.CellY), (int64(f.Phase)+row)/int64(f.CellY)*f.ChromaStride
		if row == 0 {
			count -= int64(f.Phase)
		}
		bottom := min(row+count, f.Rows) - 1
		c := cellsOf{f, [2][]uint8{src[row*f.Stride:], src[bottom*f.Stride:]}, [2][]uint8{y[row*f.LumaStride:], y[bottom*f.LumaStride:]}, cb[cell:], cr[cell:], int(bottom-row) + 1}
		c.store()
		row = bottom + 1
	}
}

// cellsOf is a row of cells, which has one or two rows of pixels.
type cellsOf struct {
	*program.Frame
	pixels, luma [2][]uint8
	cb, cr       []uint8
	rows         int
}

func (c *cellsOf) store() {
	width, cell, i := int(c.Width), int(c.CellX), 0
	for x, end := 0, cell-int(c.Skip); x < width; end, i = end+cell, i+1 {
		if c.Pixel == 4 && cell == 2 && c.rows == 2 && end-x == 2 && end < width {
			n := c.whole(x, i)
			x, end, i = x+2*n, end+2*n, i+n
		}
		var r, g, b, n int32
		for end = min(end, width); x < end; x++ {
			for k := range c.rows {
				pixel := c.pixels[k][x*int(c.Pixel):][:c.Pixel]
				red, green, blue := int32(pixel[c.Red]), int32(pixel[c.Green]), int32(pixel[c.Blue])
				c.luma[k][x*int(c.LumaStep)] = c.LumaOf(red, green, blue)
				r, g, b, n = r+red, g+green, b+blue, n+1
			}
		}
		c.cb[i*int(c.ChromaStep)], c.cr[i*int(c.ChromaStep)] = c.ChromaOf(r, g, b, n)
	}
}

// whole stores cells of 2 x 2 pixels of four bytes, from cell i and column x on. It returns how
// many it has stored: all but the last one of the row at most. A word has two pixels side by side.
// The sums of their samples have 16 bits each, since the samples of one colour lie 32 bits apart.
func (c *cellsOf) whole(x, i int) int {
	n := (int(c.Width)-x)/2 - 1
	if n <= 0 {
		return 0
	}
	red, green, blue := uint(8*c.Red)&31, uint(8*c.Green)&31, uint(8*c.Blue)&31
	step, chroma := int(c.LumaStep), int(c.ChromaStep)
	upper, lower := c.pixels[0][4*x:][:8*n], c.pixels[1][4*x:][:8*n]
	upperLuma, lowerLuma := c.luma[0][x*step:][:(2*n-1)*step+1], c.luma[1][x*step:][:(2*n-1)*step+1]
	cb, cr := c.cb[i*chroma:][:(n-1)*chroma+1], c.cr[i*chroma:][:(n-1)*chroma+1]
	place := func(channel uint) uint { return channel/16*16 + channel%16*4 } // the bit of sums at which the channel's sum begins
	ofRed, ofGreen, ofBlue := place(red)&63, place(green)&63, place(blue)&63
	const low = 0x00ff00ff00ff00ff
	y, u, v, offset, middle := c.Luma, c.Cb, c.Cr, c.LumaOffset, 4*c.ChromaOffset
	for column, cell := 0, 0; len(upper) >= 8 && len(lower) >= 8; column, cell = column+2*step, cell+chroma {
		p, q := binary.LittleEndian.Uint64(upper), binary.LittleEndian.Uint64(lower)
		upper, lower = upper[8:], lower[8:]
		p0, p1, q0, q1 := uint32(p), uint32(p>>32), uint32(q), uint32(q>>32)
		upperLuma[column] = uint8((y[0]*int32(p0>>red&255) + y[1]*int32(p0>>green&255) + y[2]*int32(p0>>blue&255) + offset) >> 16)
		upperLuma[column+step] = uint8((y[0]*int32(p1>>red&255) + y[1]*int32(p1>>green&255) + y[2]*int32(p1>>blue&255) + offset) >> 16)
		lowerLuma[column] = uint8((y[0]*int32(q0>>red&255) + y[1]*int32(q0>>green&255) + y[2]*int32(q0>>blue&255) + offset) >> 16)
		lowerLuma[column+step] = uint8((y[0]*int32(q1>>red&255) + y[1]*int32(q1>>green&255) + y[2]*int32(q1>>blue&255) + offset) >> 16)
		even, odd := p&low+q&low, p>>8&low+q>>8&low
		sums := (even+even>>32)&0xffff_ffff | (odd+odd>>32)<<32 // those of bytes 0, 2, 1 and 3
		r, g, b := int32(sums>>ofRed&0xffff), int32(sums>>ofGreen&0xffff), int32(sums>>ofBlue&0xffff)
		cb[cell] = uint8((u[0]*r + u[1]*g + u[2]*b + middle) >> 18)
		cr[cell] = uint8((v[0]*r + v[1]*g + v[2]*b + middle) >> 18)
	}
	return n
}
