package rows

import (
	"github.com/seed2e45c115/dml/slice1/internal/exec"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/yield"
)

// Luma is a picture of luma and chroma. With columns x and rows y counted from the first pixel,
// the luma of a pixel is Y[y*YStride + x*YStep]. Its chroma are Cb[i] and Cr[i] with i =
// (PhaseY+y)/CellY*CStride + (PhaseX+x)/CellX*CStep.
type Luma struct {
	Kernel           plan.Kernel
	Formula          *Formula
	Y, Cb, Cr        []uint8
	YStride, CStride int
	YStep, CStep     int // positive
	CellX, CellY     int // columns and rows of pixels that share a sample of chroma: 1, 2 or 4, and 1 or 2
	PhaseX, PhaseY   int // columns and rows of the first pixel's cell before it

	// The samples of a row of chroma and of a column. Formulas of libraries ask for them, since the
	// sample at an edge is its own neighbour.
	Columns, Rows int
}

// Window is rows of a picture: Count of them, Step apart, from row Top on. Of each, Width columns
// from column Left on are taken.
type Window struct{ Left, Width, Top, Step, Count int }

// Layout says where pixels are stored: row k of a Window begins at byte k*Stride. If Pixel is 4, a
// pixel is four bytes, R, G, B and 255. If it is 3, a pixel is R, G and B with a Plane of 1, or B,
// G and R with one of -1. If it is 1, R, G and B are rows of their own, Plane bytes apart.
type Layout struct{ Pixel, Stride, Plane int }

// callPixels is about how many pixels one call into C makes. perPixel is how many picoseconds it
// takes for each.
const callPixels, perPixel = 1 << 16, 300

// open returns what each pixel of p becomes R, G and B by, without the places of pixels.
//
// libjpeg-turbo and libwebp interpolate chroma. For example, in 4:2:0 the chroma of a pixel has 9
// sixteenths of the sample of its cell, 3 of the nearest sample beside that, 3 of the nearest one
// above or below, and 1 of the one across. libjpeg-turbo adds 8 sixteenths to the pixels of the
// first column of a cell, and 7 to those of the second one. It repeats the samples of planes that
// are one or two samples wide.
func (p *Luma) open() program.Colours {
	c := p.Formula.coefficients
	c.CellX, c.CellY = int32(p.CellX), int32(p.CellY)
	c.Columns, c.CellRows = int64(p.Columns), int64(p.Rows)
	c.Phase = int64(p.PhaseY)
	c.LumaStep, c.ChromaStep = int64(p.YStep), int64(p.CStep)
	c.LumaStride, c.ChromaStride = int64(p.YStride), int64(p.CStride)
	jpeg, wide := c.Rule == program.LibJPEG, p.CellX == 2 && p.Columns > 2
	switch {
	case c.Rule == program.LibWebP && p.CellX == 2 && p.CellY == 2: // it has no other cells
		c.SmoothX, c.SmoothY, c.Round = 1, 1, [2]int32{8, 8}
	case jpeg && p.CellX == 1 && p.CellY == 2:
		c.SmoothY, c.Round = 1, [2]int32{4, 8}
	case jpeg && p.CellY == 1 && wide:
		c.SmoothX, c.Round = 1, [2]int32{4, 8}
	case jpeg && wide:
		c.SmoothX, c.SmoothY, c.Round = 1, 1, [2]int32{8, 7}
	}
	return c
}

