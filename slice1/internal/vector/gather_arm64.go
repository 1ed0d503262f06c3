//go:build goexperiment.simd && arm64 && go1.27 && !go1.28

package vector

import (
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

const (
	group = 32 // elements that gather and scatter take at a time
	few   = 8  // elements of each row that one call of function columns takes
	short = 64 // elements of the longest row that function columns makes
	deep  = 64 // the most rows that one call of function columns takes
)

// gathers reports whether loops of this package, and not package portable, run a program of form
// Gather or Element. They do if rows have at least `group` elements, or at least `few` that are
// contiguous in the destination, or if pixels accepts them, or if the program has one loop around
// the row at most, and at most `group` elements in all.
func gathers(p *csrc.Program) bool {
	n := p.Row.Extent
	return n >= group || n >= few && p.Row.Dst == int64(p.Width) || pixels(p) || p.Outer <= 1 && n*p.Innermost.Extent <= group
}

// pixels reports whether rows have three elements each, which are contiguous in the destination,
// and continue each other there.
func pixels(p *csrc.Program) bool {
	return p.Row.Extent == 3 && p.Row.Dst == int64(p.Width) && p.Innermost.Dst == 3*p.Row.Dst
}

// elements makes the rows of a program that gathers accepts.
func (r rows) elements(p *csrc.Program, d, s unsafe.Pointer) {
	switch p.Width {
	case 1:
		elementsOf[uint8](r, p, d, s)
	case 2:
		elementsOf[uint16](r, p, d, s)
	case 4:
		elementsOf[uint32](r, p, d, s)
	default:
		elementsOf[uint64](r, p, d, s)
	}
}

func elementsOf[T any](r rows, p *csrc.Program, d, s unsafe.Pointer) {
	n, src, dst := int(p.Row.Extent), int(p.Row.Src), int(p.Row.Dst)
	if pixels(p) {
		three[T](d, s, r.n, r.src, src, 2*src)
		return
	}
	if n >= few && n <= short && dst == int(p.Width) {
		for m := min(deep, r.n); ; m = min(deep, r.n) {
			for at := 0; at < n; at += few {
				at = min(at, n-few)
				columns[T](rows{m, r.dst, r.src}, unsafe.Add(d, at*dst), unsafe.Add(s, at*src), src, 2*src, 4*src)
			}
			if r.n -= m; r.n == 0 {
				return
			}
			d, s = unsafe.Add(d, m*r.dst), unsafe.Add(s, m*r.src)
		}
	}
	for {
		switch {
		case n >= group && dst == int(p.Width):
			gather[T](d, s, n, src, 2*src, 4*src)
		case n >= group && src == int(p.Width):
			scatter[T](d, s, n, dst, 2*dst, 4*dst)
		default:
			apart[T](d, s, n, src, 2*src, dst, 2*dst)
		}
		if r.n--; r.n == 0 {
			return
		}
		d, s = unsafe.Add(d, r.dst), unsafe.Add(s, r.src)
	}
}

// In the loops of gather, columns, scatter, apart and three, elements are of type T, which has size
// bytes, and indices are in bytes. s2 is 2*s1, s4 is 4*s1, d2 is 2*d1, and d4 is 4*d1. They are
// arguments because the compiler would otherwise multiply for each element.

// gather is, for n >= group,
//
//	for i := range n { d[i*size] = s[i*s1] }
//
// The last group may overlap the one before.
func gather[T any](d, s unsafe.Pointer, n, s1, s2, s4 int) {
	size, groups, rest := int(unsafe.Sizeof(*new(T))), n/group, n%group
	s3, s5, s6 := s1+s2, s1+s4, s2+s4
	s7, s8 := s1+s6, s2+s6
	for {
		for {
			to := (*[group]T)(d)
			v0, v1, v2, v3 := *(*T)(s), *(*T)(unsafe.Add(s, s1)), *(*T)(unsafe.Add(s, s2)), *(*T)(unsafe.Add(s, s3))
			v4, v5, v6, v7 := *(*T)(unsafe.Add(s, s4)), *(*T)(unsafe.Add(s, s5)), *(*T)(unsafe.Add(s, s6)), *(*T)(unsafe.Add(s, s7))
			to[0], to[1], to[2], to[3], to[4], to[5], to[6], to[7] = v0, v1, v2, v3, v4, v5, v6, v7
			s = unsafe.Add(s, s8)
			v0, v1, v2, v3 = *(*T)(s), *(*T)(unsafe.Add(s, s1)), *(*T)(unsafe.Add(s, s2)), *(*T)(unsafe.Add(s, s3))
			v4, v5, v6, v7 = *(*T)(unsafe.Add(s, s4)), *(*T)(unsafe.Add(s, s5)), *(*T)(unsafe.Add(s, s6)), *(*T)(unsafe.Add(s, s7))
			to[8], to[9], to[10], to[11], to[12], to[13], to[14], to[15] = v0, v1, v2, v3, v4, v5, v6, v7
			s = unsafe.Add(s, s8)
			v0, v1, v2, v3 = *(*T)(s), *(*T)(unsafe.Add(s, s1)), *(*T)(unsafe.Add(s, s2)), *(*T)(unsafe.Add(s, s3))
			v4, v5, v6, v7 = *(*T)(unsafe.Add(s, s4)), *(*T)(unsafe.Add(s, s5)), *(*T)(unsafe.Add(s, s6)), *(*T)(unsafe.Add(s, s7))
			to[16], to[17], to[18], to[19], to[20], to[21], to[22], to[23] = v0, v1, v2, v3, v4, v5, v6, v7
			s = unsafe.Add(s, s8)
			v0, v1, v2, v3 = *(*T)(s), *(*T)(unsafe.Add(s, s1)), *(*T)(unsafe.Add(s, s2)), *(*T)(unsafe.Add(s, s3))
			v4, v5, v6, v7 = *(*T)(unsafe.Add(s, s4)), *(*T)(unsafe.Add(s, s5)), *(*T)(unsafe.Add(s, s6)), *(*T)(unsafe.Add(s, s7))
			to[24], to[25], to[26], to[27], to[28], to[29], to[30], to[31] = v0, v1, v2, v3, v4, v5, v6, v7
			if groups--; groups == 0 {
				break
			}
			d, s = unsafe.Add(d, group*size), unsafe.Add(s, s8)
		}
		if rest == 0 {
			return
		}
		d, s = unsafe.Add(d, rest*size), unsafe.Add(s, (rest-24)*s1)
		groups, rest = 1, 0
	}
}

// columns is
//
//	for i := range r.n { for j := range few { d[i*r.dst + j*size] = s[i*r.src + j*s1] } }
func columns[T any](r rows, d, s unsafe.Pointer, s1, s2, s4 int) {
	s3, s5, s6 := s1+s2, s1+s4, s2+s4
	s7, n := s1+s6, r.n
	for {
		to := (*[few]T)(d)
		v0, v1, v2, v3 := *(*T)(s), *(*T)(unsafe.Add(s, s1)), *(*T)(unsafe.Add(s, s2)), *(*T)(unsafe.Add(s, s3))
		v4, v5, v6, v7 := *(*T)(unsafe.Add(s, s4)), *(*T)(unsafe.Add(s, s5)), *(*T)(unsafe.Add(s, s6)), *(*T)(unsafe.Add(s, s7))
		to[0], to[1], to[2], to[3], to[4], to[5], to[6], to[7] = v0, v1, v2, v3, v4, v5, v6, v7
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, r.dst), unsafe.Add(s, r.src)
	}
}

