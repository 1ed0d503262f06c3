//go:build cgo

package main

/*
#cgo CFLAGS: -O3
#cgo noescape cc_loop
#cgo nocallback cc_loop
#cgo noescape roof_loop
#cgo nocallback roof_loop
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#define TARGET __attribute__((target("avx2")))
#else
#define TARGET
#endif
#if defined(__clang__)
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

static const char *compiler(void) { return COMPILER; }

#define CASE(by) case by: for (int64_t i = 0; i < n; i++) d[i] = s[i * (by)]; break;
#define LOOP(type)                                                               \
	TARGET static void loop_##type(type *restrict d, const type *restrict s,     \
	                               int64_t n, int64_t stride) {                  \
		switch (stride) {                                                        \
			CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)      \
			CASE(9) CASE(10) CASE(11) CASE(12) CASE(13) CASE(14) CASE(15)        \
			CASE(16) CASE(64)                                                    \
			CASE(-1) CASE(-2) CASE(-3) CASE(-4) CASE(-5) CASE(-6) CASE(-7)       \
			CASE(-8) CASE(-9) CASE(-10) CASE(-11) CASE(-12) CASE(-13) CASE(-14)  \
			CASE(-15) CASE(-16)                                                  \
		}                                                                        \
	}
LOOP(uint8_t) LOOP(uint16_t) LOOP(uint32_t) LOOP(uint64_t)

static void cc_loop(void *d, const void *s, int64_t n, int64_t stride, int width) {
	switch (width) {
		case 1: loop_uint8_t(d, s, n, stride); break;
		case 2: loop_uint16_t(d, s, n, stride); break;
		case 4: loop_uint32_t(d, s, n, stride); break;
		case 8: loop_uint64_t(d, s, n, stride); break;
	}
}

static void roof_loop(void *d, const void *s, int64_t n, int64_t reps) {
	while (reps-- > 0) {
		memcpy(d, s, n);
		__asm__ volatile("" ::: "memory"); // the compiler must not leave out a copy
	}
}
*/
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/seed2e45c115/dml/cpuid"
)

var compiler = C.GoString(C.compiler())

// ccLoop returns a call of the C loop for the source stride of a, from element `first` of src on.
// It returns nil if there is no loop for that stride, if the destination is not packed, or if an
// amd64 processor lacks AVX2.
func ccLoop(dst, src []byte, a axis, first, width int) func() {
	if by := max(a.src, -a.src); a.dst != 1 || by == 0 || by > 16 && a.src != 64 {
		return nil
	}
	if runtime.GOARCH == "amd64" && !cpuid.Host().AVX2 {
		return nil
	}
	d, s := unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[first*width])
	return func() { C.cc_loop(d, s, C.int64_t(a.n), C.int64_t(a.src), C.int(width)) }
}

// roofCopies copies src to dst reps times. Both must have the same length.
func roofCopies(dst, src []byte, reps int) {
	C.roof_loop(unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), C.int64_t(len(dst)), C.int64_t(reps))
}
