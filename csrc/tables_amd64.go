//go:build cgo && !purego

package csrc

// #include "program.h"
import "C"

// tables has the address of the table of each set, at the set's number.
var tables = [C.S1_SETS]C.uintptr_t{C.S1_set_avx2: avx2Table, C.S1_set_avx512: avx512Table}
