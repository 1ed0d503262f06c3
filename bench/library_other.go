//go:build !linux || !cgo

package main

// loaders has no peers in C: they need cgo on Linux.
var loaders map[string]func() (*peerInC, error)