// scatter is, for n >= group,
//
//	for i := range n { d[i*d1] = s[i*size] }
//
// The last group may overlap the one before.
func scatter[T any](d, s unsafe.Pointer, n, d1, d2, d4 int) {
	size, groups, rest := int(unsafe.Sizeof(*new(T))), n/group, n%group
	d3, d5, d6 := d1+d2, d1+d4, d2+d4
	d7, d8 := d1+d6, d2+d6
	for {
		for {
			from := (*[group]T)(s)
			v0, v1, v2, v3, v4, v5, v6, v7 := from[0], from[1], from[2], from[3], from[4], from[5], from[6], from[7]
			*(*T)(d), *(*T)(unsafe.Add(d, d1)), *(*T)(unsafe.Add(d, d2)), *(*T)(unsafe.Add(d, d3)) = v0, v1, v2, v3
			*(*T)(unsafe.Add(d, d4)), *(*T)(unsafe.Add(d, d5)), *(*T)(unsafe.Add(d, d6)), *(*T)(unsafe.Add(d, d7)) = v4, v5, v6, v7
			d = unsafe.Add(d, d8)
			v0, v1, v2, v3, v4, v5, v6, v7 = from[8], from[9], from[10], from[11], from[12], from[13], from[14], from[15]
			*(*T)(d), *(*T)(unsafe.Add(d, d1)), *(*T)(unsafe.Add(d, d2)), *(*T)(unsafe.Add(d, d3)) = v0, v1, v2, v3
			*(*T)(unsafe.Add(d, d4)), *(*T)(unsafe.Add(d, d5)), *(*T)(unsafe.Add(d, d6)), *(*T)(unsafe.Add(d, d7)) = v4, v5, v6, v7
			d = unsafe.Add(d, d8)
			v0, v1, v2, v3, v4, v5, v6, v7 = from[16], from[17], from[18], from[19], from[20], from[21], from[22], from[23]
			*(*T)(d), *(*T)(unsafe.Add(d, d1)), *(*T)(unsafe.Add(d, d2)), *(*T)(unsafe.Add(d, d3)) = v0, v1, v2, v3
			*(*T)(unsafe.Add(d, d4)), *(*T)(unsafe.Add(d, d5)), *(*T)(unsafe.Add(d, d6)), *(*T)(unsafe.Add(d, d7)) = v4, v5, v6, v7
			d = unsafe.Add(d, d8)
			v0, v1, v2, v3, v4, v5, v6, v7 = from[24], from[25], from[26], from[27], from[28], from[29], from[30], from[31]
			*(*T)(d), *(*T)(unsafe.Add(d, d1)), *(*T)(unsafe.Add(d, d2)), *(*T)(unsafe.Add(d, d3)) = v0, v1, v2, v3
			*(*T)(unsafe.Add(d, d4)), *(*T)(unsafe.Add(d, d5)), *(*T)(unsafe.Add(d, d6)), *(*T)(unsafe.Add(d, d7)) = v4, v5, v6, v7
			if groups--; groups == 0 {
				break
			}
			d, s = unsafe.Add(d, d8), unsafe.Add(s, group*size)
		}
		if rest == 0 {
			return
		}
		d, s = unsafe.Add(d, (rest-24)*d1), unsafe.Add(s, rest*size)
		groups, rest = 1, 0
	}
}

