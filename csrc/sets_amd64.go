//go:build cgo && !purego

package csrc

// #include "program.h"
import "C"

// addresses has the address of each set, at the set's number. It is 0 for a set whose loops this
// build does not have.
var addresses = [C.S1_SETS]C.uintptr_t{C.S1_set_avx2: avx2Set, C.S1_set_avx512: avx512Set}
