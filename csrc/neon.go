//go:build cgo && !purego && arm64

package csrc

/*
#include "program.h"
#if S1_COMPILES
#include "neon.h"
#else
const s1_set *s1_neon(void);
#endif

static uintptr_t set_neon(void) { return (uintptr_t)s1_neon(); }
*/
import "C"

func init() { addresses[C.S1_set_neon] = C.set_neon() }
