//go:build cgo

package main

/*
#cgo CFLAGS: -O3
#cgo noescape roof_loop
#cgo nocallback roof_loop
#include <stdint.h>
#include <string.h>

#if defined(__clang__)
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

static const char *compiler(void) { return COMPILER; }

static void roof_loop(void *d, const void *s, int64_t n, int64_t reps) {
	while (reps-- > 0) {
		memcpy(d, s, n);
		__asm__ volatile("" ::: "memory"); // the compiler must not leave out a copy
	}
}
*/
import "C"

import "unsafe"

var compiler = C.GoString(C.compiler())

// roofCopies copies src to dst reps times. Both must have the same length.
func roofCopies(dst, src []byte, reps int) {
	C.roof_loop(unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0]), C.int64_t(len(dst)), C.int64_t(reps))
}
