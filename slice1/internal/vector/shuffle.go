//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"
)

const (
	unit       = 16 // bytes of destination stored at a time
	maxWindows = 4  // 16-byte loads they may come from
	maxStride  = 4  // elements, of the shuffles that are ready made
)

// Where the kernels are faster than portable's, about, in `go test -bench`.
const (
	minRow     = 32  // elements of a row
	minPattern = 512 // elements of a row for which a shuffle has to be made
	minCopied  = 129 // bytes of a contiguous row
	maxCopied  = 512
)

// shuffle makes units of the destination: the bytes of each are picked out of
// the same few windows of the source, which lie in the same places around the
// unit's first element.
type shuffle struct {
	windows  int
	at       [maxWindows]int        // where each lies
	pick     [maxWindows][unit]int8 // which byte of it goes where; -1: from another window
	lo, hi   int                    // bytes read: [lo, hi)
	dst, src int                    // bytes from one unit to the next; what a unit stores beyond, the next one overwrites
}

// of sets v, which is zero, to the shuffle for rows of elements of the given
// width in bytes, whose source positions move by stride bytes, but from one
// period of elements to the next by next bytes. It returns false if there is
// none: the elements of a unit are too far apart.
func (v *shuffle) of(width, period, stride, next int) bool {
	elements := unit / width
	var at [unit]int
	first, last := 0, 0
	for e := range elements {
		at[e] = e/period*next + e%period*stride
		first, last = min(first, at[e]), max(last, at[e])
	}
	periods := elements / period
	v.dst, v.src = periods*period*width, periods*next
	v.lo, v.hi = first, max(last+width, first+unit)
	for left := elements; left > 0; v.windows++ {
		if v.windows == maxWindows {
			return false
		}
		const taken = -1 << 62
		lowest := -taken
		for _, p := range at[:elements] {
			if p != taken {
				lowest = min(lowest, p)
			}
		}
		k := v.windows
		v.at[k] = min(lowest, v.hi-unit)
		for i := range v.pick[k] {
			v.pick[k][i] = -1
		}
		for e, p := range at[:elements] {
			if p == taken || p+width > v.at[k]+unit {
				continue
			}
			for b := range width {
				v.pick[k][e*width+b] = int8(p - v.at[k] + b)
			}
			at[e] = taken
			left--
		}
	}
	return true
}

// ready holds the shuffles of single strides, by log2 of the width and stride
// in elements.
var ready = func() (table [3][2*maxStride + 1]shuffle) {
	for log := range table {
		for i := range table[log] {
			width := 1 << log
			stride := (i - maxStride) * width
			table[log][i].of(width, 1, stride, stride)
		}
	}
	return table
}()

// steps returns the shuffle for a stride in bytes, or nil where portable is as
// fast.
func steps(width, stride int) *shuffle {
	log := bits.TrailingZeros(uint(width))
	i := stride>>log + maxStride
	if width == 8 || stride&(width-1) != 0 || uint(i) > 2*maxStride || stride == width || stride == 0 || width == 4 && ready[log][i].windows == maxWindows {
		return nil
	}
	return &ready[log][i]
}

// run makes rows, one or more, as r says.
func (v *shuffle) run(d, s unsafe.Pointer, r *rows) {
	for n := r.n; ; {
		v.units(d, s, r.pairs, r.units)
		if r.units < r.end {
			v.units(unsafe.Add(d, r.end-unit), unsafe.Add(s, r.last), 0, unit)
		}
		if n--; n == 0 {
			return
		}
		d, s = unsafe.Add(d, r.dst), unsafe.Add(s, r.src)
	}
}

// units makes `end` bytes of a row, the first `pairs` bytes of it two units at a
// time, one in each half of a vector. Each count of windows has a function
// of its own, in which all it needs fits the registers.
func (v *shuffle) units(d, s unsafe.Pointer, pairs, end int) {
	switch v.windows {
	case 1:
		v.units1(d, s, pairs, end)
	case 2:
		v.units2(d, s, pairs, end)
	case 3:
		v.units3(d, s, pairs, end)
	case 4:
		v.units4(d, s, pairs, end)
	}
}

func (v *shuffle) units1(d, s unsafe.Pointer, pairs, end int) {
	w0, p0 := unsafe.Add(s, v.at[0]), archsimd.LoadInt8x16Array(&v.pick[0])
	i, j, dst, src := 0, 0, v.dst, v.src
	if pairs > 0 {
		q0 := twice(p0)
		for ; i < pairs; i, j = i+2*unit, j+2*src {
			store2(unsafe.Add(d, i), pick2(w0, j, src, q0))
		}
	}
	for ; i < end; i, j = i+dst, j+src {
		store(d, i, pick(w0, j, p0))
	}
}

