//go:build unix

package main

import (
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps the first size bytes of f to be read.
func mapFile(f *os.File, size int64) (data []byte, unmap func() error, err error) {
	if size > math.MaxInt {
		return nil, nil, unix.EFBIG
	}
	data, err = unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	return data, func() error { return unix.Munmap(data) }, nil
}

// Advice that is not taken is no error.

func adviseSequential(mapped []byte) { _ = unix.Madvise(mapped, unix.MADV_SEQUENTIAL) }

func adviseRandom(mapped []byte) { _ = unix.Madvise(mapped, unix.MADV_RANDOM) }

// releasePages takes the pages of a mapping out of the process; they stay in
// the system's cache.
func releasePages(mapped []byte) { _ = unix.Madvise(mapped, unix.MADV_DONTNEED) }
