//go:build cgo && !purego && amd64

package csrc

/*
#include "program.h"
#if S1_COMPILES
#include "avx2.h"
#else
const s1_set *s1_avx2(void);
#endif

static uintptr_t set_avx2(void) { return (uintptr_t)s1_avx2(); }
*/
import "C"

func init() { addresses[C.S1_set_avx2] = C.set_avx2() }
