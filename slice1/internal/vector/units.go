//go:build goexperiment.simd && (amd64 || arm64) && go1.27 && !go1.28

package vector

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// units makes rows of units. It copies units that u.Alone lists element by element, and makes the
// others as vectors.
func (r rows) units(u *program.Units, width int32, d, s unsafe.Pointer) {
	for n, do, so := r.n, 0, 0; n > 0; n, do, so = n-1, do+r.dst, so+r.src {
		o, i := unsafe.Add(d, do), unsafe.Add(s, so)
		first := 0
		for _, alone := range u.Alone {
			end := int(alone)
			if first < end {
				unitsOf(u, o, i, first, end)
			}
			if end == int(u.Count) {
				break
			}
			unitOf(u, width, unsafe.Add(o, end*int(u.Unit)), unsafe.Add(i, int(u.At[end&(program.MaxUnits-1)])))
			first = end + 1
		}
	}
}

// unitsOf makes units first to end-1 by form UnitsLanes, each as a vector. The next unit overwrites
// what a vector stores beyond its own. If vectors have two lanes and units are a lane each, two
// units are a vector.
func unitsOf(u *program.Units, d, s unsafe.Pointer, first, end int) {
	v, unit := &u.Each, int(u.Unit)
	d = unsafe.Add(d, first*unit)
	l0, h0, q0 := window(v, s, 0)
	l1, h1, q1 := window(v, s, 1)
	two := v.Windows == 2
	units := u.At[first:end]
	if unit == lane && vector > lane {
		for ; len(units) >= 2; units, d = units[2:], unsafe.Add(d, vector) {
			at, next := int(units[0]), int(units[1])
			x := pick(unsafe.Add(l0, at), unsafe.Add(l0, next), 0, q0)
			if two {
				x = x.Or(pick(unsafe.Add(l1, at), unsafe.Add(l1, next), 0, q1))
			}
			store(d, 0, x)
		}
	}
	for _, at := range units {
		x := pick(l0, h0, int(at), q0)
		if two {
			x = x.Or(pick(l1, h1, int(at), q1))
		}
		store(d, 0, x)
		d = unsafe.Add(d, unit)
	}
}

// unitOf copies one unit, from s to d, element by element.
func unitOf(u *program.Units, width int32, d, s unsafe.Pointer) {
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

// each is unitOf for elements of type T.
func each[T any](u *program.Units, d, s unsafe.Pointer) {
	width := int(unsafe.Sizeof(*new(T)))
	for i, at := range u.Element[:int(u.Unit)/width] {
		*(*T)(unsafe.Add(d, i*width)) = *(*T)(unsafe.Add(s, int(at)))
	}
}
