//go:build !(goexperiment.simd && amd64 && go1.27 && !go1.28)

// Package vector has no kernels in this build.
package vector

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// Built reports whether this build has such kernels.
const Built = false

// Suits returns false.
func Suits(n *nest.Nest) bool { return false }

// Run is not called in a build without kernels.
func Run(n *nest.Nest, dst, src unsafe.Pointer) {}
