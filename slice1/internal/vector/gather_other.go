//go:build goexperiment.simd && (amd64 || wasm) && go1.27 && !go1.28

package vector

import (
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

// gathers reports that package portable takes elements one by one.
func gathers(*csrc.Program) bool { return false }

func (r rows) elements(*csrc.Program, unsafe.Pointer, unsafe.Pointer) {}
