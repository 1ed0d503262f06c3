//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

// units makes rows of units: runs of them by vectors, and those between runs by elements.
func (r rows) units(p *csrc.Program, form csrc.Form, d, s unsafe.Pointer) {
	u := p.Units()
	two := u.Each.Windows == 2
	for n, do, so := r.n, 0, 0; n > 0; n, do, so = n-1, do+r.dst, so+r.src {
		o, i := unsafe.Add(d, do), unsafe.Add(s, so)
		first := 0
		for _, alone := range u.Alone {
			end := int(alone)
			switch {
			case first == end:
			case form == csrc.UnitsLanes && two:
				unitsLanes2(u, o, i, first, end)
			case form == csrc.UnitsLanes:
				unitsLanes1(u, o, i, first, end)
			case two:
				unitsBytes2(u, o, i, first, end)
			default:
				unitsBytes1(u, o, i, first, end)
			}
			if end == int(u.Count) {
				break
			}
			elements(u, p.Width, unsafe.Add(o, end*int(u.Unit)), unsafe.Add(i, int(u.At[end&(csrc.MaxUnits-1)])))
			first = end + 1
		}
	}
}

func unitsLanes1(u *csrc.Units, d, s unsafe.Pointer, first, end int) {
	v, unit, all := &u.Each, int(u.Unit), u.At[:end]
	l0, h0, q0 := int(v.At[0][0]), int(v.At[1][0]), indices(&v.Pick[0])
	i := first
	if unit == lane {
		for ; i+1 < len(all); i += 2 {
			a, b := int(all[i]), int(all[i+1])
			store2(d, i*lane, both(s, a+l0, b+h0).PermuteOrZeroGrouped(q0))
		}
	}
	for ; i < len(all); i++ {
		at := int(all[i])
		store2(d, i*unit, both(s, at+l0, at+h0).PermuteOrZeroGrouped(q0))
	}
}

func unitsLanes2(u *csrc.Units, d, s unsafe.Pointer, first, end int) {
	v, unit, all := &u.Each, int(u.Unit), u.At[:end]
	l0, h0, q0 := int(v.At[0][0]), int(v.At[1][0]), indices(&v.Pick[0])
	l1, h1, q1 := int(v.At[0][1]), int(v.At[1][1]), indices(&v.Pick[1])
	i := first
	if unit == lane {
		for ; i+1 < len(all); i += 2 {
			a, b := int(all[i]), int(all[i+1])
			store2(d, i*lane, both(s, a+l0, b+h0).PermuteOrZeroGrouped(q0).Or(both(s, a+l1, b+h1).PermuteOrZeroGrouped(q1)))
		}
	}
	for ; i < len(all); i++ {
		at := int(all[i])
		store2(d, i*unit, both(s, at+l0, at+h0).PermuteOrZeroGrouped(q0).Or(both(s, at+l1, at+h1).PermuteOrZeroGrouped(q1)))
	}
}

func unitsBytes1(u *csrc.Units, d, s unsafe.Pointer, first, end int) {
	v, unit, all := &u.Each, int(u.Unit), u.At[:end]
	p, q := indices(&v.Perm[0]), words(v)
	a0 := int(v.At[0][0])
	for i := first; i < len(all); i++ {
		store2(d, i*unit, inOrder(load2(s, int(all[i])+a0), p, q))
	}
}

func unitsBytes2(u *csrc.Units, d, s unsafe.Pointer, first, end int) {
	v, unit, all := &u.Each, int(u.Unit), u.At[:end]
	p, q := indices(&v.Perm[0]), words(v)
	a0, m0 := int(v.At[0][0]), mask(v, 0)
	a1, m1 := int(v.At[0][1]), mask(v, 1)
	for i := first; i < len(all); i++ {
		at := int(all[i])
		store2(d, i*unit, inOrder(load2(s, at+a0).And(m0).Or(load2(s, at+a1).And(m1)), p, q))
	}
}

// elements copies the unit at d element by element.
func elements(u *csrc.Units, width int32, d, s unsafe.Pointer) {
	switch width {
	case 1:
		each[uint8](u, d, s)
	case 2:
		each[uint16](u, d, s)
	case 4:
		each[uint32](u, d, s)
	default:
		each[uint64](u, d, s)
	}
}

func each[T any](u *csrc.Units, d, s unsafe.Pointer) {
	width := int(unsafe.Sizeof(*new(T)))
	for i, at := range u.Element[:int(u.Unit)/width] {
		*(*T)(unsafe.Add(d, i*width)) = *(*T)(unsafe.Add(s, int(at)))
	}
}
