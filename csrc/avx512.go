//go:build cgo && !purego && amd64

package csrc

/*
#include "program.h"
#if S1_COMPILES
#include "avx512.h"
#else
const s1_set *s1_avx512(void);
#endif

static uintptr_t set_avx512(void) { return (uintptr_t)s1_avx512(); }
*/
import "C"

func init() { addresses[C.S1_set_avx512] = C.set_avx512() }
