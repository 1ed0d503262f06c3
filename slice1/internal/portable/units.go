package portable

import (
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

// fewRows is the longest second loop for which calling a kernel per block
// costs more than the table of runUnits.
const fewRows = 16

// unit is where one run of the innermost loop starts, in bytes from where the
// first of its table does.
type unit struct {
	src, dst int
}

// maxUnits is the size of a table of units: enough to forget the cost of the
// loops around it, and little to set up.
const maxUnits = 64

// runUnits runs nests of several short loops. It lists the coordinates of the
// inner loops once and runs down that table for each coordinate of the outer
// loops, so that a unit costs two loads and not the end of a loop or two.
func runUnits(n *csrc.Nest, b *block, dst, src unsafe.Pointer) {
	var table [maxUnits]unit
	count, outside := 1, int(n.Rank)-1
	for ; outside > 0; outside-- {
		l := loopOf(n.Dims[outside-1])
		if l.n > maxUnits/count {
			break
		}
		for i := count; i < l.n*count; i++ {
			u := table[i-count]
			table[i] = unit{src: u.src + l.src, dst: u.dst + l.dst}
		}
		count *= l.n
	}
	units := table[:count]

	width, in := b.width, b.inner
	if size := width * in.n; b.class == classCopy && size%16 == 0 {
		width, in = 16, loop{n: size / 16, src: 16, dst: 16}
	}
	o := odometer{src: int(n.SrcOff), dst: int(n.DstOff)}
	for {
		for j := 0; j < in.n; j += 4 {
			d, s := unsafe.Add(dst, o.dst+j*in.dst), unsafe.Add(src, o.src+j*in.src)
			columns := min(4, in.n-j)
			switch width {
			case 1:
				unitColumns[[1]byte](d, s, units, in, columns)
			case 2:
				unitColumns[[2]byte](d, s, units, in, columns)
			case 4:
				unitColumns[[4]byte](d, s, units, in, columns)
			case 8:
				unitColumns[[8]byte](d, s, units, in, columns)
			case 16:
				unitColumns[[16]byte](d, s, units, in, columns)
			}
		}
		if !o.next(n, outside) {
			return
		}
	}
}

// unitColumns copies one to four columns of the units, in elements of T:
//
//	for _, u := range units { for j := range columns { d[u.dst + j*in.dst] = s[u.src + j*in.src] } }
func unitColumns[T any](d, s unsafe.Pointer, units []unit, in loop, columns int) {
	s1, s2, s3 := in.src, 2*in.src, 3*in.src
	d1, d2, d3 := in.dst, 2*in.dst, 3*in.dst
	switch columns {
	case 1:
		for i := range units {
			*(*T)(unsafe.Add(d, units[i].dst)) = *(*T)(unsafe.Add(s, units[i].src))
		}
	case 2:
		for i := range units {
			e, p := unsafe.Add(d, units[i].dst), unsafe.Add(s, units[i].src)
			*(*T)(e) = *(*T)(p)
			*(*T)(unsafe.Add(e, d1)) = *(*T)(unsafe.Add(p, s1))
		}
	case 3:
		for i := range units {
			e, p := unsafe.Add(d, units[i].dst), unsafe.Add(s, units[i].src)
			*(*T)(e) = *(*T)(p)
			*(*T)(unsafe.Add(e, d1)) = *(*T)(unsafe.Add(p, s1))
			*(*T)(unsafe.Add(e, d2)) = *(*T)(unsafe.Add(p, s2))
		}
	case 4:
		for i := range units {
			e, p := unsafe.Add(d, units[i].dst), unsafe.Add(s, units[i].src)
			*(*T)(e) = *(*T)(p)
			*(*T)(unsafe.Add(e, d1)) = *(*T)(unsafe.Add(p, s1))
			*(*T)(unsafe.Add(e, d2)) = *(*T)(unsafe.Add(p, s2))
			*(*T)(unsafe.Add(e, d3)) = *(*T)(unsafe.Add(p, s3))
		}
	}
}
