//go:build !(goexperiment.simd && (amd64 || arm64) && go1.27 && !go1.28)

// Package vector has no loops in this build: they need Go 1.27, GOEXPERIMENT=simd, and amd64 or
// arm64.
package vector

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Slice panics: this build has no such loops.
func Slice(p *program.Program, dst, src unsafe.Pointer) { panic("vector: this build has no loops") }
