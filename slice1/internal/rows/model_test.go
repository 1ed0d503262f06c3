package rows

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// model is the slow rule that results are compared with: a value at a time, in the order of
// operations of Pillow and OpenCV. float64() keeps a product and a sum from being fused.
type model struct {
	f    Filter
	x, y Axis
}

// value returns the filter's value at a distance from its centre.
func (m *model) value(x float64) float64 {
	sinc := func(x float64) float64 {
		if x == 0 {
			return 1
		}
		return math.Sin(float64(math.Pi*x)) / float64(math.Pi*x)
	}
	far := math.Abs(x)
	switch {
	case m.f == Box && -.5 < x && x <= .5:
		return 1
	case m.f == Bilinear && far < 1:
		return 1 - far
	case m.f == Hamming && far == 0:
		return 1
	case m.f == Hamming && far < 1:
		angle := float64(far * math.Pi)
		return math.Sin(angle) / angle * (float64(float32(.54)) + float64(float64(float32(.46))*math.Cos(angle)))
	case m.f == Bicubic && far < 1:
		return float64(float64((float64(1.5*far)-2.5)*far)*far) + 1
	case m.f == Bicubic && far < 2:
		return float64((float64((float64((far-5)*far)+8)*far) - 4) * -.5)
	case m.f == Lanczos && -3 <= x && x < 3:
		return float64(sinc(x) * sinc(x/3))
	}
	return 0
}

// weights returns the first sample that sample i of a result takes, and the weights of those that
// it takes from there on.
func (m *model) weights(size, out, i int) (first int, weights []int64) {
	first, values := m.weightsOf(size, out, i)
	for _, v := range values {
		weights = append(weights, int64(float64(v*(1<<22))+math.Copysign(.5, v)))
	}
	return first, weights
}

// weightsOf is weights for numbers, which are not rounded.
func (m *model) weightsOf(size, out, i int) (first int, values []float64) {
	scale := float64(size) / float64(out)
	stretch := max(1, scale)
	reach := map[Filter]float64{Box: .5, Bilinear: 1, Hamming: 1, Bicubic: 2, Lanczos: 3}[m.f] * stretch
	center := float64((float64(i) + .5) * scale)
	first = max(0, int(center-float64(reach)+.5))
	total := 0.
	for x := first; x < min(size, int(center+float64(reach)+.5)); x++ {
		v := m.value(float64((float64(x) - center + .5) * (1 / stretch)))
		values = append(values, v)
		total += v
	}
	for k := range values {
		values[k] /= total
	}
	return first, values
}

// along makes a line of a result. `sample` returns a sample of the source.
func (m *model) along(size, out, i int, sample func(k int) int64) int64 {
	first, weights := m.weights(size, out, i)
	sum := int64(1) << 21
	for k, w := range weights {
		sum += w * sample(first+k)
	}
	return min(max(sum>>22, 0), 255)
}

// pair returns the two samples that sample i of Linear's result takes, and their weights.
func (m *model) pair(size, out, i int, columns bool) (a, b int, v, w int64) {
	a, b, f := m.place(size, out, i, columns)
	return a, b, int64(math.RoundToEven(float64((1 - f) * 2048))), int64(math.RoundToEven(float64(f * 2048)))
}

// place returns the two samples that sample i of Linear's result takes, and where it lies between
// them.
func (m *model) place(size, out, i int, columns bool) (a, b int, f float32) {
	scale := 1 / (float64(out) / float64(size))
	f = float32(float64((float64(i)+.5)*scale) - .5)
	a = int(math.Floor(float64(f)))
	f -= float32(a)
	if columns && a < 0 {
		a, f = 0, 0
	}
	if columns && a >= size-1 {
		a, f = size-1, 0
	}
	clamped := func(k int) int { return min(max(k, 0), size-1) }
	return clamped(a), clamped(a + 1), f
}

