//go:build amd64 || arm64

// Package fpcontrol reads and sets the register of the processor that controls floating point: how
// operations round, and whether they flush tiny numbers to zero. It is MXCSR on amd64 and FPCR on
// arm64. Each thread has its own, so a test that uses it must lock its goroutine to its thread.
package fpcontrol

// Get returns the register.
func Get() uint64

// Set sets the register.
func Set(value uint64)
