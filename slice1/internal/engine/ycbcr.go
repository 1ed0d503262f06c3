package engine

import (
	"image/color"
	"sync"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/convert"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// preferred returns the kernel that YCbCr uses: the strongest that plans use that name none. It is a
// variable for tests.
var preferred = sync.OnceValue(func() plan.Kernel {
	kernels, err := Usual()
	if err != nil { // then there are no plans
		return plan.Go
	}
	return convert.Strongest(kernels)
})

// YCbCr makes R, G and B of n = len(y) pixels, n bytes of each, side by side in rgb, exactly as
// color.YCbCrToRGB does. Pixel i has the chroma of cell (skip+i)/cell, where a cell has 1, 2 or 4 pixels.
func YCbCr(rgb, y, cb, cr []uint8, cell, skip int) {
	n := len(y)
	if n == 0 {
		return
	}
	last := (skip + n - 1) / cell
	rgb, cb, cr = rgb[:3*n], cb[:last+1], cr[:last+1]
	if k := preferred(); k >= 0 && csrc.Built(int32(k)) {
		csrc.YCbCr(int32(k), &rgb[0], &y[0], &cb[0], &cr[0], n, cell, skip)
		return
	}
	for i := range y {
		c := (skip + i) / cell
		rgb[i], rgb[n+i], rgb[2*n+i] = color.YCbCrToRGB(y[i], cb[c], cr[c])
	}
}
