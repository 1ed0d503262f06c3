package imageslice

import (
	"sync"

	"github.com/seed2e45c115/dml/slice1/internal/convert"
	"github.com/seed2e45c115/dml/slice1/internal/engine"
	"github.com/seed2e45c115/dml/slice1/internal/native"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/yield"
)

// formulas has the coefficients by matrix, for limited and for full range. They are real numbers
// times 65536, rounded, and Offset includes half of 65536, so that the result is rounded. Kr and Kb
// are the shares of red and of blue in luma, and Kg = 1 - Kr - Kb. In limited range l = 255/219 and
// s = 255/224:
//
//	R = l*(Y-16)                           + s*2*(1-Kr)*(Cr-128)
//	G = l*(Y-16) - s*2*(1-Kb)*Kb/Kg*(Cb-128) - s*2*(1-Kr)*Kr/Kg*(Cr-128)
//	B = l*(Y-16) + s*2*(1-Kb)*(Cb-128)
//
// In full range s = 1, and Y replaces l*(Y-16). Kr and Kb are .299 and .114 in BT.601, .2126 and
// .0722 in BT.709, .2627 and .0593 in BT.2020. BT.601 in full range is the formula of package
// image/color. It does not round the result, and a step of luma counts 257 units more.
var formulas = [...][2]program.Colours{
	BT601: {
		{Luma: 10773, Offset: -1188177, RedCr: 104597, GreenCb: -25675, GreenCr: -53279, BlueCb: 132201},
		{Luma: 257, RedCr: 91881, GreenCb: -22554, GreenCr: -46802, BlueCb: 116130},
	},
	BT709: {
		{Luma: 10773, Offset: -1188177, RedCr: 117489, GreenCb: -13975, GreenCr: -34925, BlueCb: 138438},
		{Offset: 32768, RedCr: 103206, GreenCb: -12276, GreenCr: -30679, BlueCb: 121609},
	},
	BT2020: {
		{Luma: 10773, Offset: -1188177, RedCr: 110014, GreenCb: -12277, GreenCr: -42626, BlueCb: 140363},
		{Offset: 32768, RedCr: 96639, GreenCb: -10784, GreenCr: -37444, BlueCb: 123299},
	},
}

// formula returns the coefficients of f.
func (f *Frame) formula() *program.Colours {
	if f.FullRange {
		return &formulas[f.Matrix][1]
	}
	return &formulas[f.Matrix][0]
}

// channel returns the byte of a sum in 65536ths.
func channel(sum int32) uint8 {
	if uint32(sum) < 1<<24 {
		return uint8(sum >> 16)
	}
	return uint8(^(sum >> 31)) // 0 below 0, else 255
}

// rgb returns a pixel's R, G and B by a formula.
func rgb(f *program.Colours, y, cb, cr uint8) (r, g, b uint8) {
	luma, blue, red := int32(y)*(1<<16+f.Luma)+f.Offset, int32(cb)-128, int32(cr)-128
	return channel(luma + f.RedCr*red), channel(luma + f.GreenCb*blue + f.GreenCr*red), channel(luma + f.BlueCb*blue)
}

// preferred returns the kernel that makes R, G and B: the strongest kernel of plans that name none.
// It is a variable for tests.
var preferred = sync.OnceValue(func() plan.Kernel {
	kernels, err := engine.Usual()
	if err != nil { // plans fail, too
		return plan.Go
	}
	return convert.Strongest(kernels)
})

// colours makes R, G and B from a picture's luma and chroma.
type colours struct {
	y, cb, cr  []uint8
	left, cell int // the picture's first column, and the columns that share a sample of chroma
	rows       program.Colours
}

// coloursOf returns the colours of a frame. open must have checked the memory of its samples.
func coloursOf(f *Frame) *colours { return new(colours).set(f) }

