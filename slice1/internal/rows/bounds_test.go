package rows

import (
	"bytes"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// Leaps give the sums that additions one by one give, for any ratio of sides, also where each sum
// is a tie. The way to the last of 2^31 - 1 sums takes few leaps.
func TestLeapsAreAdditions(t *testing.T) {
	rng := rand.New(rand.NewPCG(76, 3))
	side := func() int { return int(math.Exp2(rng.Float64() * 31)) }
	for n := range 4000 {
		step := float64(side()) / float64(side())
		switch n % 4 {
		case 0: // a rest of half a unit of the last place in many binades
			step = math.Ldexp(1+math.Ldexp(float64(1+2*rng.IntN(8)), -rng.IntN(53)), rng.IntN(20)-10)
		case 1:
			step = math.Nextafter(math.Ldexp(1, rng.IntN(9)), float64(rng.IntN(2)*1000))
		}
		count := 1 + rng.IntN(4000)
		want := mul(step, .5)
		for range count {
			want += step
		}
		got := mul(step, .5)
		for left := count; left > 0; {
			got, left = leap(got, step, left)
		}
		require.Equal(t, want, got, "%d steps of %v", count, step)
	}
	for range 400 {
		step, leaps := float64(side())/float64(math.MaxInt32), 0
		x := mul(step, .5)
		for left := math.MaxInt32 - 1; left > 0; leaps++ {
			x, left = leap(x, step, left)
		}
		require.Less(t, leaps, 200, step)
		require.InEpsilon(t, step*math.MaxInt32, x, 1e-6)
	}
	x := mul(3./7, .5) // a hundred million sums, one by one
	want := x
	for range 100_000_000 {
		want += 3. / 7
	}
	for left := 100_000_000; left > 0; {
		x, left = leap(x, 3./7, left)
	}
	require.Equal(t, want, x)
}

// Rows of which a goroutine may keep few bytes are made in panels of columns and, where rows are
// resampled first, in parts. The result is the same.
func TestPanels(t *testing.T) {
	rng := rand.New(rand.NewPCG(76, 4))
	side := func() int { return 1 + int(math.Exp2(rng.Float64()*9)) }
	panels, parts := 0, 0
	for n := range 600 {
		pixel, stays := [...]int{1, 3, 4}[rng.IntN(3)], rng.IntN(2) == 0
		r := request{filter: Filter(n % int(filters)), x: Axis{Size: side(), Scaled: side(), Flip: rng.IntN(2) == 0}, y: Axis{Size: side(), Scaled: side(), Flip: rng.IntN(2) == 0},
			rowsFirst: rng.IntN(2) == 0, pixel: pixel, stays: stays}
		shrink(r.filter, &r.x, &r.y)
		for _, a := range []*Axis{&r.x, &r.y} {
			if rng.IntN(4) == 0 {
				a.Scaled = a.Size
			}
			a.Begin = rng.IntN(a.Scaled)
			a.End = a.Begin + 1 + rng.IntN(a.Scaled-a.Begin)
		}
		pix := make([]uint8, r.x.Size*r.y.Size*pixel)
		for i := range pix {
			pix[i] = uint8(rng.Uint32())
		}
		for _, r.set = range sets() {
			r.vnni = hasVNNI(r.set)
			r.setPixel(pixel)
			var want []uint8
			for _, r.limit = range []int64{MostMemory, int64(1) << (6 + rng.IntN(12))} {
				p, err := r.inOrder().whole()
				require.NoError(t, err)
				panels += len(p.panels)
				require.Equal(t, p.panels != nil, p.MinBand() > 0)
				for _, s := range p.panelPlans() {
					if s.segment > 0 && s.columnsLast && s.segment < s.length {
						parts++
					}
				}
				low, high := p.SourceColumns()
				require.LessOrEqual(t, p.Bytes(), int64(high-low)*int64(r.y.Size*r.pixel))
				width, height := p.Size()
				got := make([]uint8, width*height*r.pixel)
				var w Worker
				w.Open(p)
				for k, band := 0, 1+rng.IntN(20); k < height; k += band {
					w.Resample(got[k*width*r.pixel:], width*r.pixel, k, min(band, height-k), &picture{pix: pix, stride: r.x.Size * pixel, left: low * pixel, pixel: pixel, stays: stays, plan: p})
				}
				got = withoutFourth(got, r.pixel, pixel)
				if w.Close(); want != nil {
					require.True(t, bytes.Equal(want, got), "%+v", r)
				}
				want = got
			}
		}
	}
	t.Logf("%d panels, %d of them in parts", panels, parts)
	require.Greater(t, parts, 10)
	require.Greater(t, panels, parts)
}

// A worker keeps little memory between pictures, whatever it made.
func TestWorkersKeepLittleMemory(t *testing.T) {
	for _, x := range []Axis{{Size: 100, Scaled: 200, End: 200}, {Size: 2000, Scaled: 20000, End: 20000}} {
		p, err := NewPlan(Lanczos, x, Axis{Size: 12000, Scaled: 60, End: 60}, false, 4, true, -1)
		require.NoError(t, err)
		require.LessOrEqual(t, p.Memory(), int64(MostMemory))
		var w Worker
		w.Open(p)
		require.LessOrEqual(t, int64(w.bytes()), p.Memory())
		w.Close()
		require.LessOrEqual(t, w.bytes(), mostIdle)
		require.Equal(t, x.Size == 100, w.bytes() > 0)
	}
}

// One sample of a result takes few weights and little memory, whatever the sides of the source and
// of the result, or it is refused before its weights are made.
func TestOneSampleOfAnySides(t *testing.T) {
	sides := []int{1, 4096, 1_000_000, 1<<20 + 1, 1<<24 + 3, math.MaxInt32}
	if testing.Short() {
		sides = []int{1, 1_000_000, 1<<24 + 3, math.MaxInt32}
	}
	made, refused := 0, 0
	for f := range filters {
		for _, size := range sides {
			for _, out := range sides {
				if f == Area && (size < 3 || out > size) { // sides grow
					continue
				}
				for _, at := range []int{0, out - 1} {
					for flag := range 8 {
						x := Axis{Size: size, Scaled: out, Begin: at, End: at + 1, Flip: flag&1 != 0}
						y := Axis{Size: min(size, 4096), Scaled: 3, Begin: 1, End: 2}
						if flag&2 != 0 {
							x, y = y, x
						}
						var (
							before, after runtime.MemStats
							w             Worker
						)
						runtime.ReadMemStats(&before)
						p, err := NewPlan(f, x, y, flag&2 != 0, 4, flag&4 != 0, -1)
						if err == nil {
							made++
							require.LessOrEqual(t, p.columns.size()+p.rows.size(), 2*MostTaps)
							w.Open(p)
							require.LessOrEqual(t, p.Memory(), int64(56<<20))
						} else {
							refused++
							require.ErrorContains(t, err, "of the source along an axis: must take at most 1048576")
						}
						runtime.ReadMemStats(&after)
						require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20), "filter %d, %+v, %+v", f, x, y)
						runtime.KeepAlive(&w)
					}
				}
			}
		}
	}
	t.Logf("%d made, %d refused", made, refused)
	require.NotZero(t, refused)
}
