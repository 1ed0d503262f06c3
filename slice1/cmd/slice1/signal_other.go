//go:build !unix && !wasm

package main

import (
	"os"
	"syscall"
)

// endings returns the signals after which the command removes what it has not finished and ends.
func endings() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }
