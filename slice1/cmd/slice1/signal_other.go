//go:build !unix && !wasm

package main

import (
	"os"
	"syscall"
)

// endings are the signals that end a command and can be caught.
func endings() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }
