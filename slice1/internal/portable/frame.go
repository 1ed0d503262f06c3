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
		last := min(row+count, f.Rows) - 1
		c := cellsOf{f, [2][]uint8{src[row*f.Stride:], src[last*f.Stride:]}, [2][]uint8{y[row*f.LumaStride:], y[last*f.LumaStride:]}, cb[cell:], cr[cell:], int(last-row) + 1}
		c.store()
		row = last + 1
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

// whole stores cells of 2 x 2 pixels of four bytes, from cell i and column x on. It returns how many
// it has stored: all but the last one of the row at most. A word has two pixels side by side. The
// sums of their samples have 16 bits each, since the samples of one colour lie 32 bits apart.
func (c *cellsOf) whole(x, i int) int {
	n := (int(c.Width)-x)/2 - 1
	if n <= 0 {
		return 0
	}
	red, green, blue := uint(8*c.Red), uint(8*c.Green), uint(8*c.Blue)
	step, chroma := int(c.LumaStep), int(c.ChromaStep)
	upper, lower := c.pixels[0][4*x:][:8*n], c.pixels[1][4*x:][:8*n]
	above, below := c.luma[0][x*step:][:(2*n-1)*step+1], c.luma[1][x*step:][:(2*n-1)*step+1]
	cb, cr := c.cb[i*chroma:][:(n-1)*chroma+1], c.cr[i*chroma:][:(n-1)*chroma+1]
	ry, gy, by, offset := c.Luma[0], c.Luma[1], c.Luma[2], c.LumaOffset
	luma := func(v uint64) uint8 {
		return uint8((ry*int32(v>>red&255) + gy*int32(v>>green&255) + by*int32(v>>blue&255) + offset) >> 16)
	}
	for k := range n {
		p, q := binary.LittleEndian.Uint64(upper[8*k:]), binary.LittleEndian.Uint64(lower[8*k:])
		above[2*k*step], above[(2*k+1)*step] = luma(p), luma(p>>32)
		below[2*k*step], below[(2*k+1)*step] = luma(q), luma(q>>32)
		even, odd := p&0x00ff00ff00ff00ff+q&0x00ff00ff00ff00ff, p>>8&0x00ff00ff00ff00ff+q>>8&0x00ff00ff00ff00ff
		even, odd = even+even>>32, odd+odd>>32
		sums := [...]uint64{even, odd, even >> 16, odd >> 16}
		cb[k*chroma], cr[k*chroma] = c.ChromaOf(int32(sums[c.Red&3]&0xffff), int32(sums[c.Green&3]&0xffff), int32(sums[c.Blue&3]&0xffff), 4)
	}
	return n
}
