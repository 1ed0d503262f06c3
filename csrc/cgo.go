//go:build cgo && !purego && (amd64 || arm64)

package csrc

/*
// Builds with the tag s1_coverage count branches, those with s1_sanitize are for sanitizers, and
// those with dml_debug know the lines of the source.
#cgo CFLAGS: -std=gnu11 -Wall -Wextra -fno-fast-math
#cgo !s1_coverage,!s1_sanitize CFLAGS: -O2 -DNDEBUG
#cgo !s1_coverage,!s1_sanitize,!dml_debug CFLAGS: -g0
#cgo s1_sanitize CFLAGS: -O1 -DS1_NOINLINE
#cgo s1_coverage CFLAGS: -O0 -DS1_UNOPTIMIZED -DS1_NOINLINE -DNDEBUG -Wno-psabi -Wno-unused-parameter
#cgo s1_emulate_avx512 CFLAGS: -Wno-psabi -DS1_EMULATE_AVX512
#cgo noescape slice
#cgo nocallback slice
#cgo noescape slice_parts
#cgo nocallback slice_parts
#cgo noescape convert
#cgo nocallback convert
#cgo noescape ycbcr
#cgo nocallback ycbcr
#cgo noescape frame
#cgo nocallback frame
#cgo noescape columns
#cgo nocallback columns
#cgo noescape rows
#cgo nocallback rows
#cgo noescape plane_columns
#cgo nocallback plane_columns
#cgo noescape plane_rows
#cgo nocallback plane_rows
#include "call.h"

// Structs from Go have no pointers, so each pointer is an argument.
static void slice(uintptr_t set, const int64_t *p, uint8_t *dst, const uint8_t *src) { run_loop((const s1_set *)set, (const void *)p, dst, src); }
static void slice_parts(const uintptr_t *sets, const int64_t *programs, const s1_part *parts, int64_t n, uint8_t *dst, const uint8_t *src) {
  for (const s1_part *t = parts; t < parts + n; t++) {
    const s1_program *const p = (const void *)((const char *)programs + t->program);
    run_loop((const s1_set *)sets[p->set], p, dst + t->dst, src + t->src);
  }
}
static void ycbcr(uintptr_t set, const s1_colours *c, uint8_t *dst, const uint8_t *y, const uint8_t *cb, const uint8_t *cr) {
  ((const s1_set *)set)->ycbcr(c, dst, y, cb, cr);
}
static void frame(uintptr_t set, const s1_frame *f, uint8_t *y, uint8_t *cb, uint8_t *cr, const uint8_t *src) {
	((const s1_set *)set)->frame(f, y, cb, cr, src);
}
static void columns(uintptr_t set, const s1_column_pass *p, const int32_t *first, const uint8_t *weights, uint8_t *dst, const uint8_t *src) {
  s1_columns c = {.first = first, .n = p->n, .groups = p->groups, .weights = weights};
  for (int row = 0; row < p->rows; row += p->at_once) {
    for (int r = 0; r < p->at_once; r++) c.d[r] = dst + p->dst[row + r], c.s[r] = src + p->src[row + r];
    ((const s1_set *)set)->columns[p->pass](&c);
  }
}
static void rows(uintptr_t set, const s1_row_pass *p, const int64_t *list, const uint8_t *weights, uint8_t *d, const uint8_t *s) {
  s1_rows r = {.weights = weights, .d = d, .s = s, .n = p->n};
  for (int64_t left = p->count; left > 0; left--, list += r.count, r.d += p->stride, r.weights += p->each) {
    r.count = *list++, r.rows = list;
    ((const s1_set *)set)->rows[p->pass](&r);
  }
}
static void plane_columns(uintptr_t set, const s1_plane_column_pass *p, const int32_t *first, const int32_t *count, const void *weights, float *room, uint8_t *dst, const uint8_t *src) {
  s1_plane_columns c = {.first = first, .count = count, .n = p->n, .width = p->width, .taps = p->taps, .weights = weights, .room = room};
  for (int r = 0; r < S1_JOINED; r++) c.d[r] = (float *)(dst + p->dst[r]), c.s[r] = (const float *)(src + p->src[r]);
  const uint64_t was = usual_rounding();
  ((const s1_set *)set)->plane_columns[p->pass](&c);
  restore_rounding(was);
}
static void plane_rows(uintptr_t set, const s1_plane_row_pass *p, const int64_t *offsets, const void *weights, float *d, const uint8_t *s) {
  const s1_plane_rows r = {.rows = offsets, .n_rows = p->rows, .taps = p->taps, .n = p->n, .count = p->count, .stride = p->stride, .weights = weights, .d = d, .s = s};
  const uint64_t was = usual_rounding();
  ((const s1_set *)set)->plane_rows[p->pass](&r);
  restore_rounding(was);
}
*/
import "C"

