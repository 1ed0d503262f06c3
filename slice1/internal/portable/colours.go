package portable

import (
	"encoding/binary"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Colours stores R, G and B of the rows that c names from dst on. y, cb and cr begin with the
// samples of the first pixel's column in the first rows of their planes. By a rule other than
// Formula, cb and cr begin with their planes.
func Colours(c *program.Colours, dst, y, cb, cr []uint8) {
	for k := range c.Rows {
		row := c.First + k*c.Step
		chroma := (c.Phase + row) / int64(c.CellY) * c.ChromaStride
		if dst, y := dst[k*c.Stride:], y[row*c.LumaStride:]; c.Rule != program.Formula {
			decoded(c, dst, y, cb, cr, c.Phase+row)
		} else {
			colours(c, dst, y, cb[chroma:], cr[chroma:])
		}
	}
}

// colours stores a row.
func colours(c *program.Colours, dst, y, cb, cr []uint8) {
	width, cell, pixel := int(c.Width), int(c.CellX), int(c.Pixel)
	green, blue := int(c.Plane), 2*int(c.Plane)
	if pixel == 4 {
		green, blue = 1, 2
	}
	red0, green0, blue0 := dst, dst[green:], dst[blue:]
	lumaStep, chromaStep, scale := int(c.LumaStep), int(c.ChromaStep), 1<<16+c.Luma
	for x, end, sample := 0, cell-int(c.Skip), 0; x < width; end, sample = end+cell, sample+chromaStep {
		u, v := int32(cb[sample])-128, int32(cr[sample])-128
		r, g, b := c.Offset+c.RedCr*v, c.Offset+c.GreenCb*u+c.GreenCr*v, c.Offset+c.BlueCb*u
		for end = min(end, width); x < end; x++ {
			luma, target := int32(y[x*lumaStep])*scale, x*pixel
			red0[target], green0[target], blue0[target] = program.Channel(luma+r), program.Channel(luma+g), program.Channel(luma+b)
			if pixel == 4 {
				dst[target+3] = 255
			}
		}
	}
}

// Chunk is how many pixels have their chroma made at a time. It is a multiple of each width of a
// cell.
const Chunk = 512

// Chroma are samples of Cb and of Cr, one for each pixel.
type Chroma [2][Chunk]uint8

// Set makes the chroma of n pixels of a row from column x on, by a rule other than Formula, behind
// that of the columns of the first one's cell before it. It returns how many these are. Row 0 is
// the first one of the first cell.
func (s *Chroma) Set(c *program.Colours, cb, cr []uint8, row int64, x, n int) (skipped int) {
	nearRow, farRow, start, cells, round, skipped := Cells(c, row, x, n)
	Smooth(c, s[0][:], cb[nearRow:], cb[farRow:], start, cells, round)
	Smooth(c, s[1][:], cr[nearRow:], cr[farRow:], start, cells, round)
	return skipped
}

// Cells returns where the rows of chroma begin that Set takes, the first of the cells that the
// pixels lie in, how many these are, what is added to the sums of the columns of a cell, and what
// Set returns.
func Cells(c *program.Colours, row int64, x, n int) (nearRow, farRow int64, start, cells int, round [2]int32, skipped int) {
	nearRow, farRow, round = rowsOf(c, row)
	cell := int(c.CellX)
	start = int(c.Skip) + x
	skipped = start % cell
	return nearRow * c.ChromaStride, farRow * c.ChromaStride, int(c.Column) + start/cell, (skipped + n + cell - 1) / cell, round, skipped
}

// decoded stores a row by a rule other than Formula. Row 0 is the first one of the first cell.
func decoded(c *program.Colours, dst, y, cb, cr []uint8, row int64) {
	var s Chroma
	pixel, step := int(c.Pixel), int(c.LumaStep)
	green, blue := int(c.Plane), 2*int(c.Plane)
	if pixel == 4 {
		green, blue = 1, 2
	}
	for x, n := 0, 0; x < int(c.Width); x += n {
		n = min(Chunk-(int(c.Skip)+x)%int(c.CellX), int(c.Width)-x)
		skipped := s.Set(c, cb, cr, row, x, n)
		u, v := s[0][skipped:][:n], s[1][skipped:][:n]
		if c.Rule == program.LibJPEG && step == 1 {
			libJPEG(dst[pixel*x:], int(c.Plane), pixel, y[x:], u, v)
			continue
		}
		for i := range n {
			r, g, b := c.RGB(y[(x+i)*step], u[i], v[i])
			target := (x + i) * pixel
			dst[target], dst[green+target], dst[blue+target] = r, g, b
			if pixel == 4 {
				dst[target+3] = 255
			}
		}
	}
}

// libJPEG stores pixels by rule LibJPEG. Luma is whole, so to round a product and add luma is to
// add luma and round.
func libJPEG(dst []uint8, plane, pixel int, y, u, v []uint8) {
	limited := func(sum int32) uint32 { return uint32(min(max(sum>>16, 0), 255)) }
	y, v = y[:len(u)], v[:len(u)]
	for i := range u {
		l, cb, cr := int32(y[i])<<16+1<<15, int32(u[i])-128, int32(v[i])-128
		r, g, b := limited(l+91881*cr), limited(l-22554*cb-46802*cr), limited(l+116130*cb)
		if pixel == 4 {
			binary.LittleEndian.PutUint32(dst[4*i:], r|g<<8|b<<16|255<<24)
		} else {
			dst[i], dst[plane+i], dst[2*plane+i] = uint8(r), uint8(g), uint8(b)
		}
	}
}

// rowsOf returns the rows of chroma that a row of pixels takes, and what it adds to the sums of the
// first and of the second column of a cell. Row 0 is the first one of the first cell.
func rowsOf(c *program.Colours, row int64) (nearRow, farRow int64, round [2]int32) {
	nearRow, round = row/int64(c.CellY), c.Round
	inCell := row % int64(c.CellY)
	if farRow = nearRow; c.SmoothY != 0 {
		farRow = min(max(nearRow-1+2*inCell, 0), c.CellRows-1)
	}
	if c.SmoothX == 0 {
		round[0], round[1] = round[inCell], round[inCell]
	}
	return nearRow, farRow, round
}

// Smooth makes the chroma of the pixels of some cells, from number `start` of the rows of samples
// on. Each cell has all its pixels.
func Smooth(c *program.Colours, dst []uint8, nearRow, farRow []uint8, start, cells int, round [2]int32) {
	sum := func(i int) int32 {
		i = min(max(i, 0), int(c.Columns)-1) * int(c.ChromaStep)
		return 3*int32(nearRow[i]) + int32(farRow[i])
	}
	if c.SmoothX == 0 {
		cell := int(c.CellX)
		for i := range cells {
			s := uint8((4*sum(start+i) + round[0]) >> 4)
			for j := range cell {
				dst[i*cell+j] = s
			}
		}
		return
	}
	left, s := sum(start-1), sum(start)
	for i := range cells {
		var right int32
		if k := start + i + 1; c.ChromaStep == 1 && k < int(c.Columns) && k < len(nearRow) && k < len(farRow) {
			right = 3*int32(nearRow[k]) + int32(farRow[k])
		} else {
			right = sum(k)
		}
		dst[2*i], dst[2*i+1] = uint8((3*s+left+round[0])>>4), uint8((3*s+right+round[1])>>4)
		left, s = s, right
	}
}
