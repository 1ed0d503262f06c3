package slice1

import "math/bits"

// mul returns a*b of operands that are not negative; ok is false if that leaves 63 bits.
func mul(a, b int64) (product int64, ok bool) {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return int64(lo), hi == 0 && int64(lo) >= 0
}

// add returns a+b of operands that are not negative; ok is false if that leaves 63 bits.
func add(a, b int64) (sum int64, ok bool) {
	sum = a + b
	return sum, sum >= 0
}

// magnitude returns |v|. That of the most negative v does not fit an int.
func magnitude(v int) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// gcd returns the greatest common divisor of two numbers that are not negative. gcd(a, 0) is a.
func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// gcdInverse returns g = gcd(a, b) and the inverse of a/g modulo b/g in [0, b/g),
// for positive a and b.
func gcdInverse(a, b int64) (g, inverse int64) {
	x0, x1 := int64(1), int64(0)
	m := b
	for b != 0 {
		q := a / b
		a, b = b, a-q*b
		x0, x1 = x1, x0-q*x1
	}
	return a, mod(x0, m/a)
}

// mod returns v modulo m in [0, m), for m > 0.
func mod(v, m int64) int64 {
	if v %= m; v < 0 {
		v += m
	}
	return v
}

// mulMod returns a*b modulo m in [0, m), for m > 0 and 0 <= b < m.
func mulMod(a, b, m int64) int64 {
	hi, lo := bits.Mul64(uint64(mod(a, m)), uint64(b))
	return int64(bits.Rem64(hi, lo, uint64(m)))
}

// floorDiv returns a/b rounded down, for b > 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// ceilDiv returns a/b rounded up, for b > 0.
func ceilDiv(a, b int64) int64 {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}