// nearest returns the sample that sample i of a result of Pillow's nearest takes.
func nearest(size, out, i int) int {
	step := float64(size) / float64(out)
	x := float64(step * .5)
	for range i {
		x += step
	}
	return int(x)
}

// covered returns the first sample that sample i of Area's result takes, and their weights.
func covered(size, out, i int) (first int, weights []float32) {
	scale := float64(size) / float64(out)
	begin := float64(float64(i) * scale)
	end, width := begin+scale, min(scale, float64(size)-begin)
	k, last := int(math.Ceil(begin)), min(int(math.Floor(end)), size-1)
	if first = k; float64(k)-begin > 1e-3 {
		first--
		weights = append(weights, float32((float64(k)-begin)/width))
	}
	for range last - k {
		weights = append(weights, float32(1/width))
	}
	if rest := end - float64(last); rest > 1e-3 {
		weights = append(weights, float32(min(min(rest, 1), width)/width))
	}
	return first, weights
}

// mean returns sample (i, j) of Area's result: columns, then rows.
func (m *model) mean(i, j int, sample func(x, y int) int64) int64 {
	across, along := m.x.Size/m.x.Scaled, m.y.Size/m.y.Scaled
	if m.x.Size%m.x.Scaled == 0 && m.y.Size%m.y.Scaled == 0 {
		sum := int64(0)
		for y := range along {
			for x := range across {
				sum += sample(i*across+x, j*along+y)
			}
		}
		if across == 2 && along == 2 {
			return (sum + 2) / 4
		}
		return int64(math.RoundToEven(float64(float32(float32(sum) * float32(1/float64(across*along))))))
	}
	left, v := covered(m.x.Size, m.x.Scaled, i)
	top, u := covered(m.y.Size, m.y.Scaled, j)
	sum := float32(0)
	for y, weight := range u {
		row := float32(0)
		for x, w := range v {
			row += float32(float32(sample(left+x, top+y)) * w)
		}
		sum += float32(row * weight)
	}
	return int64(math.RoundToEven(float64(sum)))
}

// result makes all samples of a result. `sample` returns the one of the source at (x, y).
func (m *model) result(sample func(x, y int) int64) (out [][]int64) {
	w, h := m.x.Scaled, m.y.Scaled
	rows := make(map[int][]int64) // whose columns are resampled
	row := func(y int) []int64 {
		if rows[y] == nil {
			line := make([]int64, w)
			for i := range line {
				if a, b, v, u := m.pair(m.x.Size, w, i, true); m.f == Linear {
					line[i] = sample(a, y)*v + sample(b, y)*u
				} else if w == m.x.Size {
					line[i] = sample(i, y)
				} else {
					line[i] = m.along(m.x.Size, w, i, func(k int) int64 { return sample(k, y) })
				}
			}
			rows[y] = line
		}
		return rows[y]
	}
	for j := range h {
		line := make([]int64, w)
		for i := range line {
			switch {
			case w == m.x.Size && h == m.y.Size:
				line[i] = sample(i, j)
			case m.f == Nearest:
				line[i] = sample(nearest(m.x.Size, w, i), nearest(m.y.Size, h, j))
			case m.f == Area:
				line[i] = m.mean(i, j, sample)
			case m.f == Linear:
				a, b, v, u := m.pair(m.y.Size, h, j, false)
				line[i] = (row(a)[i]>>4*v>>16 + row(b)[i]>>4*u>>16 + 2) >> 2
			case h == m.y.Size:
				line[i] = row(j)[i]
			default:
				line[i] = m.along(m.y.Size, h, j, func(k int) int64 { return row(k)[i] })
			}
		}
		out = append(out, line)
	}
	return out
}

