//go:build cgo && !purego && arm64

package csrc

/*
#cgo noescape run_neon
#cgo nocallback run_neon
#cgo noescape convert_neon
#cgo nocallback convert_neon
#cgo noescape ycbcr_neon
#cgo nocallback ycbcr_neon
#include "neon.h"
#include "call.h"

static void run_neon(const s1_program *p, char *dst, const char *src) { run_loop(&s1_neon, p, dst, src); }
static void convert_neon(const s1_program *p, const s1_conversion *c, char *dst, const char *src, char *scratch, const float *params) {
  slice_and_convert(&s1_neon, p, c, dst, src, scratch, params);
}
static void ycbcr_neon(uint8_t *rgb, const uint8_t *y, const uint8_t *cb, const uint8_t *cr, int64_t n, int cell, int skip) {
  s1_neon.ycbcr(rgb, y, cb, cr, n, cell, skip);
}
static const char *name_neon(int32_t loop) { return loop_name(&s1_neon, loop); }
*/
import "C"

import "unsafe"

func (p *Program) run(dst, src unsafe.Pointer) {
	if !Built(p.Set) {
		panic(notBuilt)
	}
	C.run_neon((*C.s1_program)(unsafe.Pointer(p)), (*C.char)(dst), (*C.char)(src))
}

func loopName(set, loop int32) string { return C.GoString(C.name_neon(C.int32_t(loop))) }

func (c *Conversion) convert(set int32, p *Program, dst, src, scratch unsafe.Pointer, params *Params) {
	if !Built(set) {
		panic(notBuilt)
	}
	C.convert_neon((*C.s1_program)(unsafe.Pointer(p)), (*C.s1_conversion)(unsafe.Pointer(c)), (*C.char)(dst), (*C.char)(src), (*C.char)(scratch), (*C.float)(&params[0][0]))
}

func yCbCr(_ int32, rgb, y, cb, cr *uint8, n, cell, skip int) {
	C.ycbcr_neon((*C.uint8_t)(rgb), (*C.uint8_t)(y), (*C.uint8_t)(cb), (*C.uint8_t)(cr), C.int64_t(n), C.int(cell), C.int(skip))
}