import "unsafe"

// addresses has the address of each set, at the set's number. The file of a set puts it there. It
// is 0 for a set whose loops this build does not have.
var addresses [C.S1_SETS]C.uintptr_t

// setOf returns the address of a set, and panics if this build does not have its loops. Addresses
// are numbers, since cgo checks what a pointer points to at each call.
func setOf(set int32) C.uintptr_t {
	s := addresses[set]
	if s == 0 {
		panic("csrc: the build does not include the set")
	}
	return s
}

// Built reports whether this build has the loops of set number `set`, which is at least 0 and less
// than S1_SETS.
func Built(set int32) bool { return addresses[set] != 0 }

// Slice runs the s1_program p once. set is the number of a set, with which p begins. Slice panics
// if the build does not have the loops of that set.
//
// unsafe: dst and src are the addresses that the program's offsets count from.
func Slice(set int32, p, dst, src unsafe.Pointer) {
	C.slice(setOf(set), (*C.int64_t)(p), (*C.uint8_t)(dst), (*C.uint8_t)(src))
}

// SliceParts runs the program of each of n parts, at least one, from the addresses dst and src plus
// what the part adds. parts is an array of s1_part, and each says where in programs its s1_program
// begins. SliceParts panics if the build does not have the loops of the set of a program.
//
// unsafe: as for [Slice].
func SliceParts(programs, parts unsafe.Pointer, n int64, dst, src unsafe.Pointer) {
	list := (*C.s1_part)(parts)
	for _, part := range unsafe.Slice(list, n) {
		setOfProgram(unsafe.Add(programs, part.program))
	}
	C.slice_parts(&addresses[0], (*C.int64_t)(programs), list, C.int64_t(n), (*C.uint8_t)(dst), (*C.uint8_t)(src))
}

// setOfProgram is setOf for the set of an s1_program or an s1_conversion, which may be nil. Either
// begins with the number of its set. A program may have fewer bytes than an s1_program, which has
// room for every body. So no pointer to a whole s1_program is made of p.
func setOfProgram(p unsafe.Pointer) {
	if p != nil {
		setOf(*(*int32)(p))
	}
}

// Convert runs the s1_conversion c, which begins with the number of its set. If srcProgram is not
// nil, that s1_program first slices src into memory, and Convert converts that. If dstProgram is
// not nil, Convert converts into the memory from the byte on that c names, and that s1_program
// slices it to dst. params has S1_PARAMS values of scale, then as many of bias, all of float32.
// Convert panics if the build does not have the loops of the set of c or of a program.
//
// unsafe: as for [Slice].
func Convert(c, srcProgram, dstProgram, dst, src, memory, params unsafe.Pointer) {
	setOfProgram(c)
	setOfProgram(srcProgram)
	setOfProgram(dstProgram)
	C.convert(&addresses[0], (*C.s1_conversion)(c), (*C.s1_program)(srcProgram), (*C.s1_program)(dstProgram),
		(*C.uint8_t)(dst), (*C.uint8_t)(src), (*C.uint8_t)(memory), (*C.float)(params))
}