// PixelAt returns R, G and B of a pixel. ok is false if p has not all the samples that it takes.
func (p *Luma) PixelAt(x, y int) (r, g, b uint8, ok bool) {
	c := p.open()
	column, row := p.PhaseX+x, p.PhaseY+y
	oddX, oddY := column%p.CellX, row%p.CellY
	columns, rows, round := [2]int{column / p.CellX, column / p.CellX}, [2]int{row / p.CellY, row / p.CellY}, c.Round[oddY]
	if c.SmoothX != 0 {
		columns[1], round = min(max(columns[0]-1+2*oddX, 0), p.Columns-1), c.Round[oddX]
	}
	if c.SmoothY != 0 {
		rows[1] = min(max(rows[0]-1+2*oddY, 0), p.Rows-1)
	}
	var chroma [2]uint8
	for k, plane := range [...][]uint8{p.Cb, p.Cr} {
		sum := round
		for i, weight := range [...]int32{9, 3, 3, 1} {
			offset := rows[i/2]*p.CStride + columns[i%2]*p.CStep
			if uint(offset) >= uint(len(plane)) {
				return 0, 0, 0, false
			}
			sum += weight * int32(plane[offset])
		}
		chroma[k] = uint8(sum >> 4)
	}
	luma := y*p.YStride + x*p.YStep
	if uint(luma) >= uint(len(p.Y)) {
		return 0, 0, 0, false
	}
	r, g, b = c.RGB(p.Y[luma], chroma[0], chroma[1])
	return r, g, b, true
}

// Store stores R, G and B of rows by p.Kernel. It allocates nothing and writes no other byte. It
// panics if dst is too short. The caller guarantees that Y, Cb and Cr have the samples of the rows.
func (p *Luma) Store(dst []uint8, layout Layout, rows Window) {
	if rows.Width <= 0 || rows.Count <= 0 {
		return
	}
	lastByte := layout.Pixel - 1
	if lastByte == 0 {
		lastByte = 2 * layout.Plane
	}
	_ = dst[(rows.Count-1)*layout.Stride+(rows.Width-1)*layout.Pixel+lastByte]
	if layout.Pixel == 3 && !p.Kernel.CallsC() {
		p.storeByFour(dst, layout, rows)
		return
	}
	c := p.open()
	c.Skip = int32((p.PhaseX + rows.Left) % p.CellX)
	c.Pixel, c.Stride, c.Plane = int32(layout.Pixel), int64(layout.Stride), int64(layout.Plane)
	c.Width, c.Step = int64(rows.Width), int64(rows.Step)
	luma, chroma := rows.Left*p.YStep, (p.PhaseX+rows.Left)/p.CellX*p.CStep
	if c.Rule != program.Formula {
		c.Column, chroma = int64((p.PhaseX+rows.Left)/p.CellX), 0
	}
	for done, batch := 0, max(1, callPixels/rows.Width); done < rows.Count; done += batch {
		count := min(batch, rows.Count-done)
		c.First, c.Rows = int64(rows.Top+done*rows.Step), int64(count)
		yield.BeforeCall(c.Rows * c.Width * perPixel)
		exec.Colours(p.Kernel, &c, dst[done*layout.Stride:], p.Y[luma:], p.Cb[chroma:], p.Cr[chroma:])
	}
}

// storeByFour is Store for pixels of three bytes, which it makes of pixels of four.
func (p *Luma) storeByFour(dst []uint8, layout Layout, rows Window) {
	var room [4 * chunk]uint8
	for k := range rows.Count {
		for x, n := 0, 0; x < rows.Width; x += n {
			n = min(chunk, rows.Width-x)
			p.Store(room[:4*n], Layout{Pixel: 4}, Window{Left: rows.Left + x, Width: n, Top: rows.Top + k*rows.Step, Step: 1, Count: 1})
			packPixels(dst[k*layout.Stride+3*x:], room[:4*n], layout)
		}
	}
}

// packPixels stores the colours of pixels of four bytes in a row of pixels of three.
func packPixels(dst, pixels []uint8, layout Layout) {
	red, blue := layout.ends()
	for i := 0; len(pixels) >= 4; i, pixels = i+3, pixels[4:] {
		made := dst[i:][:3]
		made[red], made[1], made[blue] = pixels[0], pixels[1], pixels[2]
	}
}

// ends returns which bytes of a pixel of three are red and blue.
func (l *Layout) ends() (red, blue int) { return 1 - l.Plane, 1 + l.Plane }
