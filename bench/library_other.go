//go:build !linux || !cgo

package main

import "errors"

// loadLibrary returns an error: there are no peers in C in this build.
func loadLibrary(string) (*peerInC, error) { return nil, errors.New("needs cgo on Linux") }
