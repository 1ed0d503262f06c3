//go:build cgo && !purego && (amd64 || arm64)

package csrc

/*
#cgo CFLAGS: -O3 -std=gnu11 -Wall -Wextra
#cgo noescape run
#cgo nocallback run
#cgo noescape prepare
#cgo nocallback prepare
#include "s1.h"
#include <stddef.h>

enum { src_off_at = offsetof(s1_nest, src_off), dims_at = offsetof(s1_nest, dims) };

static const char *isa_name(int32_t i) { return s1_isas[i]->name; }
static const char *class_name(const s1_prog *prog) { return s1_class_names[prog->class_]; }

static void prepare(int32_t i, const s1_nest *nest, int stream, s1_prog *prog) {
	s1_prepare(nest, &s1_isas[i]->target, stream, prog);
}

static void run(int32_t i, const s1_prog *prog, char *dst, const char *src) {
	s1_isas[i]->run(prog, (uint8_t *)dst, (const uint8_t *)src);
}
*/
import "C"

import "unsafe"

// A Nest is handed to C as it is: the two layouts must be one.
const (
	_ = uint(unsafe.Sizeof(Nest{}) - C.sizeof_s1_nest)
	_ = uint(C.sizeof_s1_nest - unsafe.Sizeof(Nest{}))
	_ = uint(unsafe.Offsetof(Nest{}.SrcOff) - C.src_off_at)
	_ = uint(C.src_off_at - unsafe.Offsetof(Nest{}.SrcOff))
	_ = uint(unsafe.Offsetof(Nest{}.Dims) - C.dims_at)
	_ = uint(C.dims_at - unsafe.Offsetof(Nest{}.Dims))
	_ = uint(C.S1_past_short - PastShort)
	_ = uint(PastShort - C.S1_past_short)
	_ = uint(MaxRank - C.S1_RANK)
	_ = uint(C.S1_RANK - MaxRank)
)

// Program is a Nest made ready for one kernel: the class of its inner loop
// and, where that is a shuffle, the windows and masks. It holds no pointers
// and is only read by Run, so that any number of goroutines may share it.
type Program struct{ c C.s1_prog }

// Prepare makes p the program of n. A Nest need not be in normal form, but
// one that is runs faster. Only an output too large for the caches, of which n
// may be a part, should not be Cached.
func (k Kernel) Prepare(p *Program, n *Nest, stream Stream) {
	C.prepare(C.int32_t(k.isa), (*C.s1_nest)(unsafe.Pointer(n)), C.int(stream), &p.c)
}

// Run executes p once. dst and src are the addresses the offsets of p's Nest
// count from. The caller guarantees that every element lies in its buffer and
// that the two do not overlap; nothing is checked here.
//
// unsafe: C keeps neither pointer and calls nothing of Go.
func (k Kernel) Run(p *Program, dst, src unsafe.Pointer) {
	C.run(C.int32_t(k.isa), &p.c, (*C.char)(dst), (*C.char)(src))
}

// Class returns the class of p's inner loop: "copy", "shuffle", "fill", "tile",
// "gather" or "scatter".
func (p *Program) Class() string { return C.GoString(C.class_name(&p.c)) }

// Kernels returns the kernels built in, weakest first, whether or not this
// host has their instruction sets.
func Kernels() []Kernel {
	ks := make([]Kernel, C.s1_isa_count)
	for i := range ks {
		ks[i] = Kernel{Name: C.GoString(C.isa_name(C.int32_t(i))), isa: int32(i)}
	}
	return ks
}
