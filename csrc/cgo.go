//go:build cgo && !purego && (amd64 || arm64)

package csrc

// #cgo CFLAGS: -std=gnu11 -Wall -Wextra
// #cgo !s1_coverage,!s1_sanitize CFLAGS: -O3 -DNDEBUG
// #cgo s1_sanitize CFLAGS: -O1
// #cgo s1_coverage CFLAGS: -O0 -Wno-psabi -Wno-unused-parameter -DNDEBUG -DS1_NOINLINE
// #cgo s1_emulate_avx512 CFLAGS: -Wno-psabi -DS1_EMULATE_AVX512
import "C"

import (
	"runtime"
	"unsafe"
)

// Run runs p once. dst and src are the addresses that its offsets count from. The caller guarantees
// that this build has p's set and the host its instructions, that every element lies in its
// buffer, and that no element of the destination shares a byte with one of the source: nothing is
// checked here.
//
// unsafe: C keeps no pointer after the call, and does not call Go.
func (p *Program) Run(dst, src unsafe.Pointer) { p.run(dst, src) }

// Convert slices by p, from src into scratch, and converts that by c to dst. If p is nil, it converts
// from src. p must be of the set, and the caller guarantees what Run demands of it.
//
// unsafe: as Run.
func (c *Conversion) Convert(set int32, p *Program, dst, src, scratch unsafe.Pointer, params *Params) {
	c.convert(set, p, dst, src, scratch, params)
}

// YCbCr makes R, G and B of n pixels, n bytes of each, one after the other from rgb on, as
// color.YCbCrToRGB does. Pixel i has the chroma of cell (skip+i)/cell, where a cell has 1, 2 or 4 pixels.
//
// unsafe: the caller guarantees that all lie in their buffers. C keeps no pointer after the call.
func YCbCr(set int32, rgb, y, cb, cr *uint8, n, cell, skip int) {
	yCbCr(set, rgb, y, cb, cr, n, cell, skip)
}

// Built reports whether this build has the loops of set number `set` in C.
func Built(set int32) bool { return Sets[set].Arch == runtime.GOARCH && !Sets[set].InGo }

// builtLoops returns the names of the loops of a set that is built, in the order of C's table.
func builtLoops(set int32) (names []string) {
	for i := int32(0); ; i++ {
		name := loopName(set, i)
		if name == "" {
			return names
		}
		names = append(names, name)
	}
}
