package portable

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// moveColumns copies the rows of b, which have more than four elements, with any strides,
// element by element. If alongRows accepts the rows, it goes along each of them. Otherwise it
// goes down the rows, at most four columns and at most `strip` rows at a time.
func (b *block) moveColumns(d, s unsafe.Pointer) {
	inner, outer := &b.inner, &b.outer
	if alongRows(inner.n, outer.n) {
		// Each row is taken as rows of four columns, and a shorter one if elements are left.
		rows := loop{n: inner.n / 4, src: 4 * inner.src, dst: 4 * inner.dst}
		done := 4 * rows.n
		for i := range outer.n {
			e, p := unsafe.Add(d, i*outer.dst), unsafe.Add(s, i*outer.src)
			b.group(e, p, &rows, 4)
			if done < inner.n {
				b.group(unsafe.Add(e, done*inner.dst), unsafe.Add(p, done*inner.src), &loop{n: 1}, inner.n-done)
			}
		}
		return
	}
	rows := *outer
	for i := 0; i < outer.n; i += rows.n {
		rows.n = min(strip, outer.n-i)
		for j := 0; j < inner.n; j += 4 {
			b.group(unsafe.Add(d, i*outer.dst+j*inner.dst), unsafe.Add(s, i*outer.src+j*inner.src), &rows, min(4, inner.n-j))
		}
	}
}

// group copies `columns` columns, at most four, of rows. Columns of reversed rows go two at a time
// if a word holds two elements: one load takes both, they change places, and one store puts both.
func (b *block) group(d, s unsafe.Pointer, rows *loop, columns int) {
	inPairs := wordKernels && columns > 1 && b.class == nest.Reversed
	switch {
	case inPairs && b.width == 1:
		swapColumns[uint8, uint16](d, s, rows, columns)
	case inPairs && b.width == 2:
		swapColumns[uint16, uint32](d, s, rows, columns)
	case inPairs && b.width == 4:
		swapColumns[uint32, uint64](d, s, rows, columns)
	case b.width == 1:
		group[uint8](d, s, rows, &b.inner, columns)
	case b.width == 2 && wordKernels:
		group[uint16](d, s, rows, &b.inner, columns)
	case b.width == 4 && wordKernels:
		group[uint32](d, s, rows, &b.inner, columns)
	case wordKernels:
		group[uint64](d, s, rows, &b.inner, columns)
	case b.width == 2:
		group[[2]byte](d, s, rows, &b.inner, columns)
	case b.width == 4:
		group[[4]byte](d, s, rows, &b.inner, columns)
	case b.width == 8:
		group[[8]byte](d, s, rows, &b.inner, columns)
	}
}

// group copies one to four columns of elements of type T, with indices in bytes:
//
//	for i := range rows.n { for j := range columns { d[i*rows.dst + j*column.dst] = s[i*rows.src + j*column.src] } }
//
// It loads all elements of a row before it stores the first. If the address of a load agrees in its
// low bits with the address of an earlier store, processors may delay the load as if it read what
// is stored.
func group[T any](d, s unsafe.Pointer, rows, column *loop, columns int) {
	var t T
	if column.dst == int(unsafe.Sizeof(t)) {
		adjacent[T](d, s, rows, column.src, columns)
		return
	}
	n, src, dst := rows.n, rows.src, rows.dst
	s1, s2, s3 := column.src, 2*column.src, 3*column.src
	d1, d2, d3 := column.dst, 2*column.dst, 3*column.dst
	switch columns {
	case 1:
		for {
			*(*T)(d) = *(*T)(s)
			if n--; n == 0 {
				return
			}
			d, s = unsafe.Add(d, dst), unsafe.Add(s, src)
		}
	case 2:
		for {
			v0, v1 := *(*T)(s), *(*T)(unsafe.Add(s, s1))
			*(*T)(d), *(*T)(unsafe.Add(d, d1)) = v0, v1
			if n--; n == 0 {
				return
			}
			d, s = unsafe.Add(d, dst), unsafe.Add(s, src)
		}
	case 3:
		for {
			v0, v1, v2 := *(*T)(s), *(*T)(unsafe.Add(s, s1)), *(*T)(unsafe.Add(s, s2))
			*(*T)(d), *(*T)(unsafe.Add(d, d1)), *(*T)(unsafe.Add(d, d2)) = v0, v1, v2
			if n--; n == 0 {
				return
			}
			d, s = unsafe.Add(d, dst), unsafe.Add(s, src)
		}
	default:
		for {
			v0, v1, v2, v3 := *(*T)(s), *(*T)(unsafe.Add(s, s1)), *(*T)(unsafe.Add(s, s2)), *(*T)(unsafe.Add(s, s3))
			*(*T)(d), *(*T)(unsafe.Add(d, d1)), *(*T)(unsafe.Add(d, d2)), *(*T)(unsafe.Add(d, d3)) = v0, v1, v2, v3
			if n--; n == 0 {
				return
			}
			d, s = unsafe.Add(d, dst), unsafe.Add(s, src)
		}
	}
}

