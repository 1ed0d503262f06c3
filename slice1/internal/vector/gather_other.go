//go:build goexperiment.simd && (amd64 || wasm) && go1.27 && !go1.28

package vector

import (
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

// gathers returns false: package portable runs the programs that copy element by element.
func gathers(*csrc.Program) bool { return false }

// elements is not called, since gathers returns false.
func (r rows) elements(*csrc.Program, unsafe.Pointer, unsafe.Pointer) {}
