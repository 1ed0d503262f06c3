package portable

import "github.com/seed2e45c115/dml/slice1/internal/program"

// Colours stores R, G and B of the rows that c names from dst on. y, cb and cr begin with the
// samples of the first pixel's column in the first rows of their planes.
func Colours(c *program.Colours, dst, y, cb, cr []uint8) {
	for k := range c.Rows {
		row := c.First + k*c.Step
		chroma := (c.Phase + row) / int64(c.CellY) * c.ChromaStride
		colours(c, dst[k*c.Stride:], y[row*c.LumaStride:], cb[chroma:], cr[chroma:])
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
	for x, end, of := 0, cell-int(c.Skip), 0; x < width; end, of = end+cell, of+chromaStep {
		u, v := int32(cb[of])-128, int32(cr[of])-128
		r, g, b := c.Offset+c.RedCr*v, c.Offset+c.GreenCb*u+c.GreenCr*v, c.Offset+c.BlueCb*u
		for end = min(end, width); x < end; x++ {
			luma, to := int32(y[x*lumaStep])*scale, x*pixel
			red0[to], green0[to], blue0[to] = program.Channel(luma+r), program.Channel(luma+g), program.Channel(luma+b)
			if pixel == 4 {
				dst[to+3] = 255
			}
		}
	}
}
