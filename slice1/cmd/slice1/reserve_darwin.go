package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// reserve makes f size bytes long and allocates the disk space, so that a full disk is an
// error before anything is sliced.
func reserve(f *os.File, size int64) error {
	space := unix.Fstore_t{Flags: unix.F_ALLOCATEALL, Posmode: unix.F_PEOFPOSMODE, Length: size}
	if err := unix.FcntlFstore(f.Fd(), unix.F_PREALLOCATE, &space); err != nil {
		return err
	}
	return f.Truncate(size)
}
