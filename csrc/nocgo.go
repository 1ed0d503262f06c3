//go:build !(cgo && !purego && (amd64 || arm64))

package csrc

import "unsafe"

// Run panics: this build has no loops in C.
func (p *Program) Run(dst, src unsafe.Pointer) { panic(notBuilt) }

// RunParts panics: this build has no loops in C.
func RunParts(programs []Program, parts []Part, dst, src unsafe.Pointer) { panic(notBuilt) }

// Convert panics: this build has no loops in C.
func (c *Conversion) Convert(set int32, before, after *Program, dst, src, a, b unsafe.Pointer, params *Params) {
	panic(notBuilt)
}

// Convert panics: this build has no loops in C.
func (c *Colours) Convert(set int32, dst, y, cb, cr *uint8) { panic(notBuilt) }

// Built returns false: this build has no loops in C.
func Built(set int32) bool { return false }
