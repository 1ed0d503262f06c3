package rows

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// realFactors returns what R, G and B add to luma, Cb and Cr by the matrix in real numbers, and
// what luma and chroma are of black.
func realFactors(m int, fullRange bool) (factors [3][3]float64, black [3]float64) {
	kr, kb := shares[m][0], shares[m][1]
	k := [3]float64{kr, 1 - kr - kb, kb}
	luma, chroma, black := 1., 1., [3]float64{0, 128, 128}
	if !fullRange {
		luma, chroma, black[0] = 219./255, 224./255, 16
	}
	for c := range k {
		blue, red := -k[c], -k[c]
		if c == 2 {
			blue++
		}
		if c == 0 {
			red++
		}
		factors[0][c], factors[1][c], factors[2][c] = luma*k[c], chroma*blue/(2-2*kb), chroma*red/(2-2*kr)
	}
	return factors, black
}

// Factors are the real ones times 65536, and at most 1 off after rounding. Samples are rounded from
// numbers that are at most 1/100 off the real ones for any colour: that is so for a colour if it is
// so for the eight colours whose R, G and B are 0 or 255. White has the greatest luma, and grey has
// chroma of 128.
func TestCodings(t *testing.T) {
	for m := range shares {
		for i := range Codings[m] {
			f := &Codings[m][i].factors
			want, black := realFactors(m, i == 1)
			for of, got := range [...][3]int32{f.Luma, f.Cb, f.Cr} {
				sum, offset := int32(0), f.ChromaOffset
				if of == 0 {
					offset = f.LumaOffset
				}
				off := [2]float64{math.Inf(1), math.Inf(-1)}
				for corner := range 8 {
					e := float64(offset)/65536 - 0.5 - black[of]
					for c := range 3 {
						if corner>>c&1 != 0 {
							e += 255 * (float64(got[c])/65536 - want[of][c])
						}
					}
					off[0], off[1] = min(off[0], e), max(off[1], e)
				}
				require.Less(t, max(-off[0], off[1]), 0.01, "matrix %d, full range %v, sample %d", m, i == 1, of)
				for c := range 3 {
					require.InDelta(t, want[of][c]*65536, got[c], 1, "matrix %d, full range %v, sample %d", m, i == 1, of)
					sum += got[c]
				}
				if of > 0 {
					require.Zero(t, sum)
					require.True(t, slices.Min(got[:]) >= -32767 && slices.Max(got[:]) <= 32768)
				} else {
					require.True(t, slices.Min(got[:]) >= 0 && got[1] >= 16384 && got[1] <= 49151 && got[0] <= 32767 && got[2] <= 32767)
				}
			}
			for v := range int32(256) {
				cb, cr := f.ChromaOf(v, v, v, 1)
				require.Equal(t, [2]uint8{128, 128}, [2]uint8{cb, cr})
			}
			require.Equal(t, []uint8{235, 255}[i], f.LumaOf(255, 255, 255))
			require.Equal(t, []uint8{16, 0}[i], f.LumaOf(0, 0, 0))
		}
	}
}

// ofLibjpeg is libjpeg-turbo's rgb_ycc_convert.
func ofLibjpeg(r, g, b int32) [3]uint8 {
	const half = 1 << 15
	return [3]uint8{uint8((19595*r + 38470*g + 7471*b + half) >> 16),
		uint8((-11059*r - 21709*g + 32768*b + 128<<16 + half - 1) >> 16), uint8((32768*r - 27439*g - 5329*b + 128<<16 + half - 1) >> 16)}
}

