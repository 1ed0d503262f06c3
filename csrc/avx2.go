//go:build cgo && !purego && amd64

package csrc

/*
#include "program.h"
#if S1_COMPILES
#include "avx2.h"
#else
const s1_set *s1_avx2(const s1_set *weaker);
#endif

static uintptr_t table_avx2(void) { return (uintptr_t)s1_avx2(0); }
*/
import "C"

func init() { tables[SetNumber("avx2")] = C.table_avx2() }
