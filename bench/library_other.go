//go:build !linux || !cgo

package main

import "errors"

// loaders has no peers in C: they need cgo on Linux.
var loaders map[string]func() (*peerInC, error)

// frameYUV has no libyuv either.
func frameYUV() (func(dst, pix []uint8, width, height int), error) { return nil, errors.ErrUnsupported }

// A coder makes a frame in BT.601, of limited range, of R, G, B and A. It writes all of dst.
type coder func(dst, rgba []uint8, width, height int)

func yuvCoders() (nv12, i420 coder, err error) { return nil, nil, errors.ErrUnsupported }

func scalerCoders(width, height int) (nv12, i420 coder, err error) {
	return nil, nil, errors.ErrUnsupported
}