// set sets c to the result of coloursOf.
func (c *colours) set(f *Frame) *colours {
	cell := cells[f.Ratio]
	*c = colours{y: f.Y, cb: f.Cb, cr: f.Cr, left: f.Rect.Min.X, cell: cell.X, rows: *f.formula()}
	c.rows.CellX, c.rows.CellY = int32(cell.X), int32(cell.Y)
	if cell.Y > 1 {
		c.rows.Phase = int64(f.Rect.Min.Y % cell.Y)
	}
	c.rows.LumaStep, c.rows.ChromaStep = int64(max(1, f.YStep)), int64(max(1, f.CStep))
	c.rows.LumaStride, c.rows.ChromaStride = int64(f.YStride), int64(f.CStride)
	return c
}

// callPixels is about how many pixels one call into C makes. perPixel is how many picoseconds it
// takes for each.
const callPixels, perPixel = 1 << 16, 300

// store stores R, G and B of n rows, for the columns from x0 up to, not including, x1 in the
// picture's coordinates. The first row is `top` rows below the picture's first row, and each
// further row is `step` rows below the one before. Row k begins at dst[k*stride]. If pixel is 4, a
// pixel is four bytes, R, G, B and 255. If it is 1, R, G and B are rows of their own, `plane` bytes
// apart. store allocates nothing and writes no other byte.
func (c *colours) store(dst []uint8, x0, x1, top, step, n int, pixel, stride, plane int) {
	width := x1 - x0
	if width <= 0 || n <= 0 {
		return
	}
	last := 2 * plane
	if pixel == 4 {
		last = 3
	}
	_ = dst[(n-1)*stride+(width-1)*pixel+last]
	rows := c.rows
	luma := (x0 - c.left) * int(rows.LumaStep)
	chroma := x0 - c.left
	if c.cell > 1 { // no coordinate is negative then
		chroma = x0/c.cell - c.left/c.cell
		rows.Skip = int32(x0 % c.cell)
	}
	chroma *= int(rows.ChromaStep)
	y, cb, cr := &c.y[luma], &c.cb[chroma], &c.cr[chroma]
	rows.Pixel, rows.Stride, rows.Plane = int32(pixel), int64(stride), int64(plane)
	rows.Width, rows.Step = int64(width), int64(step)
	kernel := preferred()
	inC := kernel >= 0 && program.InC(int32(kernel))
	for done, most := 0, max(1, callPixels/width); done < n; done += most {
		count := min(most, n-done)
		rows.First, rows.Rows = int64(top+done*step), int64(count)
		to := dst[done*stride:]
		if inC {
			yield.Before(int64(count) * int64(width) * perPixel)
			native.Colours(int32(kernel), &rows, &to[0], y, cb, cr)
			continue
		}
		for k := range count {
			row := top + (done+k)*step
			of := (int(rows.Phase) + row) / int(rows.CellY) * int(rows.ChromaStride)
			rowInGo(&rows, to[k*stride:], c.y[luma+row*int(rows.LumaStride):], c.cb[chroma+of:], c.cr[chroma+of:])
		}
	}
}

// rowInGo does the same with a row as the C kernels do.
func rowInGo(c *program.Colours, dst, y, cb, cr []uint8) {
	width, cell, pixel := int(c.Width), int(c.CellX), int(c.Pixel)
	green, blue := int(c.Plane), 2*int(c.Plane)
	if pixel == 4 {
		green, blue = 1, 2
	}
	red0, green0, blue0 := dst, dst[green:], dst[blue:]
	lumaStep, chromaStep, scale := int(c.LumaStep), int(c.ChromaStep), 1<<16+c.Luma
	for x, end, of := 0, cell-int(c.Skip), 0; x < width; end, of = end+cell, of+chromaStep {
		u, v := int32(cb[of])-128, int32(cr[of])-128
		r, g, b := c.Offset+c.RedCr*v, c.Offset+c.GreenCb*u+c.GreenCr*v, c.Offset+c.BlueCb*u
		for end = min(end, width); x < end; x++ {
			luma, to := int32(y[x*lumaStep])*scale, x*pixel
			red0[to], green0[to], blue0[to] = channel(luma+r), channel(luma+g), channel(luma+b)
			if pixel == 4 {
				dst[to+3] = 255
			}
		}
	}
}
