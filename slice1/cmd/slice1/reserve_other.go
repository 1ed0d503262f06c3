//go:build !linux && !darwin

package main

import (
	"errors"
	"os"
	"runtime"
)

// reserve makes f size bytes long and allocates the disk space, so that a full disk is an
// error before anything is sliced.
func reserve(f *os.File, size int64) error {
	if runtime.GOOS != "windows" {
		return errors.ErrUnsupported // a longer file would have holes instead of disk space
	}
	return f.Truncate(size)
}
