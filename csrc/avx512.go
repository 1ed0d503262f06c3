//go:build cgo && !purego && amd64

package csrc

/*
#include "program.h"
#if S1_COMPILES
#include "avx512.h"
#else
const s1_set *s1_avx512(const s1_set *weaker);
#endif

static uintptr_t table_avx512(uintptr_t avx2) { return (uintptr_t)s1_avx512((const s1_set *)avx2); }
*/
import "C"

// The file of AVX2 comes before this one, and so does its init.
func init() { tables[SetNumber("avx512")] = C.table_avx512(tables[SetNumber("avx2")]) }
