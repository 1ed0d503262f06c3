//go:build goexperiment.simd && (amd64 || arm64) && go1.27 && !go1.28

package vector

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// units makes rows of units. It copies units that u.Alone lists element by element, and makes the
// others as vectors.
func (r rows) units(u *program.Units, width int32, d, s unsafe.Pointer) {
	for n, dstAt, srcAt := r.n, 0, 0; n > 0; n, dstAt, srcAt = n-1, dstAt+r.dst, srcAt+r.src {
		o, i := unsafe.Add(d, dstAt), unsafe.Add(s, srcAt)
		start := 0
		for _, alone := range u.Alone {
			end := int(alone)
			if start < end {
				unitsOf(u, o, i, start, end)
			}
			if end == int(u.Count) {
				break
			}
			unitOf(u, width, unsafe.Add(o, end*int(u.Unit)), unsafe.Add(i, int(u.At[end&(program.MaxUnits-1)])))
			start = end + 1
		}
	}
}

// unitsOf makes units start to end-1 by form UnitsLanes, each as a vector. The next unit overwrites
// what a vector stores beyond its own. If vectors have two lanes and units are a lane each, two
// units are a vector.
func unitsOf(u *program.Units, d, s unsafe.Pointer, start, end int) {
	v, unit := &u.Each, int(u.Unit)
	d = unsafe.Add(d, start*unit)
	l0, h0, q0 := window(v, s, 0)
	l1, h1, q1 := window(v, s, 1)
	isPair := v.Windows == 2
	units := u.At[start:end]
	if unit == lane && vector > lane {
		for ; len(units) >= 2; units, d = units[2:], unsafe.Add(d, vector) {
			offset, offset2 := int(units[0]), int(units[1])
			x := pick(unsafe.Add(l0, offset), unsafe.Add(l0, offset2), 0, q0)
			if isPair {
				x = x.Or(pick(unsafe.Add(l1, offset), unsafe.Add(l1, offset2), 0, q1))
			}
			store(d, 0, x)
		}
	}
	for _, offset := range units {
		x := pick(l0, h0, int(offset), q0)
		if isPair {
			x = x.Or(pick(l1, h1, int(offset), q1))
		}
		store(d, 0, x)
		d = unsafe.Add(d, unit)
	}
}

// unitOf copies one unit, from s to d, element by element.
func unitOf(u *program.Units, width int32, d, s unsafe.Pointer) {
	switch width {
	case 1:
		element[uint8](u, d, s)
	case 2:
		element[uint16](u, d, s)
	case 4:
		element[uint32](u, d, s)
	default:
		element[uint64](u, d, s)
	}
}

// element is unitOf for elements of type T.
func element[T any](u *program.Units, d, s unsafe.Pointer) {
	width := int(unsafe.Sizeof(*new(T)))
	for i, offset := range u.Element[:int(u.Unit)/width] {
		*(*T)(unsafe.Add(d, i*width)) = *(*T)(unsafe.Add(s, int(offset)))
	}
}
