//go:build !(cgo && (amd64 || arm64))

package main

const compiler = "none"

// autoLoop returns nil: there is no C compiler to compare with.
func autoLoop(dst, src []byte, stride, width int) func() { return nil }