// Colours stores R, G and B of the rows that the s1_colours c names from dst on, by a set. It
// panics if the build does not have the loops of the set.
//
// unsafe: y, cb and cr are the addresses of the samples of the first pixel's column in the first
// rows of their planes.
func Colours(set int32, c, dst, y, cb, cr unsafe.Pointer) {
	C.ycbcr(setOf(set), (*C.s1_colours)(c), (*C.uint8_t)(dst), (*C.uint8_t)(y), (*C.uint8_t)(cb), (*C.uint8_t)(cr))
}

// Frame stores luma and chroma of the rows of pixels that the s1_frame f names, by a set. It panics
// if the build does not have the loops of the set.
//
// unsafe: y, cb and cr are the addresses of the first samples that are stored, and src is that of
// the first pixel.
func Frame(set int32, f, y, cb, cr, src unsafe.Pointer) {
	C.frame(setOf(set), (*C.s1_frame)(f), (*C.uint8_t)(y), (*C.uint8_t)(cb), (*C.uint8_t)(cr), (*C.uint8_t)(src))
}

// Columns runs the s1_column_pass p over the columns of its rows, which may be the same ones.
// resample.h, area.h and vnni.h have the loop of each pass: starts is its first[] of int32, weights
// has the bytes of its w. Columns panics if the build does not have the loops of the set.
//
// unsafe: p counts the places of the rows from dst and src, where the first row of each begins. All
// rows lie in their buffers, which the caller keeps alive.
func Columns(set int32, p, starts, weights, dst, src unsafe.Pointer) {
	C.columns(setOf(set), (*C.s1_column_pass)(p), (*C.int32_t)(starts), (*C.uint8_t)(weights), (*C.uint8_t)(dst), (*C.uint8_t)(src))
}

// Rows runs the s1_row_pass p. list has int64: for each row that is made, how many rows it takes,
// then for each of these the bytes from src to its first sample. resample.h, area.h and vnni.h have
// the loop of each pass, and weights has the bytes of its w for the first row that is made. Rows
// panics if the build does not have the loops of the set.
//
// unsafe: all rows lie in their buffers.
func Rows(set int32, p, list, weights, dst, src unsafe.Pointer) {
	C.rows(setOf(set), (*C.s1_row_pass)(p), (*C.int64_t)(list), (*C.uint8_t)(weights), (*C.uint8_t)(dst), (*C.uint8_t)(src))
}

// PlaneColumns runs the s1_plane_column_pass p over the columns of as many rows as a vector of the
// set has numbers. planes.h has the loop of each pass: starts and count are its lists of int32, and
// weights has its w. room has room for as many vectors as a row of the source has numbers. Numbers
// are rounded to nearest. PlaneColumns panics if the build does not have the loops of the set.
//
// unsafe: p counts the places of the rows from dst and src, where the first row of each begins. All
// rows lie in their buffers, which the caller keeps alive.
func PlaneColumns(set int32, p, starts, count, weights, room, dst, src unsafe.Pointer) {
	C.plane_columns(setOf(set), (*C.s1_plane_column_pass)(p), (*C.int32_t)(starts), (*C.int32_t)(count), weights, (*C.float)(room), (*C.uint8_t)(dst), (*C.uint8_t)(src))
}

// PlaneRows runs the s1_plane_row_pass p over rows of planes. rows has an int64 for each: the bytes
// from src to its first number. planes.h has the loop of each pass, and weights has its w. Numbers
// are rounded to nearest. PlaneRows panics if the build does not have the loops of the set.
//
// unsafe: all rows lie in their buffers.
func PlaneRows(set int32, p, rows, weights, dst, src unsafe.Pointer) {
	C.plane_rows(setOf(set), (*C.s1_plane_row_pass)(p), (*C.int64_t)(rows), weights, (*C.float)(dst), (*C.uint8_t)(src))
}
