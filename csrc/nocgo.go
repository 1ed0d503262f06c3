//go:build !(cgo && !purego && (amd64 || arm64))

package csrc

import "unsafe"

// Run is not called in a build without loops.
func (p *Program) Run(dst, src unsafe.Pointer) {}

// Built returns false: this build has no loops.
func Built(set int32) bool { return false }

func builtLoops(set int32) []string { return nil }
