//go:build cgo && !purego && (amd64 || arm64)

package csrc

/*
#cgo CFLAGS: -std=gnu11 -Wall -Wextra -fno-fast-math
#cgo !s1_coverage,!s1_sanitize CFLAGS: -O2 -DNDEBUG
#cgo !s1_coverage,!s1_sanitize,!dml_debug CFLAGS: -g0
#cgo s1_sanitize CFLAGS: -O1 -DS1_NOINLINE
#cgo s1_coverage CFLAGS: -O0 -DS1_UNOPTIMIZED -DS1_NOINLINE -DNDEBUG -Wno-psabi -Wno-unused-parameter
#cgo s1_emulate_avx512 CFLAGS: -Wno-psabi -DS1_EMULATE_AVX512
#cgo noescape run
#cgo nocallback run
#cgo noescape run_parts
#cgo nocallback run_parts
#cgo noescape convert
#cgo nocallback convert
#cgo noescape ycbcr
#cgo nocallback ycbcr
#include "call.h"

static void run(uintptr_t set, const s1_program *p, uint8_t *dst, const uint8_t *src) { run_loop((const s1_set *)set, p, dst, src); }
static void run_parts(const uintptr_t *tables, const s1_program *programs, const s1_part *parts, int64_t n, uint8_t *dst, const uint8_t *src) {
  for (const s1_part *t = parts; t < parts + n; t++) {
    const s1_program *const p = programs + t->program;
    run_loop((const s1_set *)tables[p->set], p, dst + t->dst, src + t->src);
  }
}
static void convert(const uintptr_t *tables, uintptr_t set, const s1_program *before, const s1_conversion *c, const s1_program *after, uint8_t *dst, const uint8_t *src, uint8_t *a, uint8_t *b, const float *params) {
  slice_and_convert(tables, (const s1_set *)set, before, c, after, dst, src, a, b, params);
}
static void ycbcr(uintptr_t set, const s1_colours *c, uint8_t *dst, const uint8_t *y, const uint8_t *cb, const uint8_t *cr) {
  ((const s1_set *)set)->ycbcr(c, dst, y, cb, cr);
}
*/
import "C"

import "unsafe"

// tableOf returns the address of the table of a set. The variable tables has 0 for a set whose
// loops this build does not have in C. Addresses are numbers, since cgo checks what a pointer
// points to at each call. tableOf panics if the build does not include the set.
func tableOf(set int32) C.uintptr_t {
	t := tables[set]
	if t == 0 {
		panic(notBuilt)
	}
	return t
}

// Run runs p once. dst and src are the addresses that its offsets count from. The caller guarantees
// that the host has the instructions of p's set, that every element lies in its buffer, and that no
// element of the destination shares a byte with one of the source: nothing is checked here. Run
// panics if the build does not include the set.
//
// unsafe: C keeps no pointer after the call, and does not call Go.
func (p *Program) Run(dst, src unsafe.Pointer) {
	C.run(tableOf(p.Set), (*C.s1_program)(unsafe.Pointer(p)), (*C.uint8_t)(dst), (*C.uint8_t)(src))
}

// RunParts runs the program of each part, at least one, from the addresses dst and src plus what
// the part adds. The caller guarantees what [Program.Run] demands. RunParts panics if the build
// does not include the set of one of the programs.
//
// unsafe: as Run.
func RunParts(programs []Program, parts []Part, dst, src unsafe.Pointer) {
	for i := range parts {
		tableOf(programs[parts[i].Program].Set)
	}
	C.run_parts(&tables[0], (*C.s1_program)(unsafe.Pointer(&programs[0])), (*C.s1_part)(unsafe.Pointer(&parts[0])),
		C.int64_t(len(parts)), (*C.uint8_t)(dst), (*C.uint8_t)(src))
}

// Convert converts a part from src to dst. If before is not nil, that program first slices src into
// memory at a, and Convert converts that. If after is not nil, Convert converts into memory at b,
// and that program slices b to dst. The loops of the set convert. The programs may be of other
// sets. The caller guarantees what Run demands for every step.
//
// unsafe: as Run.
func (c *Conversion) Convert(set int32, before, after *Program, dst, src, a, b unsafe.Pointer, params *Params) {
	for _, p := range [...]*Program{before, after} {
		if p != nil {
			tableOf(p.Set)
		}
	}
	C.convert(&tables[0], tableOf(set), (*C.s1_program)(unsafe.Pointer(before)), (*C.s1_conversion)(unsafe.Pointer(c)),
		(*C.s1_program)(unsafe.Pointer(after)), (*C.uint8_t)(dst), (*C.uint8_t)(src), (*C.uint8_t)(a), (*C.uint8_t)(b), (*C.float)(&params[0][0]))
}

// Convert stores R, G and B of the rows that c names from dst on, by the loops of a set. y, cb and
// cr are the addresses of the samples of the first pixel's column in the first rows of their
// planes.
//
// unsafe: the caller guarantees that all lie in their buffers. C keeps no pointer after the call.
func (c *Colours) Convert(set int32, dst, y, cb, cr *uint8) {
	C.ycbcr(tableOf(set), (*C.s1_colours)(unsafe.Pointer(c)), (*C.uint8_t)(dst), (*C.uint8_t)(y), (*C.uint8_t)(cb), (*C.uint8_t)(cr))
}

// Built reports whether this build has the loops of set number `set` in C.
func Built(set int32) bool { return tables[set] != 0 }
