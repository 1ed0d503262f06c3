//go:build !linux || !cgo

package main

import "errors"

// loadLibrary finds none.
func loadLibrary(string) (*peerInC, error) { return nil, errors.New("needs cgo on Linux") }
