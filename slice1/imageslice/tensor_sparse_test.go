//go:build linux && !(386 || arm || mips || mipsle)

package imageslice_test

import (
	"image"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// Rows that lie 2 GiB and more apart.
func TestConvertReachesPast32Bits(t *testing.T) {
	const stride, rows = 1<<31 + 1, 4
	pix, err := unix.Mmap(-1, 0, rows*stride, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(pix)) })
	for _, width := range []int{4, 12, 24, 48, 100} {
		m := &image.Gray{Pix: pix, Stride: stride, Rect: image.Rect(0, 0, width, rows)}
		var want []float32
		for y := range rows {
			for x := range width {
				v := uint8(1 + 50*y + x)
				pix[y*stride+x] = v
				want = append(want, float32(v))
			}
		}
		got := make([]float32, len(want))
		require.NoError(t, imageslice.Convert(got, m, m.Rect, imageslice.Tensor{}))
		require.Equal(t, want, got)
	}
}

// Rows of pixels and of samples that lie 2 GiB and more apart.
func TestToFrameReachesPast32Bits(t *testing.T) {
	const stride, rows = 1<<31 + 1, 4
	var memory [4][]uint8
	for i := range memory {
		var err error
		memory[i], err = unix.Mmap(-1, 0, rows*stride, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE|unix.MAP_NORESERVE)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, unix.Munmap(memory[i])) })
	}
	for _, o := range usable() {
		for _, width := range []int{4, 100} {
			m := &imageslice.Pixels{Pix: memory[0], Stride: stride, Rect: image.Rect(0, 0, width, rows), Order: imageslice.BGRA}
			near, err := imageslice.I420(make([]uint8, 6*width), width, rows, 0)
			require.NoError(t, err)
			far := &imageslice.Frame{Y: memory[1], Cb: memory[2], Cr: memory[3], YStride: stride, CStride: stride, Ratio: near.Ratio, Rect: near.Rect}
			pixels := &imageslice.Pixels{Pix: make([]uint8, 4*width*rows), Stride: 4 * width, Rect: m.Rect, Order: m.Order}
			for i := range pixels.Pix {
				pixels.Pix[i] = uint8(37 * i)
				memory[0][i/(4*width)*stride+i%(4*width)] = uint8(37 * i)
			}
			require.NoError(t, imageslice.ToFrame(near, pixels, m.Rect))
			require.NoError(t, imageslice.ToFrame(far, m, m.Rect, o))
			for y := range rows {
				require.Equal(t, near.Y[y*width:][:width], memory[1][y*stride:][:width])
			}
			for y := range rows / 2 {
				require.Equal(t, near.Cb[y*width/2:][:width/2], memory[2][y*stride:][:width/2])
				require.Equal(t, near.Cr[y*width/2:][:width/2], memory[3][y*stride:][:width/2])
			}
		}
	}
}
