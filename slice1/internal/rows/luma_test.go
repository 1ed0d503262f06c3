package rows

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// kernels are those of this build that the host can run.
func kernels() (ks []plan.Kernel) {
	ks = []plan.Kernel{plan.Go}
	for number := range program.Sets {
		if k := plan.Kernel(number); k.Built() && k.Lacks(cpuid.Host()) == "" {
			ks = append(ks, k)
		}
	}
	return ks
}

// each runs f with the picture by each kernel.
func each(p *Luma, f func(p *Luma)) {
	for _, k := range kernels() {
		by := *p
		by.Kernel = k
		f(&by)
	}
}

// shares are Kr and Kb of BT.601, BT.709 and BT.2020.
var shares = [3][2]float64{{.299, .114}, {.2126, .0722}, {.2627, .0593}}

// real returns R, G and B, in 0 to 255, by the matrix in real numbers.
func real(m int, fullRange bool, y, cb, cr uint8) [3]float64 {
	kr, kb := shares[m][0], shares[m][1]
	luma, blue, red := float64(y), float64(cb)-128, float64(cr)-128
	if !fullRange {
		luma, blue, red = (luma-16)*255/219, blue*255/224, red*255/224
	}
	r, b := luma+2*(1-kr)*red, luma+2*(1-kb)*blue
	return [3]float64{r, (luma - kr*r - kb*b) / (1 - kr - kb), b}
}

// Coefficients are the real ones times 65536, rounded, except for package image/color's.
func TestFormulas(t *testing.T) {
	for m := range shares {
		for i, f := range Formulas[m] {
			fullRange := i == 1
			offset := real(m, fullRange, 0, 128, 128)
			slope := func(y, cb, cr uint8, channel int) int32 {
				return int32(math.Round((real(m, fullRange, y, cb, cr)[channel] - offset[channel]) * 65536))
			}
			want := program.Colours{Luma: slope(1, 128, 128, 0) - 65536, Offset: int32(math.Round(offset[0]*65536 + 32768)),
				RedCr: slope(0, 128, 129, 0), GreenCb: slope(0, 129, 128, 1), GreenCr: slope(0, 128, 129, 1), BlueCb: slope(0, 129, 128, 2)}
			if m == 0 && fullRange {
				want.Luma, want.Offset, want.GreenCb = 257, 0, want.GreenCb-1
			}
			require.Equal(t, want, f.coefficients, "matrix %d, full range %v", m, fullRange)
		}
	}
}

// Every colour of every matrix and range, by every kernel. The result equals the formula's, and is
// at most 1 off the real numbers, rounded. Full-range BT.601 equals package image/color.
func TestEveryColour(t *testing.T) {
	var y, blue, red [1 << 16]uint8
	var got, want [3 << 16]uint8
	for i := range y {
		y[i], blue[i] = uint8(i), uint8(i>>8)
	}
	for m := range shares {
		for _, fullRange := range []bool{false, true} {
			f := &Luma{Formula: &Formulas[m][0], Y: y[:], Cb: blue[:], Cr: red[:], YStep: 1, CStep: 1, CellX: 1, CellY: 1}
			if fullRange {
				f.Formula = &Formulas[m][1]
			}
			off := 0
			for cr := range 256 {
				if testing.Short() && cr%51 != 0 {
					continue
				}
				for i := range red {
					red[i] = uint8(cr)
					r, g, b := f.Formula.RGB(y[i], blue[i], red[i])
					want[i], want[1<<16+i], want[2<<16+i] = r, g, b
					for c, v := range real(m, fullRange, y[i], blue[i], red[i]) {
						v = math.Floor(max(0, min(v, 255)) + 0.5)
						if d := math.Abs(v - float64(want[c<<16+i])); d > 1 {
							require.Failf(t, "off", "matrix %d, full range %v: %d %d %d is %v in channel %d, not %v", m, fullRange, y[i], blue[i], cr, want[c<<16+i], c, v)
						} else if d != 0 {
							off++
						}
					}
					if m == 0 && fullRange {
						if x, y, z := color.YCbCrToRGB(y[i], blue[i], uint8(cr)); x != r || y != g || z != b {
							require.Fail(t, "not that of package image/color")
						}
					}
				}
				each(f, func(f *Luma) {
					f.Store(got[:], Layout{1, 0, 1 << 16}, Window{0, 1 << 16, 0, 1, 1})
					require.True(t, got == want, "kernel %d, matrix %d, full range %v, Cr %d", f.Kernel, m, fullRange, cr)
				})
			}
			t.Logf("matrix %d, full range %v: %d samples are 1 off", m, fullRange, off)
			require.True(t, off < 100_000 || m == 0 && fullRange, off)
		}
	}
}

// cells has the columns and rows of pixels that share a sample of chroma.
var cells = []image.Point{{1, 1}, {2, 1}, {2, 2}, {1, 2}, {4, 1}, {4, 2}}

