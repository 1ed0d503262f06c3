package engine

import (
	"image/color"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// kernels are those of this build that the host can run.
func kernels() (ks []plan.Kernel) {
	ks = []plan.Kernel{plan.Go}
	for number := range csrc.Sets {
		if k := plan.Kernel(number); k.InC() && k.Built() && k.Lacks(cpuid.Host()) == "" {
			ks = append(ks, k)
		}
	}
	return ks
}

// Every colour, against package color.
func TestEveryYCbCr(t *testing.T) {
	defer func(f func() plan.Kernel) { preferred = f }(preferred)
	var y, blue, red [1 << 16]uint8
	var rgb, want [3 << 16]uint8
	for i := range y {
		y[i], blue[i] = uint8(i), uint8(i>>8)
	}
	for cr := range 256 {
		if testing.Short() && cr%17 != 0 {
			continue
		}
		for i := range red {
			red[i] = uint8(cr)
			want[i], want[1<<16+i], want[2<<16+i] = color.YCbCrToRGB(y[i], blue[i], red[i])
		}
		for _, k := range kernels() {
			preferred = func() plan.Kernel { return k }
			YCbCr(rgb[:], y[:], blue[:], red[:], 1, 0)
			require.True(t, rgb == want, "kernel %d", k)
		}
	}
}

// Cells of every width, from each of their pixels on, in rows of many lengths.
func TestRowsOfYCbCr(t *testing.T) {
	defer func(f func() plan.Kernel) { preferred = f }(preferred)
	for _, cell := range []int{1, 2, 4} {
		for skip := range cell {
			for n := range 1100 {
				samples := (skip + n + cell - 1) / cell
				y, cb, cr := make([]uint8, n), make([]uint8, samples), make([]uint8, samples)
				for i := range y {
					y[i] = uint8(i * 7)
				}
				for i := range cb {
					cb[i], cr[i] = uint8(i*31), uint8(i*57)
				}
				want := make([]uint8, 3*n+1)
				for i := range y {
					c := (skip + i) / cell
					want[i], want[n+i], want[2*n+i] = color.YCbCrToRGB(y[i], cb[c], cr[c])
				}
				for _, k := range kernels() {
					preferred = func() plan.Kernel { return k }
					rgb := make([]uint8, 3*n+1)
					YCbCr(rgb, y, cb, cr, cell, skip)
					require.Equal(t, want, rgb, "kernel %d, cells of %d from %d on", k, cell, skip)
				}
			}
		}
	}
}
