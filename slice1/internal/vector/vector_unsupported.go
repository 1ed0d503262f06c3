//go:build !(goexperiment.simd && (amd64 || arm64 || wasm) && go1.27 && !go1.28)

// Package vector has no kernels in this build.
package vector

import (
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

// Built reports whether this build has such kernels.
const Built = false

// Run is not called in a build without kernels.
func Run(p *csrc.Program, dst, src unsafe.Pointer) {}
