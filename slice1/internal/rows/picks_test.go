package rows

import (
	"image"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// resizedLuma returns the picture that a plan makes of colours. Its axes begin with column `left`
// and row `top`.
func resizedLuma(p *Plan, c *Colours, left, top int) []uint8 {
	low, _ := p.SourceColumns()
	width, height := p.Size()
	r := &Resampler{Plan: p, Colours: c, Left: left + low, Top: top, Rows: height, Pitch: width * p.pixel}
	dst := make([]uint8, width*height*p.pixel)
	r.Make(unsafe.Pointer(&dst[0]), 0, int64(height))
	r.Close()
	return dst
}

// randomPart returns a random part of a result of an axis.
func randomPart(rng *rand.Rand, size int) Axis {
	a := Axis{Size: size, Scaled: 1 + rng.IntN(size+size/8+1), Flip: rng.IntN(2) == 0}
	if rng.IntN(3) == 0 {
		a.Scaled = 1 + size/(3+rng.IntN(9))
	}
	a.End = a.Scaled
	if rng.IntN(2) == 0 {
		a.Begin = rng.IntN(a.Scaled)
		a.End = a.Begin + 1 + rng.IntN(a.Scaled-a.Begin)
	}
	return a
}

// Nearest and Linear of samples that are taken before they become colours give the bytes of pixels
// that are resampled after it: of every form, cell and rule, windows at any column and row, flipped
// and transposed, by every kernel.
func TestPicksAreThoseOfColours(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 50))
	picked, interpolated := map[bool]int{}, map[sampling]int{}
	for turn := range 1200 {
		form, cell := rng.IntN(len(forms)), cells[rng.IntN(len(cells))]
		width, height := 1+rng.IntN(90), 1+rng.IntN(24)
		if turn%4 == 0 {
			width += rng.IntN(900)
		}
		left, top := rng.IntN(5), rng.IntN(3)
		phase, size := image.Pt(rng.IntN(cell.X), rng.IntN(cell.Y)), image.Pt(left+width, top+height)
		l := random(rng, phase, size, form, cell)
		if rng.IntN(2) == 0 {
			rules := []*Formula{&LibJPEG, &LibWebP, &Swscale[1][0], &OpenCV}
			l = decoded(rng, rules[rng.IntN(len(rules))], phase, size, form, cell)
		}
		if turn%3 == 0 { // chroma that are interpolated
			cell, width = [...]image.Point{{2, 2}, {2, 1}, {1, 2}}[rng.IntN(3)], width+rng.IntN(300)
			l = decoded(rng, []*Formula{&LibJPEG, &LibJPEG, &LibWebP}[rng.IntN(3)], image.Pt(phase.X%cell.X, phase.Y%cell.Y), image.Pt(left+width, top+height), form, cell)
		}
		x, y, f := randomPart(rng, width), randomPart(rng, height), []Filter{Nearest, Linear}[rng.IntN(2)]
		rowsFirst, grey := rng.IntN(3) == 0, rng.IntN(4) == 0
		pixel := 4
		if grey {
			pixel = 1
		}
		c := &Colours{Maker: OfLuma, Luma: *l, Grey: grey}
		c.Luma.Kernel = plan.Go
		whole, err := NewPlan(f, x, y, rowsFirst, pixel, false, -1)
		require.NoError(t, err)
		want := resizedLuma(whole, c, left, top)
		for _, set := range sets() {
			p, err := NewLumaPlan(f, x, y, rowsFirst, pixel, &c.Luma, left, set)
			require.NoError(t, err)
			c.Luma.Kernel = plan.Kernel(set)
			require.Equal(t, want, resizedLuma(p, c, left, top), "set %d, filter %d, form %d, cells of %v, rule %d, %+v, %+v, rows first %v, grey %v",
				set, f, form, cell, l.Formula.coefficients.Rule, x, y, rowsFirst, grey)
			picked[p.picks != nil]++
			if p.picks != nil && p.picks.rounds[0] != nil {
				interpolated[sampling{smoothX: p.sampling.smoothX, smoothY: p.sampling.smoothY, chromaStep: p.sampling.chromaStep}]++
			}
		}
	}
	t.Log(picked, interpolated)
	require.Greater(t, min(picked[true], picked[false]), 150)
}

// Samples are taken where this saves colours, and pixels elsewhere.
func TestWherePicks(t *testing.T) {
	l := &Luma{Formula: &Formulas[0][1], YStep: 1, CStep: 1, CellX: 2, CellY: 2, Columns: 256, Rows: 256}
	smooth := *l
	smooth.Formula = &LibJPEG
	for _, row := range []struct {
		f         Filter
		out       int
		rowsFirst bool
		l         *Luma
		picks     bool
	}{
		{Nearest, 224, false, l, true}, {Nearest, 224, true, l, true}, {Nearest, 384, false, l, true}, {Nearest, 385, false, l, false}, {Nearest, 600, false, l, false},
		{Linear, 127, false, l, true}, {Linear, 129, false, l, false}, {Linear, 127, true, l, false}, {Bilinear, 127, false, l, false}, {Area, 127, false, l, false},
		{Nearest, 224, false, &smooth, false}, {Linear, 127, false, &smooth, false},
	} {
		x := Axis{Size: 512, Scaled: row.out, End: row.out}
		p, err := NewLumaPlan(row.f, x, x, row.rowsFirst, 4, row.l, 0, -1)
		require.NoError(t, err)
		require.Equal(t, row.picks, p.picks != nil, row)
	}
}

// Alpha of 255 stays so by every plan that says it does.
func TestOpaqueStays(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 51))
	stays := map[bool]int{}
	for range 300 {
		x, y := randomPart(rng, 1+rng.IntN(300)), randomPart(rng, 1+rng.IntN(60))
		f := Filter(rng.IntN(int(filters)))
		shrink(f, &x, &y)
		p, err := NewPlan(f, x, y, false, 4, true, sets()[rng.IntN(len(sets()))])
		require.NoError(t, err)
		stays[p.Opaque()]++
		if !p.Opaque() {
			continue
		}
		pix := make([]uint8, 4*x.Size*y.Size)
		for i := range pix {
			pix[i] = uint8(rng.Uint32()) | uint8(i%4/3*255)
		}
		low, _ := p.SourceColumns()
		width, height := p.Size()
		dst := make([]uint8, 4*width*height)
		r := &Resampler{Plan: p, Pix: pix, Stride: 4 * x.Size, Pixel: 4, Left: low, Rows: height, Pitch: 4 * width}
		r.Make(unsafe.Pointer(&dst[0]), 0, int64(height))
		r.Close()
		for i := 3; i < len(dst); i += 4 {
			require.EqualValues(t, 255, dst[i], "filter %d, %+v, %+v", f, x, y)
		}
	}
	t.Log(stays)
	require.Greater(t, min(stays[true], stays[false]), 20)
	heavy := &table{taps: 2, n: []int32{2}, weights: []int32{1 << 21, 1<<21 - 8225}}
	require.False(t, heavy.keepsWhite(Bilinear))
	heavy.weights[1]++
	require.True(t, heavy.keepsWhite(Bilinear))
	require.EqualValues(t, 255, byteOf(int32(half)+255*(heavy.weights[0]+heavy.weights[1])))
	require.EqualValues(t, 254, byteOf(int32(half)+255*(heavy.weights[0]+heavy.weights[1]-1)))
}
