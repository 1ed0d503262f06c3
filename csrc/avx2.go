//go:build cgo && !purego && amd64

package csrc

/*
#include "program.h"
#if S1_COMPILES
#include "avx2.h"
#else
const s1_set *s1_avx2(void);
#endif

static uintptr_t table_avx2(void) { return (uintptr_t)s1_avx2(); }
*/
import "C"

var avx2Table = C.table_avx2()
