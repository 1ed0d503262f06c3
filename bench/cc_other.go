//go:build !cgo

package main

const compiler = "none"

// ccLoop returns nil: there is no C compiler.
func ccLoop(dst, src []byte, a axis, first, width int) func() { return nil }

// roofCopies copies src to dst reps times. Both must have the same length.
func roofCopies(dst, src []byte, reps int) {
	for range reps {
		copy(dst, src)
	}
}
