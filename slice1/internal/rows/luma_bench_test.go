package rows

import (
	"fmt"
	"image"
	"maps"
	"math/rand/v2"
	"testing"
)

// 1080p in 4:2:0 by each rule, to planes and to pixels.
func BenchmarkStore(b *testing.B) {
	const width, height = 1920, 1080
	rng := rand.New(rand.NewPCG(80, 2))
	dst := make([]uint8, 4*width*height)
	formulas := maps.Clone(rules)
	formulas["go"] = &Formulas[0][1]
	for name, formula := range formulas {
		p := decoded(rng, formula, image.Point{}, image.Pt(width, height), 0, image.Pt(2, 2))
		for _, p.Kernel = range kernels() {
			for _, to := range []Layout{{1, width, width * height}, {4, 4 * width, 0}} {
				b.Run(fmt.Sprintf("rule=%s/kernel=%d/pixel=%d", name, p.Kernel, to.Pixel), func(b *testing.B) {
					for b.Loop() {
						p.Store(dst, to, Window{0, width, 0, 1, height})
					}
				})
			}
		}
	}
}