func (v *shuffle) units2(d, s unsafe.Pointer, pairs, end int) {
	w0, p0 := unsafe.Add(s, v.at[0]), archsimd.LoadInt8x16Array(&v.pick[0])
	w1, p1 := unsafe.Add(s, v.at[1]), archsimd.LoadInt8x16Array(&v.pick[1])
	i, j, dst, src := 0, 0, v.dst, v.src
	if pairs > 0 {
		q0, q1 := twice(p0), twice(p1)
		for ; i < pairs; i, j = i+2*unit, j+2*src {
			store2(unsafe.Add(d, i), pick2(w0, j, src, q0).Or(pick2(w1, j, src, q1)))
		}
	}
	for ; i < end; i, j = i+dst, j+src {
		store(d, i, pick(w0, j, p0).Or(pick(w1, j, p1)))
	}
}

func (v *shuffle) units3(d, s unsafe.Pointer, pairs, end int) {
	w0, p0 := unsafe.Add(s, v.at[0]), archsimd.LoadInt8x16Array(&v.pick[0])
	w1, p1 := unsafe.Add(s, v.at[1]), archsimd.LoadInt8x16Array(&v.pick[1])
	w2, p2 := unsafe.Add(s, v.at[2]), archsimd.LoadInt8x16Array(&v.pick[2])
	i, j, dst, src := 0, 0, v.dst, v.src
	if pairs > 0 {
		q0, q1, q2 := twice(p0), twice(p1), twice(p2)
		for ; i < pairs; i, j = i+2*unit, j+2*src {
			store2(unsafe.Add(d, i), pick2(w0, j, src, q0).Or(pick2(w1, j, src, q1)).Or(pick2(w2, j, src, q2)))
		}
	}
	for ; i < end; i, j = i+dst, j+src {
		store(d, i, pick(w0, j, p0).Or(pick(w1, j, p1)).Or(pick(w2, j, p2)))
	}
}

func (v *shuffle) units4(d, s unsafe.Pointer, pairs, end int) {
	w0, p0 := unsafe.Add(s, v.at[0]), archsimd.LoadInt8x16Array(&v.pick[0])
	w1, p1 := unsafe.Add(s, v.at[1]), archsimd.LoadInt8x16Array(&v.pick[1])
	w2, p2 := unsafe.Add(s, v.at[2]), archsimd.LoadInt8x16Array(&v.pick[2])
	w3, p3 := unsafe.Add(s, v.at[3]), archsimd.LoadInt8x16Array(&v.pick[3])
	i, j, dst, src := 0, 0, v.dst, v.src
	if pairs > 0 {
		q0, q1, q2, q3 := twice(p0), twice(p1), twice(p2), twice(p3)
		for ; i < pairs; i, j = i+2*unit, j+2*src {
			store2(unsafe.Add(d, i), pick2(w0, j, src, q0).Or(pick2(w1, j, src, q1)).Or(pick2(w2, j, src, q2).Or(pick2(w3, j, src, q3))))
		}
	}
	for ; i < end; i, j = i+dst, j+src {
		store(d, i, pick(w0, j, p0).Or(pick(w1, j, p1)).Or(pick(w2, j, p2).Or(pick(w3, j, p3))))
	}
}

// pick takes bytes of the window at p+at.
func pick(p unsafe.Pointer, at int, bytes archsimd.Int8x16) archsimd.Uint8x16 {
	return load(p, at).PermuteOrZero(bytes)
}

func load(p unsafe.Pointer, at int) archsimd.Uint8x16 {
	return archsimd.LoadUint8x16Array((*[unit]uint8)(unsafe.Add(p, at)))
}

func store(p unsafe.Pointer, at int, v archsimd.Uint8x16) {
	v.StoreArray((*[unit]uint8)(unsafe.Add(p, at)))
}

// pick2 takes bytes of the windows at p+at and p+at+next.
func pick2(p unsafe.Pointer, at, next int, bytes archsimd.Int8x32) (both archsimd.Uint8x32) {
	return both.SetLo(load(p, at)).SetHi(load(p, at+next)).PermuteOrZeroGrouped(bytes)
}

func store2(p unsafe.Pointer, v archsimd.Uint8x32) {
	v.StoreArray((*[2 * unit]uint8)(p))
}

func twice(p archsimd.Int8x16) (both archsimd.Int8x32) { return both.SetLo(p).SetHi(p) }