// Every colour of every matrix and range, by every kernel, one pixel a cell. Samples are those of
// the formula: the real numbers, rounded, and 1 off in at most one of 800. Full-range BT.601 is
// libjpeg-turbo's. Its luma is that of color.RGBToYCbCr, too, whose chroma differ by 1 in one
// sample of 200.
func TestEveryColourOfCodings(t *testing.T) {
	const width = 1 << 16
	pix, got, want := make([]uint8, 4*width), make([]uint8, 3*width), make([]uint8, 3*width)
	for m := range shares {
		for i := range Codings[m] {
			coding := &Codings[m][i]
			factors, black := realFactors(m, i == 1)
			var off, samples, differ [3]int
			for r := range 256 {
				if testing.Short() && r%51 != 0 {
					continue
				}
				for x := range width {
					rgb := [3]int32{int32(r), int32(x >> 8), int32(x & 255)}
					pix[4*x], pix[4*x+1], pix[4*x+2] = uint8(r), uint8(x>>8), uint8(x)
					cb, cr := coding.factors.ChromaOf(rgb[0], rgb[1], rgb[2], 1)
					made := [3]uint8{coding.factors.LumaOf(rgb[0], rgb[1], rgb[2]), cb, cr}
					for of, v := range made {
						want[of*width+x] = v
						real := black[of] + factors[of][0]*float64(rgb[0]) + factors[of][1]*float64(rgb[1]) + factors[of][2]*float64(rgb[2])
						if d := math.Abs(real - float64(v)); d > 0.5 {
							if off[of]++; d > 0.51 {
								require.Fail(t, "off", "matrix %d, full range %v: %v has sample %d of %d, not %v", m, i == 1, rgb, of, v, real)
							}
						}
						samples[of]++
					}
					if m == 0 && i == 1 {
						if made != ofLibjpeg(rgb[0], rgb[1], rgb[2]) {
							require.Fail(t, "not libjpeg-turbo's", "%v", rgb)
						}
						y, cb, cr := color.RGBToYCbCr(uint8(r), uint8(x>>8), uint8(x))
						for of, v := range [...]uint8{y, cb, cr} {
							if d := int(v) - int(made[of]); d != 0 {
								if differ[of]++; d*d > 1 {
									require.Fail(t, "not package image/color's", "%v", rgb)
								}
							}
						}
					}
				}
				for _, k := range kernels() {
					f := &Frame{Kernel: k, Coding: coding, Y: got[:width], Cb: got[width : 2*width], Cr: got[2*width:], YStep: 1, CStep: 1, CellX: 1, CellY: 1,
						Width: width, Height: 1, Colours: &Colours{Pix: pix, Format: PixelFormat{Size: 4, Green: 1, Blue: 2}}}
					f.Make(nil, 0, 1)
					require.True(t, slices.Equal(want, got), "kernel %d, matrix %d, full range %v, red %d", k, m, i == 1, r)
				}
			}
			require.Less(t, 800*max(off[0], off[1], off[2]), samples[0])
			t.Logf("matrix %d, full range %v: of %d samples of luma, Cb and Cr %v are not the nearest", m, i == 1, samples[0], off)
			if m == 0 && i == 1 {
				t.Logf("color.RGBToYCbCr differs in %v", differ)
				require.Zero(t, differ[0])
				require.Less(t, 200*max(differ[1], differ[2]), 2*samples[0])
			}
		}
	}
}

// framed is a frame of random size whose slices end with the last sample, of random pixels whose
// slice ends with the last one.
type framed struct {
	Frame
	pix []uint8
}

func randomFrame(rng *rand.Rand, size image.Point, form int, cell image.Point, packed PixelFormat) *framed {
	phase := image.Pt(rng.IntN(cell.X), rng.IntN(cell.Y))
	p := random(rng, phase, size, form, cell)
	f := &framed{Frame: Frame{Coding: &Codings[rng.IntN(3)][rng.IntN(2)], Y: p.Y, Cb: p.Cb, Cr: p.Cr, YStride: p.YStride, CStride: p.CStride, YStep: p.YStep, CStep: p.CStep,
		CellX: cell.X, CellY: cell.Y, PhaseX: phase.X, PhaseY: phase.Y, Width: size.X, Height: size.Y}}
	left, top, stride := rng.IntN(3), rng.IntN(3), (size.X+2)*packed.Size+rng.IntN(3)
	f.pix = make([]uint8, (top+size.Y-1)*stride+(left+size.X)*packed.Size)
	for i := range f.pix {
		f.pix[i] = uint8(rng.Uint32())
	}
	f.Colours = &Colours{Pix: f.pix, Stride: stride, Format: packed, Window: Window{Left: left, Top: top}}
	return f
}

// orders of pixels.
var orders = []PixelFormat{{Size: 4, Red: 0, Green: 1, Blue: 2}, {Size: 4, Red: 2, Green: 1, Blue: 0}, {Size: 4, Red: 1, Green: 2, Blue: 3}, {Size: 4, Red: 3, Green: 2, Blue: 1},
	{Size: 3, Red: 0, Green: 1, Blue: 2}, {Size: 3, Red: 2, Green: 1, Blue: 0}, {Size: 1}}

// model stores the samples of f pixel by pixel.
func (f *framed) model() {
	c := f.Colours
	for y := 0; y < f.Height; {
		for x := 0; x < f.Width; {
			var sum [3]int32
			n := int32(0)
			endX, endY := min(f.Width, x+f.CellX-(f.PhaseX+x)%f.CellX), min(f.Height, y+f.CellY-(f.PhaseY+y)%f.CellY)
			for v := y; v < endY; v++ {
				for u := x; u < endX; u++ {
					at := (c.Window.Top+v)*c.Stride + (c.Window.Left+u)*c.Format.Size
					rgb := [3]int32{int32(c.Pix[at+c.Format.Red]), int32(c.Pix[at+c.Format.Green]), int32(c.Pix[at+c.Format.Blue])}
					f.Y[v*f.YStride+u*f.YStep] = f.Coding.factors.LumaOf(rgb[0], rgb[1], rgb[2])
					for k := range sum {
						sum[k] += rgb[k]
					}
					n++
				}
			}
			i := (f.PhaseY+y)/f.CellY*f.CStride + (f.PhaseX+x)/f.CellX*f.CStep
			f.Cb[i], f.Cr[i] = f.Coding.factors.ChromaOf(sum[0], sum[1], sum[2], n)
			x = endX
		}
		y += f.CellY - (f.PhaseY+y)%f.CellY
	}
}

