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
