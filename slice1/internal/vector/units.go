//go:build goexperiment.simd && (amd64 || arm64 || wasm) && go1.27 && !go1.28

package vector

import (
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

// units makes rows of units: those that u.Alone lists element by element, the others by vectors.
func (r rows) units(p *csrc.Program, form csrc.Form, d, s unsafe.Pointer) {
	u := p.Units()
	for n, do, so := r.n, 0, 0; n > 0; n, do, so = n-1, do+r.dst, so+r.src {
		o, i := unsafe.Add(d, do), unsafe.Add(s, so)
		first := 0
		for _, alone := range u.Alone {
			end := int(alone)
			if first < end {
				unitsOf(u, form, o, i, first, end)
			}
			if end == int(u.Count) {
				break
			}
			unitOf(u, p.Width, unsafe.Add(o, end*int(u.Unit)), unsafe.Add(i, int(u.At[end&(csrc.MaxUnits-1)])))
			first = end + 1
		}
	}
}

// unitsLanes makes units first to end-1 by form UnitsLanes.
func unitsLanes(u *csrc.Units, d, s unsafe.Pointer, first, end int) {
	if u.Each.Windows == 2 {
		unitsLanes2(u, d, s, first, end)
	} else {
		unitsLanes1(u, d, s, first, end)
	}
}

func unitsLanes1(u *csrc.Units, d, s unsafe.Pointer, first, end int) {
	v, unit, all := &u.Each, int(u.Unit), u.At[:end]
	l0, h0, q0 := unsafe.Add(s, int(v.At[0][0])), unsafe.Add(s, int(v.At[1][0])), indices(&v.Pick[0])
	i := first
	if vector > lane && unit == lane {
		for ; i+1 < len(all); i += 2 {
			at, more := int(all[i]), int(all[i+1])-int(all[i])
			store(d, i*lane, pick(l0, unsafe.Add(h0, more), at, q0))
		}
	}
	for ; i < len(all); i++ {
		store(d, i*unit, pick(l0, h0, int(all[i]), q0))
	}
}

func unitsLanes2(u *csrc.Units, d, s unsafe.Pointer, first, end int) {
	v, unit, all := &u.Each, int(u.Unit), u.At[:end]
	l0, h0, q0 := unsafe.Add(s, int(v.At[0][0])), unsafe.Add(s, int(v.At[1][0])), indices(&v.Pick[0])
	l1, h1, q1 := unsafe.Add(s, int(v.At[0][1])), unsafe.Add(s, int(v.At[1][1])), indices(&v.Pick[1])
	i := first
	if vector > lane && unit == lane {
		for ; i+1 < len(all); i += 2 {
			at, more := int(all[i]), int(all[i+1])-int(all[i])
			store(d, i*lane, pick(l0, unsafe.Add(h0, more), at, q0).Or(pick(l1, unsafe.Add(h1, more), at, q1)))
		}
	}
	for ; i < len(all); i++ {
		at := int(all[i])
		store(d, i*unit, pick(l0, h0, at, q0).Or(pick(l1, h1, at, q1)))
	}
}

// unitOf copies one unit, from s to d, element by element.
func unitOf(u *csrc.Units, width int32, d, s unsafe.Pointer) {
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
