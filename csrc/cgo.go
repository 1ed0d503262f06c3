//go:build cgo && !purego && (amd64 || arm64)

package csrc

/*
#cgo CFLAGS: -std=gnu11 -Wall -Wextra -DNDEBUG
#cgo !s1_coverage,!s1_sanitize CFLAGS: -O3
#cgo s1_sanitize CFLAGS: -O1
#cgo s1_coverage CFLAGS: -O0 -Wno-psabi -Wno-unused-parameter -DS1_NOINLINE
#cgo s1_emulate_avx512 CFLAGS: -Wno-psabi -DS1_EMULATE_AVX512
#cgo noescape run
#cgo nocallback run
#include "program.h"
#include <stddef.h>

static const s1_set *set_of(int32_t set) {
	switch (set) {
#if defined(__x86_64__) || defined(_M_X64)
	case 0: return &s1_avx2;
	case 1: return &s1_avx512;
#else
	case 2: return &s1_neon;
#endif
	}
	return 0;
}

static const char *loop_name(int32_t set, int32_t loop) {
	const s1_set *s = set_of(set);
	return s && loop < s->count ? s->names[loop] : 0;
}

static void run(const s1_program *p, char *dst, const char *src) {
	const s1_set *s = set_of(p->set);
	assert(s && p->loop >= 0 && p->loop < s->count);
	s->loops[p->loop](p, (uint8_t *)dst, (const uint8_t *)src);
}
*/
import "C"

import "unsafe"

// Run runs p once. dst and src are the addresses that its offsets count from. The
// caller guarantees that the host has the set's instructions, that every element lies
// in its buffer, and that the two do not overlap: nothing is checked here.
//
// unsafe: C keeps neither pointer and calls nothing of Go.
func (p *Program) Run(dst, src unsafe.Pointer) {
	C.run((*C.s1_program)(unsafe.Pointer(p)), (*C.char)(dst), (*C.char)(src))
}

// Built reports whether this build has the loops of a set, given by its number.
func Built(set int32) bool { return C.set_of(C.int32_t(set)) != nil }

// builtLoops returns the names of a set's loops in the order of C's table.
func builtLoops(set int32) (names []string) {
	for i := C.int32_t(0); ; i++ {
		name := C.loop_name(C.int32_t(set), i)
		if name == nil {
			return names
		}
		names = append(names, C.GoString(name))
	}
}
