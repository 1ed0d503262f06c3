package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// reserve makes f, which is empty, size bytes long and allocates the disk space. If the file system
// cannot do that, the error matches errors.ErrUnsupported.
func reserve(f *os.File, size int64) error {
	space := unix.Fstore_t{Flags: unix.F_ALLOCATEALL, Posmode: unix.F_PEOFPOSMODE, Length: size}
	if err := unix.FcntlFstore(f.Fd(), unix.F_PREALLOCATE, &space); err != nil {
		return err
	}
	return f.Truncate(size)
}
