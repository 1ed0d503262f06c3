package rows

import (
	"fmt"
	"image"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// rules are the formulas of libraries and their names.
var rules = map[string]*Formula{"libjpeg": &LibJPEG, "libwebp": &LibWebP, "opencv": &OpenCV, "swscale 601": &Swscale[0][0], "swscale 601 full": &Swscale[0][1],
	"swscale 709": &Swscale[1][0], "swscale 709 full": &Swscale[1][1]}

// neighbour returns the number of the sample before or behind number i of n, or i at an edge.
func neighbour(i, side, n int) int {
	if i+side < 0 || i+side >= n {
		return i
	}
	return i + side
}

// smooth returns the chroma of a pixel as a decoder interpolates it from a plane, by the tables of
// testdata/planes/model.py. cx and cy count pixels from the first pixel of the first cell.
func smooth(rule program.Rule, cell image.Point, columns, rows, cx, cy int, at func(i, j int) int) int {
	i, j, oddX, oddY := cx/cell.X, cy/cell.Y, cx%cell.X, cy%cell.Y
	x, y := neighbour(i, 2*oddX-1, columns), neighbour(j, 2*oddY-1, rows)
	narrow := columns <= 2
	switch {
	case rule == program.LibWebP && cell == image.Pt(2, 2):
		return (9*at(i, j) + 3*at(x, j) + 3*at(i, y) + at(x, y) + 8) / 16
	case rule == program.LibJPEG && cell == image.Pt(2, 1) && !narrow:
		return (3*at(i, j) + at(x, j) + 1 + oddX) / 4
	case rule == program.LibJPEG && cell == image.Pt(1, 2):
		return (3*at(i, j) + at(i, y) + 1 + oddY) / 4
	case rule == program.LibJPEG && cell == image.Pt(2, 2) && !narrow:
		s, beside := 3*at(i, j)+at(i, y), 3*at(x, j)+at(x, y)
		return (3*s + beside + 8 - oddX) / 16
	}
	return at(i, j)
}

// model returns R, G and B of a pixel by the slow rule of a library.
func (p *Luma) model(x, y int) (r, g, b uint8) {
	chroma := func(plane []uint8) uint8 {
		return uint8(smooth(p.Formula.coefficients.Rule, image.Pt(p.CellX, p.CellY), p.Columns, p.Rows, p.PhaseX+x, p.PhaseY+y, func(i, j int) int {
			return int(plane[j*p.CStride+i*p.CStep])
		}))
	}
	return p.Formula.RGB(p.Y[y*p.YStride+x*p.YStep], chroma(p.Cb), chroma(p.Cr))
}

// Every colour of every rule by real arithmetic on numbers that cannot overflow, and by every
// kernel.
func TestEveryColourOfDecoders(t *testing.T) {
	floor := func(a, b int64) int64 {
		if a%b != 0 && a < 0 {
			return a/b - 1
		}
		return a / b
	}
	var y, blue, red [1 << 16]uint8
	var got, want [3 << 16]uint8
	for i := range y {
		y[i], blue[i] = uint8(i), uint8(i>>8)
	}
	for name, formula := range rules {
		c := &formula.coefficients
		f := &Luma{Formula: formula, Y: y[:], Cb: blue[:], Cr: red[:], YStep: 1, CStep: 1, CellX: 1, CellY: 1, Columns: 1 << 16, Rows: 1}
		for cr := range 256 {
			if (testing.Short() || c.Rule == program.Swscale && formula != &Swscale[0][0]) && cr%51 != 0 {
				continue
			}
			for i := range red {
				red[i] = uint8(cr)
				l, cb, v := int64(y[i]), int64(blue[i]), int64(cr)
				var rgb [3]int64
				switch c.Rule {
				case program.LibJPEG:
					cb, v = cb-128, v-128
					rgb = [3]int64{l + floor(91881*v+32768, 65536), l + floor(-22554*cb-46802*v+32768, 65536), l + floor(116130*cb+32768, 65536)}
				case program.LibWebP:
					l = floor(19077*l, 256)
					rgb = [3]int64{floor(l+floor(26149*v, 256)-14234, 64), floor(l-floor(6419*cb, 256)-floor(13320*v, 256)+8708, 64), floor(l+floor(33050*cb, 256)-17685, 64)}
				case program.OpenCV:
					l, cb, v = max(0, l-16)*1220542+1<<19, cb-128, v-128
					rgb = [3]int64{floor(l+1673527*v, 1<<20), floor(l-852492*v-409993*cb, 1<<20), floor(l+2116026*cb, 1<<20)}
				case program.Swscale:
					if c.Luma != 0 {
						l = floor((8*l-128)*int64(c.Luma), 65536)
					}
					part := func(factor int32, v int64) int64 { return floor((8*v-1024)*int64(factor), 65536) }
					rgb = [3]int64{l + part(c.RedCr, v), l + part(c.GreenCb, cb) + part(c.GreenCr, v), l + part(c.BlueCb, cb)}
				}
				for k, v := range rgb {
					want[k<<16+i] = uint8(min(max(v, 0), 255))
				}
			}
			each(f, func(f *Luma) {
				f.Store(got[:], Layout{1, 0, 1 << 16}, Window{0, 1 << 16, 0, 1, 1})
				require.True(t, got == want, "kernel %d, %s, Cr %d", f.Kernel, name, cr)
			})
		}
	}
}

// decoded returns a random picture whose colours a library makes.
func decoded(rng *rand.Rand, formula *Formula, phase, size image.Point, form int, cell image.Point) *Luma {
	p := random(rng, phase, size, form, cell)
	p.Formula, p.Columns, p.Rows = formula, (phase.X+size.X-1)/cell.X+1, (phase.Y+size.Y-1)/cell.Y+1
	if rng.IntN(4) == 0 { // only the smallest and the largest samples
		for _, plane := range [][]uint8{p.Y, p.Cb, p.Cr} {
			for i, v := range plane {
				plane[i] = 255 * (v >> 7)
			}
		}
	}
	return p
}

// Pictures of every rule, form and cell, with windows of many widths at any column and row, and
// rows in any order, by every kernel. Pixels equal those of the slow rule, At gives the same, and
// no other byte is written.
func TestRowsOfDecoders(t *testing.T) {
	rng := rand.New(rand.NewPCG(80, 1))
	for turn := range 120 {
		width, height := 1+rng.IntN(12), 1+rng.IntN(7)
		if turn%2 == 0 {
			width = 1 + rng.IntN(200)
		}
		if turn%4 == 2 { // the cells behind the first one fill vectors
			width = 32*(1+rng.IntN(5)) + 1 + rng.IntN(2)
		}
		if turn%16 == 0 {
			width += 1900 * (1 + rng.IntN(2))
		}
		form := rng.IntN(len(forms))
		for name, formula := range rules {
			for _, cell := range cells {
				f := decoded(rng, formula, image.Pt(rng.IntN(cell.X), rng.IntN(cell.Y)), image.Pt(width, height), form, cell)
				rows := Window{Left: rng.IntN(width), Top: rng.IntN(height), Step: 1 + rng.IntN(2)}
				rows.Width = 1 + rng.IntN(width-rows.Left)
				if rng.IntN(2) == 0 {
					rows.Left, rows.Width = 0, width
				}
				rows.Count = 1 + (height-rows.Top-1)/rows.Step
				if rng.IntN(3) == 0 {
					rows.Step, rows.Count = -1, 1+rng.IntN(rows.Top+1)
				}
				what := fmt.Sprintf("%s, form %d, cells of %v, %+v of %d x %d", name, form, cell, rows, width, height)
				for _, pixel := range []int{1, 3, 4} {
					to := Layout{Pixel: pixel, Stride: rows.Width*pixel + rng.IntN(3), Plane: 1 - 2*rng.IntN(2)}
					size := rows.Count * to.Stride
					if pixel == 1 {
						to.Plane = size + 1
						size = 3 * to.Plane
					}
					before := slices.Repeat([]uint8{0xa5}, size)
					want := stored(before, to, rows, func(x, y int) (r, g, b uint8) {
						r, g, b = f.model(x, y)
						if turn%8 == 1 {
							r1, g1, b1, ok := f.PixelAt(x, y)
							require.Equal(t, []any{r, g, b, true}, []any{r1, g1, b1, ok}, what)
						}
						return r, g, b
					})
					each(f, func(f *Luma) {
						got := slices.Clone(before)
						f.Store(got, to, rows)
						require.Equal(t, want, got, "kernel %d, %s, pixels of %d", f.Kernel, what, pixel)
					})
				}
			}
		}
	}
}
