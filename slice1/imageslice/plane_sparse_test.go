//go:build linux && !(386 || arm || mips || mipsle)

package imageslice_test

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// Windows that begin 4 GiB and more behind the first number of their plane, and rows that lie 2 GiB
// apart.
func TestResizePlaneReachesPast32Bits(t *testing.T) {
	size := image.Pt(37, 9)
	small := planeNumbers(size.X*size.Y, "logits")
	for _, from := range []image.Point{{1<<15 + 5, 1<<15 + 3}, {1<<29 + 3, 12}} {
		memory, err := unix.Mmap(-1, 0, 4*from.X*from.Y, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
		require.NoError(t, err)
		src, r := numbersIn(memory), image.Rectangle{Min: from.Sub(size), Max: from}
		for y := range size.Y {
			copy(src[(r.Min.Y+y)*from.X+r.Min.X:], small[y*size.X:][:size.X])
		}
		for f := imageslice.Bilinear; f <= imageslice.Linear; f++ {
			for _, to := range []image.Point{{90, 20}, {20, 5}} {
				for i, kernel := range usable() {
					want, got := make([]float32, to.X*to.Y), make([]float32, to.X*to.Y)
					require.NoError(t, imageslice.ResizePlane(want, to, small, size, image.Rectangle{}, f, slice1.WithKernel("go")))
					require.NoError(t, imageslice.ResizePlane(got, to, src, from, r, f, kernel))
					planesEqual(t, want, got, "filter %d of %v by kernel %d", f, from, i)
				}
			}
		}
		require.NoError(t, unix.Munmap(memory))
	}
}
