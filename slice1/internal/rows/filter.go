package rows

import "math"

// Filter is a rule by which samples are weighted.
type Filter int

const (
	Bilinear Filter = iota // Bilinear to Nearest are Pillow's
	Bicubic
	Lanczos
	Box
	Hamming
	Nearest
	Linear // OpenCV's INTER_LINEAR
	Area   // OpenCV's INTER_AREA, if no side grows
	filters
)

// support is how far each filter of weights reaches, in samples of the result or of the source,
// whichever are wider.
var support = [...]float64{Bilinear: 1, Bicubic: 2, Lanczos: 3, Box: .5, Hamming: 1, Nearest: 0}

// mul returns x*y, rounded. The conversion keeps a compiler from fusing the product with a sum.
func mul(x, y float64) float64 { return float64(x * y) }

// at returns the value of f at x, which is a distance from the filter's centre.
func (f Filter) value(x float64) float64 {
	const sharpness = -.5 // of Bicubic
	far := math.Abs(x)
	switch {
	case f == Box && -.5 < x && x <= .5, f == Hamming && x == 0:
		return 1
	case f == Bilinear && far < 1:
		return 1 - far
	case f == Lanczos && -3 <= x && x < 3:
		return mul(sinc(x), sinc(x/3))
	case f == Hamming && far < 1:
		sin, cos := sincos(mul(far, math.Pi))
		return mul(sin/mul(far, math.Pi), float64(float32(.54))+mul(float64(float32(.46)), cos)) // Pillow's constants are floats
	case f == Bicubic && far < 1:
		return mul(mul(mul(sharpness+2, far)-(sharpness+3), far), far) + 1
	case f == Bicubic && far < 2:
		return mul(mul(mul(far-5, far)+8, far)-4, sharpness)
	}
	return 0
}

func sinc(x float64) float64 {
	if x == 0 {
		return 1
	}
	sin, _ := sincos(mul(math.Pi, x))
	return sin / mul(math.Pi, x)
}

// sincos returns sine and cosine of x, for x from -10 to 10, with an error of little more than half
// a unit of the last place. It is the same on every machine, which math.Sin is not. The method and
// the polynomials are those of FreeBSD's msun.
func sincos(x float64) (sin, cos float64) {
	const (
		high = 1.57079632673412561417e+00 // the first 33 bits of pi/2
		low  = 6.07710050650619224932e-11 // pi/2 - high
	)
	n := math.RoundToEven(mul(x, 2/math.Pi))
	r, tail := x-mul(n, high), mul(n, low)
	x = r - tail
	tail = (r - x) - tail // x + tail is from -pi/4 to pi/4
	z := mul(x, x)
	polynomial := func(c ...float64) (sum float64) {
		for _, v := range c {
			sum = mul(sum, z) + v
		}
		return sum
	}
	p := polynomial(1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06, -1.98412698298579493134e-04,
		8.33333333332248946124e-03)
	q := polynomial(-1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07, 2.48015872894767294178e-05,
		-1.38888888888741095749e-03, 4.16666666666666019037e-02)
	cube, half := mul(z, x), mul(.5, z)
	s := x - ((mul(z, mul(.5, tail)-mul(cube, p)) - tail) - mul(cube, -1.66666666666666324348e-01))
	c := 1 - half
	c += ((1 - c) - half) + (mul(mul(z, z), q) - mul(x, tail))
	if int(n)&1 != 0 {
		s, c = c, -s
	}
	if int(n)&2 != 0 {
		s, c = -s, -c
	}
	return s, c
}
