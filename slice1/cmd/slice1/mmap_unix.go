//go:build unix

package main

import (
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps the first size bytes of f, which may be closed thereafter.
func mapFile(f *os.File, size int64, writable bool) (data []byte, unmap func() error, err error) {
	if size > math.MaxInt {
		return nil, nil, unix.EFBIG
	}
	protection := unix.PROT_READ
	if writable {
		protection |= unix.PROT_WRITE
	}
	data, err = unix.Mmap(int(f.Fd()), 0, int(size), protection, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	return data, func() error { return unix.Munmap(data) }, nil
}
