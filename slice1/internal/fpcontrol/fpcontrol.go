//go:build amd64 || arm64

// Package fpcontrol reads and sets the processor's register that says how floating-point operations
// round and whether they flush tiny numbers to zero, for tests: MXCSR on amd64, FPCR on arm64. It
// belongs to the thread, which a test must lock.
package fpcontrol

// Get returns the register.
func Get() uint64

// Set sets the register.
func Set(value uint64)
