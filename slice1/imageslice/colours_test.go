package imageslice

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
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
		if k := plan.Kernel(number); k.InC() && k.Built() && k.Lacks(cpuid.Host()) == "" {
			ks = append(ks, k)
		}
	}
	return ks
}

// each runs f with each kernel.
func each(f func(k plan.Kernel)) {
	defer func(f func() plan.Kernel) { preferred = f }(preferred)
	for _, k := range kernels() {
		preferred = func() plan.Kernel { return k }
		f(k)
	}
}

// shares are Kr and Kb.
var shares = map[Matrix][2]float64{BT601: {.299, .114}, BT709: {.2126, .0722}, BT2020: {.2627, .0593}}

// real returns R, G and B, in 0 to 255, by the matrix in real numbers.
func real(m Matrix, fullRange bool, y, cb, cr uint8) [3]float64 {
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
		for i, f := range formulas[m] {
			fullRange := i == 1
			offset := real(m, fullRange, 0, 128, 128)
			slope := func(y, cb, cr uint8, channel int) int32 {
				return int32(math.Round((real(m, fullRange, y, cb, cr)[channel] - offset[channel]) * 65536))
			}
			want := program.Colours{Luma: slope(1, 128, 128, 0) - 65536, Offset: int32(math.Round(offset[0]*65536 + 32768)),
				RedCr: slope(0, 128, 129, 0), GreenCb: slope(0, 129, 128, 1), GreenCr: slope(0, 128, 129, 1), BlueCb: slope(0, 129, 128, 2)}
			if m == BT601 && fullRange {
				want.Luma, want.Offset, want.GreenCb = 257, 0, want.GreenCb-1
			}
			require.Equal(t, want, f, "matrix %d, full range %v", m, fullRange)
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
	all := image.Rect(0, 0, 1<<16, 1)
	for m := range shares {
		for _, fullRange := range []bool{false, true} {
			f := &Frame{Y: y[:], Cb: blue[:], Cr: red[:], YStride: 1 << 16, CStride: 1 << 16, Ratio: image.YCbCrSubsampleRatio444, Rect: all, Matrix: m, FullRange: fullRange}
			off := 0
			for cr := range 256 {
				if testing.Short() && cr%51 != 0 {
					continue
				}
				for i := range red {
					red[i] = uint8(cr)
					r, g, b := rgb(f.formula(), y[i], blue[i], red[i])
					want[i], want[1<<16+i], want[2<<16+i] = r, g, b
					for c, v := range real(m, fullRange, y[i], blue[i], red[i]) {
						v = math.Floor(max(0, min(v, 255)) + 0.5)
						if d := math.Abs(v - float64(want[c<<16+i])); d > 1 {
							require.Failf(t, "off", "matrix %d, full range %v: %d %d %d is %v in channel %d, not %v", m, fullRange, y[i], blue[i], cr, want[c<<16+i], c, v)
						} else if d != 0 {
							off++
						}
					}
					if m == BT601 && fullRange {
						if x, y, z := color.YCbCrToRGB(y[i], blue[i], uint8(cr)); x != r || y != g || z != b {
							require.Fail(t, "not that of package image/color")
						}
					}
				}
				each(func(k plan.Kernel) {
					coloursOf(f).store(got[:], 0, 1<<16, 0, 1, 1, 1, 0, 1<<16)
					require.True(t, got == want, "kernel %d, matrix %d, full range %v, Cr %d", k, m, fullRange, cr)
				})
			}
			t.Logf("matrix %d, full range %v: %d samples are 1 off", m, fullRange, off)
			require.True(t, off < 100_000 || m == BT601 && fullRange, off)
		}
	}
}

// forms of frames: how many bytes samples of luma and chroma are apart, and where the first Cb and
// Cr are.
var frameForms = []struct{ yStep, cStep, cb, cr int }{
	{1, 1, 0, -1}, {1, 2, 0, 1}, {1, 2, 1, 0}, {1, 2, 0, 3}, {2, 4, 0, 2}, {2, 4, 2, 0}, {0, 0, 0, -1}, {3, 5, 0, 4}, {1, 4, 0, 1},
}

// randomFrame returns a frame of random samples, whose slices end with the last sample.
func randomFrame(rng *rand.Rand, r image.Rectangle, form int, ratio image.YCbCrSubsampleRatio) *Frame {
	of, cell := frameForms[form], cells[ratio]
	yStep, cStep := max(1, of.yStep), max(1, of.cStep)
	w, h := samples(r.Min.X, r.Max.X, cell.X), samples(r.Min.Y, r.Max.Y, cell.Y)
	f := &Frame{YStep: of.yStep, CStep: of.cStep, YStride: (r.Dx()-1)*yStep + 1 + rng.IntN(5), CStride: w*cStep + rng.IntN(5),
		Ratio: ratio, Rect: r, Matrix: Matrix(rng.IntN(3)), FullRange: rng.IntN(2) == 0}
	f.Y = make([]uint8, (r.Dy()-1)*f.YStride+(r.Dx()-1)*yStep+1)
	need := (h-1)*f.CStride + (w-1)*cStep + 1
	chroma := make([]uint8, need+max(of.cb, of.cr))
	f.Cb = chroma[of.cb:][:need]
	if f.Cr = make([]uint8, need); of.cr >= 0 {
		f.Cr = chroma[of.cr:][:need]
	}
	for _, p := range [][]uint8{f.Y, chroma, f.Cr} {
		for i := range p {
			p[i] = uint8(rng.Uint32())
		}
	}
	return f
}

// Frames of every form and ratio, with windows of many widths at any column and row, and rows in
// any order, by every kernel. Pixels equal At's, and no other byte is written.
func TestRowsOfColours(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 1))
	for turn := range 400 {
		x, y, width, height := rng.IntN(6), rng.IntN(5), 1+rng.IntN(200), 1+rng.IntN(6)
		if turn%8 == 0 {
			width += 480 * (1 + rng.IntN(3))
		}
		form := rng.IntN(len(frameForms))
		for ratio := range cells {
			f := randomFrame(rng, image.Rect(x, y, x+width, y+height), form, ratio)
			x0 := x + rng.IntN(min(width, 5))
			x1 := x0 + 1 + rng.IntN(x+width-x0)
			if rng.IntN(2) == 0 {
				x1 = x + width
			}
			top, step := rng.IntN(height), 1
			n := 1 + rng.IntN(height-top)
			if rng.IntN(3) == 0 {
				step = -1
				n = 1 + rng.IntN(top+1)
			}
			name := fmt.Sprintf("form %d, %v, columns %d to %d, %d rows from %d of %v", form, ratio, x0, x1, n, top, f.Rect)
			for _, pixel := range []int{1, 4} {
				gap := rng.IntN(3)
				stride, plane := (x1-x0)*pixel+gap, 0
				size := n * stride
				if pixel == 1 {
					plane = stride*n + 1
					size = 3 * plane
				}
				want := make([]uint8, size)
				for i := range want {
					want[i] = 0xa5
				}
				before := append([]uint8(nil), want...)
				for k := range n {
					for x := x0; x < x1; x++ {
						c, at := f.RGBAAt(x, y+top+k*step), k*stride+(x-x0)*pixel
						if pixel == 4 {
							want[at], want[at+1], want[at+2], want[at+3] = c.R, c.G, c.B, c.A
						} else {
							want[at], want[at+plane], want[at+2*plane] = c.R, c.G, c.B
						}
					}
				}
				each(func(k plan.Kernel) {
					got := append([]uint8(nil), before...)
					err := new(planes).open(f)
					require.NoError(t, err, name)
					coloursOf(f).store(got, x0, x1, top, step, n, pixel, stride, plane)
					require.Equal(t, want, got, "kernel %d, %s, pixels of %d", k, name, pixel)
				})
			}
		}
	}
}
