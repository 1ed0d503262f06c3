//go:build !linux && !darwin

package main

import (
	"errors"
	"os"
	"runtime"
)

// reserve makes f size bytes long and takes the space for them, so that a full
// disk is an error before anything is sliced.
func reserve(f *os.File, size int64) error {
	if runtime.GOOS != "windows" {
		return errors.ErrUnsupported // elsewhere longer files have holes
	}
	return f.Truncate(size)
}
