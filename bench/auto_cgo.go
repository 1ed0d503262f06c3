//go:build cgo && (amd64 || arm64)

package main

/*
#cgo CFLAGS: -O3
#cgo noescape auto_loop
#cgo nocallback auto_loop
#include <stdint.h>

#if defined(__x86_64__)
#define TARGET __attribute__((target("avx2")))
#else
#define TARGET
#endif

#define LOOP(type, name, stride)                                                            \
	TARGET static void type##_##name(type *restrict d, const type *restrict s, int64_t n) { \
		for (int64_t i = 0; i < n; i++) d[i] = s[i * (stride)];                             \
	}
#define LOOPS(type) LOOP(type, back, -1) LOOP(type, by2, 2) LOOP(type, by3, 3) LOOP(type, by4, 4)
LOOPS(uint8_t) LOOPS(uint16_t) LOOPS(uint32_t) LOOPS(uint64_t)

#define CALL(type)                                                                   \
	switch (stride) {                                                                \
		case -1: type##_back((type *)d, (const type *)s + (n - 1), n); break;        \
		case 2: type##_by2((type *)d, (const type *)s, n); break;                    \
		case 3: type##_by3((type *)d, (const type *)s, n); break;                    \
		case 4: type##_by4((type *)d, (const type *)s, n); break;                    \
	}

static void auto_loop(char *d, const char *s, int64_t n, int64_t stride, int width) {
	switch (width) {
		case 1: CALL(uint8_t) break;
		case 2: CALL(uint16_t) break;
		case 4: CALL(uint32_t) break;
		case 8: CALL(uint64_t) break;
	}
}
*/
import "C"

import "unsafe"

const compiler = C.__VERSION__

// autoLoop returns the C loop with the stride a constant, as the compiler
// vectorises it at -O3, for AVX2 on amd64.
func autoLoop(dst, src []byte, stride, width int) func() {
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	n := C.int64_t(len(dst) / width)
	return func() { C.auto_loop((*C.char)(d), (*C.char)(s), n, C.int64_t(stride), C.int(width)) }
}