// forms of pictures: how many bytes samples of luma and chroma are apart, and where the first Cb
// and Cr are.
var forms = []struct{ yStep, cStep, cb, cr int }{
	{1, 1, 0, -1}, {1, 2, 0, 1}, {1, 2, 1, 0}, {1, 2, 0, 3}, {2, 4, 0, 2}, {2, 4, 2, 0}, {3, 5, 0, 4}, {1, 4, 0, 1},
}

// random returns a picture of random samples whose slices end with the last sample.
func random(rng *rand.Rand, phase, size image.Point, form int, cell image.Point) *Luma {
	of := forms[form]
	w, h := (phase.X+size.X-1)/cell.X+1, (phase.Y+size.Y-1)/cell.Y+1
	p := &Luma{Formula: &Formulas[rng.IntN(3)][rng.IntN(2)], YStep: of.yStep, CStep: of.cStep, CellX: cell.X, CellY: cell.Y, PhaseX: phase.X, PhaseY: phase.Y,
		YStride: (size.X-1)*of.yStep + 1 + rng.IntN(5), CStride: w*of.cStep + rng.IntN(5)}
	p.Y = make([]uint8, (size.Y-1)*p.YStride+(size.X-1)*of.yStep+1)
	need := (h-1)*p.CStride + (w-1)*of.cStep + 1
	chroma := make([]uint8, need+max(of.cb, of.cr))
	p.Cb = chroma[of.cb:][:need]
	if p.Cr = make([]uint8, need); of.cr >= 0 {
		p.Cr = chroma[of.cr:][:need]
	}
	for _, plane := range [][]uint8{p.Y, chroma, p.Cr} {
		for i := range plane {
			plane[i] = uint8(rng.Uint32())
		}
	}
	return p
}

// at returns R, G and B of a pixel.
func (p *Luma) at(x, y int) (r, g, b uint8) {
	i := (p.PhaseY+y)/p.CellY*p.CStride + (p.PhaseX+x)/p.CellX*p.CStep
	return p.Formula.RGB(p.Y[y*p.YStride+x*p.YStep], p.Cb[i], p.Cr[i])
}

// stored returns a copy of before in which the pixels of a window lie by a layout. at has the
// colours of the pixel in a column and a row.
func stored(before []uint8, to Layout, rows Window, at func(x, y int) (r, g, b uint8)) []uint8 {
	want := slices.Clone(before)
	for k := range rows.Count {
		for x := range rows.Width {
			r, g, b := at(rows.Left+x, rows.Top+k*rows.Step)
			i := k*to.Stride + x*to.Pixel
			switch {
			case to.Pixel == 4:
				want[i], want[i+1], want[i+2], want[i+3] = r, g, b, 255
			case to.Plane < 0:
				want[i], want[i+1], want[i+2] = b, g, r
			default:
				want[i], want[i+to.Plane], want[i+2*to.Plane] = r, g, b
			}
		}
	}
	return want
}

// Pictures of every form and cell, with windows of many widths at any column and row, and rows in
// any order, by every kernel. Pixels equal those of the formula, and no other byte is written.
func TestRowsOfColours(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 1))
	for turn := range 400 {
		width, height := 1+rng.IntN(200), 1+rng.IntN(6)
		if turn%8 == 0 {
			width += 1900 * (1 + rng.IntN(2))
		}
		form := rng.IntN(len(forms))
		for _, cell := range cells {
			f := random(rng, image.Pt(rng.IntN(cell.X), rng.IntN(cell.Y)), image.Pt(width, height), form, cell)
			rows := Window{Left: rng.IntN(min(width, 5)), Top: rng.IntN(height), Step: 1}
			rows.Width = 1 + rng.IntN(width-rows.Left)
			if rng.IntN(2) == 0 {
				rows.Width = width - rows.Left
			}
			rows.Count = 1 + rng.IntN(height-rows.Top)
			if rng.IntN(3) == 0 {
				rows.Step, rows.Count = -1, 1+rng.IntN(rows.Top+1)
			}
			name := fmt.Sprintf("form %d, cells of %v, %+v of %d x %d", form, cell, rows, width, height)
			for _, pixel := range []int{1, 3, 4} {
				to := Layout{Pixel: pixel, Stride: rows.Width*pixel + rng.IntN(3), Plane: 1 - 2*rng.IntN(2)}
				size := rows.Count * to.Stride
				if pixel == 1 {
					to.Plane = size + 1
					size = 3 * to.Plane
				}
				before := slices.Repeat([]uint8{0xa5}, size)
				want := stored(before, to, rows, f.at)
				each(f, func(f *Luma) {
					got := slices.Clone(before)
					f.Store(got, to, rows)
					require.Equal(t, want, got, "kernel %d, %s, pixels of %d", f.Kernel, name, pixel)
				})
			}
		}
	}
}
