//go:build !linux || !cgo

package main

import "errors"

// loaders has no peers in C: they need cgo on Linux.
var loaders map[string]func() (*peerInC, error)

// frameYUV has no libyuv either.
func frameYUV() (func(dst, pix []uint8, width, height int), error) { return nil, errors.ErrUnsupported }