// adjacent is group for columns that are contiguous in the destination, and s1 bytes apart in the
// source. It takes two rows at a time: a loop that takes one can take 1.5 times as long if the
// linker places it badly. If the number of rows is odd, it copies the first row twice.
func adjacent[T any](d, s unsafe.Pointer, rows *loop, s1, columns int) {
	n, src, dst := (rows.n+1)/2, rows.src, rows.dst
	s2, s3 := 2*s1, 3*s1
	e, p := d, s
	if rows.n%2 == 0 {
		e, p = unsafe.Add(d, dst), unsafe.Add(s, src)
	}
	switch columns {
	case 1:
		for {
			v, w := *(*T)(s), *(*T)(p)
			*(*T)(d), *(*T)(e) = v, w
			if n--; n == 0 {
				return
			}
			d, s = unsafe.Add(e, dst), unsafe.Add(p, src)
			e, p = unsafe.Add(d, dst), unsafe.Add(s, src)
		}
	case 2:
		for {
			v, w := (*[2]T)(d), (*[2]T)(e)
			v0, v1 := *(*T)(s), *(*T)(unsafe.Add(s, s1))
			v[0], v[1] = v0, v1
			v0, v1 = *(*T)(p), *(*T)(unsafe.Add(p, s1))
			w[0], w[1] = v0, v1
			if n--; n == 0 {
				return
			}
			d, s = unsafe.Add(e, dst), unsafe.Add(p, src)
			e, p = unsafe.Add(d, dst), unsafe.Add(s, src)
		}
	case 3:
		for {
			v, w := (*[3]T)(d), (*[3]T)(e)
			v0, v1, v2 := *(*T)(s), *(*T)(unsafe.Add(s, s1)), *(*T)(unsafe.Add(s, s2))
			v[0], v[1], v[2] = v0, v1, v2
			v0, v1, v2 = *(*T)(p), *(*T)(unsafe.Add(p, s1)), *(*T)(unsafe.Add(p, s2))
			w[0], w[1], w[2] = v0, v1, v2
			if n--; n == 0 {
				return
			}
			d, s = unsafe.Add(e, dst), unsafe.Add(p, src)
			e, p = unsafe.Add(d, dst), unsafe.Add(s, src)
		}
	default:
		for {
			v, w := (*[4]T)(d), (*[4]T)(e)
			v0, v1, v2, v3 := *(*T)(s), *(*T)(unsafe.Add(s, s1)), *(*T)(unsafe.Add(s, s2)), *(*T)(unsafe.Add(s, s3))
			v[0], v[1], v[2], v[3] = v0, v1, v2, v3
			v0, v1, v2, v3 = *(*T)(p), *(*T)(unsafe.Add(p, s1)), *(*T)(unsafe.Add(p, s2)), *(*T)(unsafe.Add(p, s3))
			w[0], w[1], w[2], w[3] = v0, v1, v2, v3
			if n--; n == 0 {
				return
			}
			d, s = unsafe.Add(e, dst), unsafe.Add(p, src)
			e, p = unsafe.Add(d, dst), unsafe.Add(s, src)
		}
	}
}

// swapColumns is adjacent for two to four columns of class nest.Reversed. It moves two columns at a
// time by a W, in which they change places. It moves the third of three columns alone.
func swapColumns[T uint8 | uint16 | uint32, W uint16 | uint32 | uint64](d, s unsafe.Pointer, rows *loop, columns int) {
	width := int(unsafe.Sizeof(T(0)))
	n, src, dst := (rows.n+1)/2, rows.src, rows.dst
	s = unsafe.Add(s, -width)
	e, p := d, s
	if rows.n%2 == 0 {
		e, p = unsafe.Add(d, dst), unsafe.Add(s, src)
	}
	switch columns {
	case 2:
		for {
			v, w := *(*W)(s), *(*W)(p)
			*(*W)(d), *(*W)(e) = v<<(8*width)|v>>(8*width), w<<(8*width)|w>>(8*width)
			if n--; n == 0 {
				return
			}
			d, s = unsafe.Add(e, dst), unsafe.Add(p, src)
			e, p = unsafe.Add(d, dst), unsafe.Add(s, src)
		}
	case 3:
		for {
			v, v2, w, w2 := *(*W)(s), *(*T)(unsafe.Add(s, -width)), *(*W)(p), *(*T)(unsafe.Add(p, -width))
			*(*W)(d), *(*T)(unsafe.Add(d, 2*width)) = v<<(8*width)|v>>(8*width), v2
			*(*W)(e), *(*T)(unsafe.Add(e, 2*width)) = w<<(8*width)|w>>(8*width), w2
			if n--; n == 0 {
				return
			}
			d, s = unsafe.Add(e, dst), unsafe.Add(p, src)
			e, p = unsafe.Add(d, dst), unsafe.Add(s, src)
		}
	default:
		for {
			v, v2, w, w2 := *(*W)(s), *(*W)(unsafe.Add(s, -2*width)), *(*W)(p), *(*W)(unsafe.Add(p, -2*width))
			*(*W)(d), *(*W)(unsafe.Add(d, 2*width)) = v<<(8*width)|v>>(8*width), v2<<(8*width)|v2>>(8*width)
			*(*W)(e), *(*W)(unsafe.Add(e, 2*width)) = w<<(8*width)|w>>(8*width), w2<<(8*width)|w2>>(8*width)
			if n--; n == 0 {
				return
			}
			d, s = unsafe.Add(e, dst), unsafe.Add(p, src)
			e, p = unsafe.Add(d, dst), unsafe.Add(s, src)
		}
	}
}
