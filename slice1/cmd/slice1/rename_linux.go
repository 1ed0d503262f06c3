package main

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renameNew renames a file and fails if the new name exists. If the system cannot do that
// in one step, the error is errors.ErrUnsupported.
func renameNew(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL):
		return errors.ErrUnsupported // of this file system
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}
