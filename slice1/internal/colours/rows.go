package colours

import (
	"github.com/seed2e45c115/dml/slice1/internal/exec"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/yield"
)

// Picture is a picture of luma and chroma. With columns x and rows y counted from the first pixel,
// the luma of a pixel is Y[y*YStride + x*YStep]. Its chroma are Cb[i] and Cr[i] with i =
// (PhaseY+y)/CellY*CStride + (PhaseX+x)/CellX*CStep.
type Picture struct {
	Kernel           plan.Kernel
	Formula          *Formula
	Y, Cb, Cr        []uint8
	YStride, CStride int
	YStep, CStep     int // positive
	CellX, CellY     int // columns and rows of pixels that share a sample of chroma: 1, 2 or 4, and 1 or 2
	PhaseX, PhaseY   int // columns and rows of the first pixel's cell before it
}

// Rows are rows of a picture: Count of them, Step apart, from row First on. Of each, Width columns
// from column Left on are taken.
type Rows struct{ Left, Width, First, Step, Count int }

// Layout says where pixels are stored: row k of Rows begins at byte k*Stride. If Pixel is 4, a
// pixel is four bytes, R, G, B and 255. If it is 1, R, G and B are rows of their own, Plane bytes
// apart.
type Layout struct{ Pixel, Stride, Plane int }

// callPixels is about how many pixels one call into C makes. perPixel is how many picoseconds it
// takes for each.
const callPixels, perPixel = 1 << 16, 300

// Store stores R, G and B of rows by p.Kernel. It allocates nothing and writes no other byte. It
// panics if dst is too short. The caller guarantees that Y, Cb and Cr have the samples of the rows.
func (p *Picture) Store(dst []uint8, to Layout, rows Rows) {
	if rows.Width <= 0 || rows.Count <= 0 {
		return
	}
	last := 2 * to.Plane
	if to.Pixel == 4 {
		last = 3
	}
	_ = dst[(rows.Count-1)*to.Stride+(rows.Width-1)*to.Pixel+last]
	c := p.Formula.coefficients
	c.CellX, c.CellY, c.Skip, c.Phase = int32(p.CellX), int32(p.CellY), int32((p.PhaseX+rows.Left)%p.CellX), int64(p.PhaseY)
	c.Pixel, c.Stride, c.Plane = int32(to.Pixel), int64(to.Stride), int64(to.Plane)
	c.Width, c.Step = int64(rows.Width), int64(rows.Step)
	c.LumaStep, c.ChromaStep = int64(p.YStep), int64(p.CStep)
	c.LumaStride, c.ChromaStride = int64(p.YStride), int64(p.CStride)
	luma, chroma := rows.Left*p.YStep, (p.PhaseX+rows.Left)/p.CellX*p.CStep
	for done, most := 0, max(1, callPixels/rows.Width); done < rows.Count; done += most {
		count := min(most, rows.Count-done)
		c.First, c.Rows = int64(rows.First+done*rows.Step), int64(count)
		yield.BeforeCall(c.Rows * c.Width * perPixel)
		exec.Colours(p.Kernel, &c, dst[done*to.Stride:], p.Y[luma:], p.Cb[chroma:], p.Cr[chroma:])
	}
}
