//go:build !asan && !race

package rows

import (
	"image"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestColoursAllocateNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 2))
	f, dst := random(rng, image.Point{}, image.Pt(640, 4), 1, image.Pt(2, 2)), make([]uint8, 4*4*640)
	each(f, func(f *Luma) {
		require.Zero(t, testing.AllocsPerRun(50, func() { f.Store(dst, Layout{4, 4 * 639, 0}, Window{1, 639, 0, 1, 4}) }), "kernel %d", f.Kernel)
	})
}

func TestFramesAllocateNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(82, 4))
	for _, maker := range []Maker{NoMaker, OfPixels} {
		f := randomFrame(rng, image.Pt(640, 4), 1, image.Pt(2, 2), orders[0])
		f.Colours.Maker = maker
		for _, f.Kernel = range kernels() {
			require.Zero(t, testing.AllocsPerRun(50, func() { f.Make(nil, 0, 2) }), "kernel %d", f.Kernel)
		}
	}
}
