package main

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// renameNew renames a file if the new name does not exist; if it does, the error matches fs.ErrExist.
// If the file system cannot check and rename in one step, the error matches errors.ErrUnsupported.
func renameNew(from, to string) error {
	err := unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, unix.EINVAL):
		return errors.ErrUnsupported // by this file system
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}
