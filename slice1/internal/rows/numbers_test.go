package rows

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// planeModel makes a plane of another size, a number at a time, as Pillow's mode F and OpenCV with
// CV_32F do.
func planeModel(m *model, src []float32) []float32 {
	along := func(a []float32, size, out, lines int, columns bool, at func(line, k, length int) int) []float32 {
		if size == out && (m.f != Linear || m.x.unchanged() && m.y.unchanged()) {
			return a
		}
		b := make([]float32, lines*out)
		for line := range lines {
			for i := range out {
				v := func(k int) float32 { return a[at(line, k, size)] }
				to := &b[at(line, i, out)]
				switch m.f {
				case Nearest:
					*to = v(nearest(size, out, i))
				case Linear:
					first, second, f := m.place(size, out, i, columns)
					if columns && first == size-1 {
						*to = v(first)
						continue
					}
					p, q := float32(v(first)*(1-f)), float32(v(second)*f)
					*to = p + q
				default:
					first, weights := m.weightsOf(size, out, i)
					sum := 0.
					for k, w := range weights {
						sum += float64(float64(v(first+k)) * w)
					}
					*to = float32(sum)
				}
			}
		}
		return b
	}
	width := m.x.Scaled
	b := along(src, m.x.Size, m.x.Scaled, m.y.Size, true, func(line, k, length int) int { return line*length + k })
	return along(b, m.y.Size, m.y.Scaled, width, false, func(line, k, _ int) int { return k*width + line })
}

// Every kernel makes of planes what the model makes, also in panels of few bytes, in any bands and
// of any part.
func TestPlanes(t *testing.T) {
	rng := rand.New(rand.NewPCG(82, 3))
	side := func() int { return int(math.Exp2(rng.Float64() * 8)) }
	panels := 0
	for n := range 700 {
		r := request{filter: Filter(n % int(Area)), x: Axis{Size: side(), Scaled: side()}, y: Axis{Size: side(), Scaled: side()}, pixel: 4, stays: true, planes: 1}
		for _, a := range []*Axis{&r.x, &r.y} {
			if rng.IntN(5) == 0 {
				a.Scaled = a.Size
			}
			a.End = a.Scaled
		}
		pix := make([]uint8, 4*r.x.Size*r.y.Size)
		src := numbersOf(pix)
		for i := range src {
			src[i] = float32(rng.NormFloat64())
		}
		whole, width := planeModel(&model{r.filter, r.x, r.y}, src), r.x.Scaled
		if n%3 == 0 {
			for _, a := range []*Axis{&r.x, &r.y} {
				a.Begin = rng.IntN(a.Scaled)
				a.End = a.Begin + 1 + rng.IntN(a.Scaled-a.Begin)
			}
		}
		var want []float32
		for y := r.y.Begin; y < r.y.End; y++ {
			want = append(want, whole[y*width+r.x.Begin:][:r.x.End-r.x.Begin]...)
		}
		for _, r.set = range sets() {
			for _, r.limit = range []int64{MostMemory, int64(1) << (8 + rng.IntN(12))} {
				p, err := r.whole()
				require.NoError(t, err)
				panels += len(p.panels)
				low, _ := p.SourceColumns()
				width, height := p.Size()
				got := make([]uint8, 4*width*height)
				var w Worker
				w.Open(p)
				for k, band := 0, 1+rng.IntN(20); k < height; k += band {
					w.Resample(got[4*k*width:], 4*width, k, min(band, height-k), &picture{pix: pix, stride: 4 * r.x.Size, left: 4 * low, pixel: 4, stays: true, plan: p})
				}
				require.LessOrEqual(t, int64(w.bytes()), p.Memory()+1<<16, "%+v", r)
				w.Close()
				require.Equal(t, want, numbersOf(got), "%d, set %d: %+v", n, r.set, r)
			}
		}
	}
	t.Logf("%d panels", panels)
	require.Greater(t, panels, 100)
	_, err := NewPlanePlan(Area, Axis{Size: 1, Scaled: 1, End: 1}, Axis{Size: 1, Scaled: 1, End: 1}, 1, -1)
	require.EqualError(t, err, "rows: filter 7: must be 0 to 7")
}
