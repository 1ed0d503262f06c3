//go:build cgo && !purego

package csrc

import "unsafe"

// Numbers of the sets of amd64 that have loops in C: their places in Sets.
const (
	avx2 = iota
	avx512
)

func (p *Program) run(dst, src unsafe.Pointer) {
	switch p.Set {
	case avx2:
		p.runAVX2(dst, src)
	case avx512:
		p.runAVX512(dst, src)
	default:
		panic(notBuilt)
	}
}

func loopName(set, loop int32) string {
	if set == avx2 {
		return loopNameAVX2(loop)
	}
	return loopNameAVX512(loop)
}

func (c *Conversion) convert(set int32, p *Program, dst, src, scratch unsafe.Pointer, params *Params) {
	switch set {
	case avx2:
		c.convertAVX2(p, dst, src, scratch, params)
	case avx512:
		c.convertAVX512(p, dst, src, scratch, params)
	default:
		panic(notBuilt)
	}
}

func yCbCr(set int32, rgb, y, cb, cr *uint8, n, cell, skip int) {
	switch set {
	case avx2:
		yCbCrAVX2(rgb, y, cb, cr, n, cell, skip)
	case avx512:
		yCbCrAVX512(rgb, y, cb, cr, n, cell, skip)
	}
}
