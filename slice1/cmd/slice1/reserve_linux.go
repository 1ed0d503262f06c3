package main

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// reserve makes f, which is empty, size bytes long and allocates the disk space. If the file system
// cannot do that, the error matches errors.ErrUnsupported.
func reserve(f *os.File, size int64) error {
	for {
		if err := unix.Fallocate(int(f.Fd()), 0, 0, size); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
