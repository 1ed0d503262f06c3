//go:build !unix

package main

import "io"

// checkOutput finds no fault on this system.
func checkOutput(io.Writer) error { return nil }
