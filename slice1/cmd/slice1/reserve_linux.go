package main

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// reserve makes f size bytes long and allocates the disk space, so that a full disk is an
// error before anything is sliced.
func reserve(f *os.File, size int64) error {
	for {
		if err := unix.Fallocate(int(f.Fd()), 0, 0, size); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
