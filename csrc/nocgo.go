//go:build !(cgo && !purego && (amd64 || arm64))

package csrc

import "unsafe"

// Program is a Nest made ready for one kernel. This build has no kernel and
// makes none.
type Program struct{}

// Prepare is not called in a build without kernels.
func (k Kernel) Prepare(p *Program, n *Nest, stream Stream) {}

// Run is not called in a build without kernels.
func (k Kernel) Run(p *Program, dst, src unsafe.Pointer) {}

// Class returns "" in a build without kernels.
func (p *Program) Class() string { return "" }

// Kernels returns nil: this build has no kernel.
func Kernels() []Kernel { return nil }
