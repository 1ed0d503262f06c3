//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris

package resample

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
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

// The samples that a result takes, and the result, lie beside inaccessible pages: no loop reads or
// writes before or behind them.
func TestRowsStayInside(t *testing.T) {
	for f := range filters {
		for _, width := range []int{1, 4, 7, 9, 31, 65} {
			for _, out := range []int{1, 4, 7, 33} {
				for _, pixel := range []int{1, 4} {
					for mode := range 4 {
						rowsFirst, atEnd := mode&1 != 0, mode&2 != 0
						pix := fenced(t, 5*width*pixel, atEnd)
						for i := range pix {
							pix[i] = uint8(i * 31)
						}
						for _, set := range sets() {
							p, err := New(f, Axis{Size: width, Out: out, To: out}, Axis{Size: 5, Out: 4, To: 4}, rowsFirst, pixel, set)
							require.NoError(t, err)
							low, high := p.Columns()
							top, bottom := p.Rows()
							taken := fenced(t, (bottom-top-1)*width*pixel+(high-low)*pixel, atEnd)
							copy(taken, pix[(top*width+low)*pixel:])
							dst := fenced(t, 4*out*pixel, atEnd)
							var w Worker
							w.Open(p)
							w.Rows(dst, out*pixel, 0, 4, &picture{pix: taken, stride: width * pixel, first: top, length: (high - low) * pixel, stays: true})
							want := resampledBy(t, -1, f, Axis{Size: width, Out: out, To: out}, Axis{Size: 5, Out: 4, To: 4}, rowsFirst, pixel, pix, width*pixel, true, 4)
							require.Equal(t, want, dst)
						}
					}
				}
			}
		}
	}
}
