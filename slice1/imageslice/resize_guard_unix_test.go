//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris

package imageslice_test

import (
	"image"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// fenced returns n bytes that begin, or end, at an inaccessible page.
func fenced(t *testing.T, n int, atEnd bool) []uint8 {
	page := os.Getpagesize()
	size := (n + page - 1) / page * page
	m, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(m)) })
	require.NoError(t, unix.Mprotect(m[:page], unix.PROT_NONE))
	require.NoError(t, unix.Mprotect(m[page+size:], unix.PROT_NONE))
	if atEnd {
		return m[page+size-n:][:n:n]
	}
	return m[page:][:n:n]
}

// Pictures and tensors lie beside inaccessible pages: nothing before or behind them is read or
// written, and the numbers are those of pictures and tensors that lie elsewhere.
func TestConvertResizesBesideGuardPages(t *testing.T) {
	for _, size := range []image.Point{{1, 1}, {3, 5}, {17, 1}, {65, 33}, {66, 40}, {601, 9}} {
		for _, to := range []image.Point{{1, 1}, {5, 3}, {33, 20}, {200, 4}} {
			for _, atEnd := range []bool{false, true} {
				for f := imageslice.Bilinear; f <= imageslice.Area; f++ {
					if f == imageslice.Area && (to.X > size.X || to.Y > size.Y) {
						continue
					}
					r, n := image.Rectangle{Max: size}, size.X*size.Y
					half := (size.X + 1) / 2 * ((size.Y + 1) / 2)
					at := func(n int) []uint8 {
						pix := fenced(t, n, atEnd)
						for i := range pix {
							pix[i] = uint8(i * 37)
						}
						return pix
					}
					chroma := &image.YCbCr{Y: at(n), Cb: at(half), Cr: at(half), YStride: size.X, CStride: (size.X + 1) / 2, SubsampleRatio: image.YCbCrSubsampleRatio420, Rect: r}
					for _, m := range []image.Image{
						&image.Gray{Pix: at(n), Stride: size.X, Rect: r},
						&image.RGBA{Pix: at(4 * n), Stride: 4 * size.X, Rect: r},
						&imageslice.Pixels{Pix: at(3 * n), Stride: 3 * size.X, Rect: r, Order: imageslice.BGR},
						chroma, imageslice.Decoded(chroma, "jpeg"),
					} {
						a := imageslice.Tensor{Type: slice1.Uint8, Channels: 3, Resize: to, Filter: f}
						got, want := fenced(t, 3*to.X*to.Y, atEnd), make([]uint8, 3*to.X*to.Y)
						require.NoError(t, imageslice.Convert(got, m, r, a))
						require.NoError(t, imageslice.Convert(want, m, r, a, slice1.WithKernel("go")))
						require.Equal(t, want, got, "%T %v to %v, filter %d", m, size, to, f)
						as, same := fenced(t, 3*n, atEnd), make([]uint8, 3*n)
						a = imageslice.Tensor{Type: slice1.Uint8, Channels: 3}
						require.NoError(t, imageslice.Convert(as, m, r, a))
						require.NoError(t, imageslice.Convert(same, m, r, a, slice1.WithKernel("go")))
						require.Equal(t, same, as, "%T %v", m, size)
					}
				}
			}
		}
	}
}
