//go:build !asan && !race

package imageslice

import (
	"image"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

func TestColoursAllocateNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 2))
	f := randomFrame(rng, image.Rect(0, 0, 640, 4), 1, image.YCbCrSubsampleRatio420)
	c, dst := coloursOf(f), make([]uint8, 4*4*640)
	each(func(k plan.Kernel) {
		require.Zero(t, testing.AllocsPerRun(50, func() { c.store(dst, 1, 640, 0, 1, 4, 4, 4*639, 0) }), "kernel %d", k)
	})
}