// apart is
//
//	for i := range n { d[i*d1] = s[i*s1] }
func apart[T any](d, s unsafe.Pointer, n, s1, s2, d1, d2 int) {
	s3, d3 := s1+s2, d1+d2
	s4, d4 := s1+s3, d1+d3
	for ; n > 4; n -= 4 {
		v0, v1, v2, v3 := *(*T)(s), *(*T)(unsafe.Add(s, s1)), *(*T)(unsafe.Add(s, s2)), *(*T)(unsafe.Add(s, s3))
		*(*T)(d), *(*T)(unsafe.Add(d, d1)), *(*T)(unsafe.Add(d, d2)), *(*T)(unsafe.Add(d, d3)) = v0, v1, v2, v3
		d, s = unsafe.Add(d, d4), unsafe.Add(s, s4)
	}
	for ; ; d, s = unsafe.Add(d, d1), unsafe.Add(s, s1) {
		*(*T)(d) = *(*T)(s)
		if n--; n == 0 {
			return
		}
	}
}

// three is
//
//	for i := range n { for j := range 3 { d[(3*i + j)*size] = s[i*src + j*s1] } }
func three[T any](d, s unsafe.Pointer, n, src, s1, s2 int) {
	size := int(unsafe.Sizeof(*new(T)))
	for ; n > 4; n -= 4 {
		to := (*[12]T)(d)
		v0, v1, v2 := *(*T)(s), *(*T)(unsafe.Add(s, s1)), *(*T)(unsafe.Add(s, s2))
		s = unsafe.Add(s, src)
		v3, v4, v5 := *(*T)(s), *(*T)(unsafe.Add(s, s1)), *(*T)(unsafe.Add(s, s2))
		to[0], to[1], to[2], to[3], to[4], to[5] = v0, v1, v2, v3, v4, v5
		s = unsafe.Add(s, src)
		v0, v1, v2 = *(*T)(s), *(*T)(unsafe.Add(s, s1)), *(*T)(unsafe.Add(s, s2))
		s = unsafe.Add(s, src)
		v3, v4, v5 = *(*T)(s), *(*T)(unsafe.Add(s, s1)), *(*T)(unsafe.Add(s, s2))
		to[6], to[7], to[8], to[9], to[10], to[11] = v0, v1, v2, v3, v4, v5
		d, s = unsafe.Add(d, 12*size), unsafe.Add(s, src)
	}
	for ; ; d = unsafe.Add(d, 3*size) {
		v0, v1, v2 := *(*T)(s), *(*T)(unsafe.Add(s, s1)), *(*T)(unsafe.Add(s, s2))
		to := (*[3]T)(d)
		to[0], to[1], to[2] = v0, v1, v2
		if n--; n == 0 {
			return
		}
		s = unsafe.Add(s, src)
	}
}