// sampleCells are the cells that frames are made of.
var sampleCells = []image.Point{{1, 1}, {2, 1}, {2, 2}}

// Frames of every form and cell, of pixels of every order, of many sizes and places, in parts, by
// every kernel. Samples equal those of the model, and no other byte is written. FRAMES is how many
// frames are tried, 1,200 without it.
func TestRowsOfFrames(t *testing.T) {
	frames, seed := 1200, uint64(2)
	if n, err := strconv.Atoi(os.Getenv("FRAMES")); err == nil {
		frames, seed = n, 1001
	}
	rng := rand.New(rand.NewPCG(82, seed))
	for turn := range frames / len(forms) {
		size := image.Pt(1+rng.IntN(200), 1+rng.IntN(6))
		if turn%8 == 0 {
			size.X += 1900 * (1 + rng.IntN(2))
		}
		for form := range forms {
			cell, packed := sampleCells[rng.IntN(3)], orders[rng.IntN(len(orders))]
			f := randomFrame(rng, size, form, cell, packed)
			before := [][]uint8{slices.Clone(f.Y), slices.Clone(f.Cb[:cap(f.Cb)]), slices.Clone(f.Cr[:cap(f.Cr)])}
			f.model()
			want := [][]uint8{slices.Clone(f.Y), slices.Clone(f.Cb[:cap(f.Cb)]), slices.Clone(f.Cr[:cap(f.Cr)])}
			cells := int64((f.PhaseY+size.Y-1)/cell.Y + 1)
			for _, k := range kernels() {
				f.Kernel = k
				copy(f.Cb[:cap(f.Cb)], before[1])
				copy(f.Cr[:cap(f.Cr)], before[2])
				copy(f.Y, before[0])
				part := 1 + rng.Int64N(cells)
				for first := int64(0); first < cells; first += part {
					f.Make(nil, first, min(part, cells-first))
				}
				name := fmt.Sprintf("kernel %d, form %d, cells of %v from %d %d, %v, %v", k, form, cell, f.PhaseX, f.PhaseY, size, packed)
				require.True(t, slices.Equal(want[0], f.Y), "luma, %s", name)
				require.True(t, slices.Equal(want[1], f.Cb[:cap(f.Cb)]), "Cb, %s", name)
				require.True(t, slices.Equal(want[2], f.Cr[:cap(f.Cr)]), "Cr, %s", name)
			}
		}
	}
}

// Pixels that are made become the samples of the same pixels in memory: of rows that are made in
// several pieces, of samples of two bytes, which become a 257th, and of inks.
func TestFramesOfMadePixels(t *testing.T) {
	rng := rand.New(rand.NewPCG(82, 3))
	for turn := range 12 {
		size := image.Pt(1+rng.IntN(3*chunk), 1+rng.IntN(5))
		made := randomFrame(rng, size, rng.IntN(len(forms)), sampleCells[turn%3], PixelFormat{Size: 8, Green: 2, Blue: 4, Wide: true})
		made.Colours.Maker = [...]Maker{OfPixels, OfInks}[turn/3%2]
		plain := *made
		plain.Y, plain.Cb, plain.Cr = slices.Clone(made.Y), slices.Clone(made.Cb), slices.Clone(made.Cr)
		made.Cb, made.Cr = slices.Clone(made.Cb), slices.Clone(made.Cr) // pairs, apart
		w := made.Colours.Window
		w.Width, w.Step, w.Count = size.X, 1, size.Y
		rgba := make([]uint8, 4*size.X*size.Y)
		made.Colours.store(rgba, Layout{Pixel: 4, Stride: 4 * size.X}, w)
		for i := range rgba {
			if c := made.Colours; made.Colours.Maker == OfPixels && i%4 < 3 {
				at := (w.Top+i/4/size.X)*c.Stride + (w.Left+i/4%size.X)*8 + i%4*2
				require.Equal(t, uint8(math.Round(float64(int(c.Pix[at])<<8+int(c.Pix[at+1]))/257)), rgba[i])
			}
		}
		plain.Colours = &Colours{Pix: rgba, Stride: 4 * size.X, Format: PixelFormat{Size: 4, Green: 1, Blue: 2}}
		cells := int64((made.PhaseY+size.Y-1)/made.CellY + 1)
		for _, made.Kernel = range kernels() {
			plain.Kernel = made.Kernel
			made.Make(nil, 0, cells)
			plain.Make(nil, 0, cells)
			require.True(t, slices.Equal(plain.Y, made.Y) && slices.Equal(plain.Cb, made.Cb) && slices.Equal(plain.Cr, made.Cr), "%v, kernel %d", size, made.Kernel)
		}
	}
}
