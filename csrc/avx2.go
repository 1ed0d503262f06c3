//go:build cgo && !purego && amd64

package csrc

/*
#cgo noescape run_avx2
#cgo nocallback run_avx2
#cgo noescape convert_avx2
#cgo nocallback convert_avx2
#cgo noescape ycbcr_avx2
#cgo nocallback ycbcr_avx2
#include "avx2.h"
#include "call.h"

static void run_avx2(const s1_program *p, char *dst, const char *src) { run_loop(&s1_avx2, p, dst, src); }
static void convert_avx2(const s1_program *p, const s1_conversion *c, char *dst, const char *src, char *scratch, const float *params) {
  slice_and_convert(&s1_avx2, p, c, dst, src, scratch, params);
}
static void ycbcr_avx2(uint8_t *rgb, const uint8_t *y, const uint8_t *cb, const uint8_t *cr, int64_t n, int cell, int skip) {
  s1_avx2.ycbcr(rgb, y, cb, cr, n, cell, skip);
}
static const char *name_avx2(int32_t loop) { return loop_name(&s1_avx2, loop); }
*/
import "C"

import "unsafe"

func (p *Program) runAVX2(dst, src unsafe.Pointer) {
	C.run_avx2((*C.s1_program)(unsafe.Pointer(p)), (*C.char)(dst), (*C.char)(src))
}

func loopNameAVX2(loop int32) string { return C.GoString(C.name_avx2(C.int32_t(loop))) }

func (c *Conversion) convertAVX2(p *Program, dst, src, scratch unsafe.Pointer, params *Params) {
	C.convert_avx2((*C.s1_program)(unsafe.Pointer(p)), (*C.s1_conversion)(unsafe.Pointer(c)), (*C.char)(dst), (*C.char)(src), (*C.char)(scratch), (*C.float)(&params[0][0]))
}

func yCbCrAVX2(rgb, y, cb, cr *uint8, n, cell, skip int) {
	C.ycbcr_avx2((*C.uint8_t)(rgb), (*C.uint8_t)(y), (*C.uint8_t)(cb), (*C.uint8_t)(cr), C.int64_t(n), C.int(cell), C.int(skip))
}
