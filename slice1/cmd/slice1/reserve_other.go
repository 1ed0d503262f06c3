//go:build !linux && !darwin

package main

import (
	"errors"
	"os"
	"runtime"
)

// reserve makes f, which is empty, size bytes long, for which Windows allocates disk space. On other
// systems it does nothing and returns errors.ErrUnsupported.
func reserve(f *os.File, size int64) error {
	if runtime.GOOS != "windows" {
		return errors.ErrUnsupported // a file made longer would have holes instead of disk space
	}
	return f.Truncate(size)
}
