package imageslice_test

import (
	"image"
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// Grey that is made of colours is what Pillow's L has, by steps of any length, too. Whatever the
// steps are, rows of grey are not one row for the engine.
func TestConvertMakesGreyOfEachStep(t *testing.T) {
	for width := 1; width <= 13; width++ {
		const height = 3
		m := image.NewRGBA(image.Rect(0, 0, width, height))
		for i := range m.Pix {
			m.Pix[i] = uint8(i*37) | 1
		}
		for step := -7; step <= 7; step++ {
			if step == 0 {
				continue
			}
			var want []float32
			for y := range height {
				for x := range (width + max(step, -step) - 1) / max(step, -step) {
					x *= step
					if step < 0 {
						x += width - 1
					}
					c := color.RGBAModel.Convert(m.At(x, y)).(color.RGBA)
					want = append(want, float32((19595*int(c.R)+38470*int(c.G)+7471*int(c.B)+32768)>>16))
				}
			}
			for _, k := range slice1.Kernels() {
				if !k.Usable {
					continue
				}
				got := make([]float32, len(want))
				require.NoError(t, imageslice.Convert(got, m, m.Rect, imageslice.Tensor{Channels: 1, StepX: step}, slice1.WithKernel(k.Name)))
				require.Equal(t, want, got, "%d columns, step %d, kernel %s", width, step, k.Name)
			}
		}
	}
}