// Every kernel makes what the model makes, of pictures and in memory that inaccessible pages
// surround: no loop reads or writes before or behind a row. Widths are those up to three vectors,
// and one more.
func TestModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(66, 3))
	memory := [2][]uint8{fenced(t, 1<<17), fenced(t, 1<<16)}
	at := func(k, n int, atEnd bool) []uint8 {
		if m := memory[k]; atEnd {
			return m[len(m)-n:]
		}
		return memory[k][:n:n]
	}
	kernels, passes := sets(), map[program.Pass]int{}
	for n := range 97 * 2 * int(filters) {
		out, f := 1+n/2%97, Filter(n/2%int(filters))
		size := 1 + rng.IntN(97)
		if n%4 == 1 { // more that shrink a lot
			size *= 4
		}
		x, y := Axis{Size: size, Scaled: out, End: out}, Axis{Size: 1 + rng.IntN(9), Scaled: 1 + rng.IntN(20)}
		if n%2 == 0 {
			x.Size, x.Scaled, x.End = out, size, size
		}
		y.End = y.Scaled
		switch rng.IntN(10) {
		case 0:
			x.Size = x.Scaled
		case 1:
			y.Size = y.Scaled
		}
		if shrink(f, &x, &y); f == Area && rng.IntN(2) == 0 { // by whole factors
			x.Size, y.Size = x.Scaled*(1+rng.IntN(4)), y.Scaled*(1+rng.IntN(4))
			if rng.IntN(3) == 0 {
				x.Size, y.Size = 2*x.Scaled, 2*y.Scaled
			}
		}
		pixel, rowsFirst, atEnd := [...]int{1, 3, 4}[rng.IntN(3)], rng.IntN(2) == 0, rng.IntN(2) == 0
		pix := at(0, x.Size*y.Size*pixel, atEnd)
		for i := range pix {
			if pix[i] = uint8(rng.Uint32()); n%3 == 0 { // black and white, for sums beyond both ends
				pix[i] = -(pix[i] & 1)
			}
		}
		m := model{f, x, y}
		if rowsFirst {
			m.x, m.y = y, x
		}
		width := x.Size * pixel
		low, high, top, bottom := 0, x.Size, 0, y.Size
		for i, set := range kernels {
			p, err := NewPlan(f, x, y, rowsFirst, pixel, n%3 > 0, set)
			require.NoError(t, err)
			if c := p.packedColumns; c != nil {
				passes[c.pass]++
			}
			if i == 0 {
				low, high = p.SourceColumns()
				top, bottom = p.SourceRows()
			}
			taken := pix[top*width+low*pixel : (bottom-1)*width+high*pixel]
			if atEnd { // the last byte that is taken lies at the page
				taken = at(0, len(taken), true)
				if i == 0 {
					copy(taken, pix[top*width+low*pixel:][:len(taken)])
				}
			}
			dst := at(1, y.Scaled*x.Scaled*p.pixel, rng.IntN(2) == 0)
			clear(dst)
			var w Worker
			w.Open(p)
			w.Resample(dst, x.Scaled*p.pixel, 0, y.Scaled, &picture{pix: taken, stride: width, first: top, pixel: pixel, stays: n%3 > 0, plan: p})
			for c := range pixel {
				want := m.result(func(i, j int) int64 {
					if rowsFirst {
						i, j = j, i
					}
					return int64(taken[(j-top)*width+(i-low)*pixel+c])
				})
				for j := range y.Scaled {
					for i := range x.Scaled {
						k, l := i, j
						if rowsFirst {
							k, l = j, i
						}
						if got := int64(dst[(j*x.Scaled+i)*p.pixel+c]); got != want[l][k] {
							require.Equal(t, want[l][k], got, "%d, set %d: %v, pixels of %d, sample %d of (%d, %d)", n, set, m, pixel, c, i, j)
						}
					}
				}
			}
		}
	}
	for pass := program.WeighQuads; pass <= program.ZipSpans; pass++ {
		require.Equal(t, hasVNNI(kernels[len(kernels)-1]), passes[pass] > 10, "pass %d: %v", pass, passes)
	}
}
