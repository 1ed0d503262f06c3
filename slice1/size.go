package slice1

import "math/bits"

// mul returns x*y for operands that are not negative. ok is false if the product exceeds 63 bits.
func mul(x, y int64) (product int64, ok bool) {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	return int64(lo), hi == 0 && int64(lo) >= 0
}

// magnitude returns |v|, which does not fit an int for the most negative v.
func magnitude(v int) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// gcd returns the greatest common divisor of two numbers that are not negative. gcd(x, 0) is x.
func gcd(x, y int64) int64 {
	for y != 0 {
		x, y = y, x%y
	}
	return x
}

// floorDiv returns x/y rounded down, for y > 0.
func floorDiv(x, y int64) int64 {
	q := x / y
	if x%y < 0 {
		q--
	}
	return q
}

// ceilDiv returns x/y rounded up, for y > 0.
func ceilDiv(x, y int64) int64 {
	q := x / y
	if x%y > 0 {
		q++
	}
	return q
}
