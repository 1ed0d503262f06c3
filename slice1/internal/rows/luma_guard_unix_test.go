//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris

package rows

import (
	"image"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// fencedCopy returns a copy of b that begins, or ends, at an inaccessible page.
func fencedCopy(t *testing.T, b []uint8, atEnd bool) []uint8 {
	page := os.Getpagesize()
	size := (len(b) + page - 1) / page * page
	m, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(m)) })
	require.NoError(t, unix.Mprotect(m[:page], unix.PROT_NONE))
	require.NoError(t, unix.Mprotect(m[page+size:], unix.PROT_NONE))
	at := page
	if atEnd {
		at = page + size - len(b)
	}
	copy(m[at:], b)
	return m[at : at+len(b) : at+len(b)]
}

// Slices that end with the last sample, beside inaccessible pages: no kernel reads or writes behind
// or before them.
func TestRowsOfColoursStayInside(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 9))
	for form, of := range forms {
		for _, cell := range cells {
			for _, width := range []int{1, 2, 31, 64, 65, 511, 512, 640, 1001} {
				plain := random(rng, image.Pt(1%cell.X, 1%cell.Y), image.Pt(width, 3), form, cell)
				pictures := []*Luma{plain}
				for _, formula := range []*Formula{&LibJPEG, &LibWebP, &Swscale[0][0], &OpenCV} {
					pictures = append(pictures, decoded(rng, formula, image.Pt(1%cell.X, 1%cell.Y), image.Pt(width, 3), form, cell))
				}
				for _, f := range pictures {
					for _, atEnd := range []bool{false, true} {
						g := *f
						g.Y = fencedCopy(t, f.Y, atEnd)
						if of.cr < 0 {
							g.Cb, g.Cr = fencedCopy(t, f.Cb, atEnd), fencedCopy(t, f.Cr, atEnd)
						} else {
							n := len(f.Cb) + max(of.cb, of.cr)
							chroma := fencedCopy(t, make([]uint8, n), atEnd)
							g.Cb, g.Cr = chroma[of.cb:][:len(f.Cb)], chroma[of.cr:][:len(f.Cr)]
						}
						for _, pixel := range []int{1, 3, 4} {
							dst, to := fencedCopy(t, make([]uint8, 3*width*max(3, pixel)), atEnd), Layout{1, 3 * width, width}
							if pixel > 1 {
								to = Layout{pixel, pixel * width, 1}
							}
							each(&g, func(g *Luma) { g.Store(dst, to, Window{0, width, 0, 1, 3}) })
							_, _, b := g.model(width-1, 2)
							last := len(dst) - 1
							if pixel == 4 {
								last--
							}
							require.Equal(t, b, dst[last])
						}
					}
				}
			}
		}
	}
}

// Pixels and samples beside inaccessible pages: no kernel reads or writes behind or before them.
func TestRowsOfFramesStayInside(t *testing.T) {
	rng := rand.New(rand.NewPCG(82, 5))
	for form := range forms {
		for _, cell := range sampleCells {
			for _, width := range []int{1, 2, 31, 64, 65, 511, 512, 640, 1001} {
				for _, packed := range orders {
					f := randomFrame(rng, image.Pt(width, 3), form, cell, packed)
					f.Colours.Window = Window{}
					f.pix = f.pix[:2*f.Colours.Stride+width*packed.Size]
					for _, atEnd := range []bool{false, true} {
						g := f.Frame
						colours := *f.Colours
						colours.Pix = fencedCopy(t, f.pix, atEnd)
						g.Colours = &colours
						g.Y, g.Cb, g.Cr = fencedCopy(t, f.Y, atEnd), fencedCopy(t, f.Cb, atEnd), fencedCopy(t, f.Cr, atEnd)
						if forms[form].cr >= 0 {
							n := len(f.Cb) + max(forms[form].cb, forms[form].cr)
							chroma := fencedCopy(t, make([]uint8, n), atEnd)
							g.Cb, g.Cr = chroma[forms[form].cb:][:len(f.Cb)], chroma[forms[form].cr:][:len(f.Cr)]
						}
						for _, g.Kernel = range kernels() {
							g.Make(nil, 0, int64((f.PhaseY+2)/cell.Y+1))
						}
						g.Colours = f.Colours
						f.Frame = g
						last := [...]uint8{f.Y[2*f.YStride+(width-1)*f.YStep], f.Cb[len(f.Cb)-1], f.Cr[len(f.Cr)-1]}
						f.model()
						require.Equal(t, last, [...]uint8{f.Y[2*f.YStride+(width-1)*f.YStep], f.Cb[len(f.Cb)-1], f.Cr[len(f.Cr)-1]})
					}
				}
			}
		}
	}
}
