package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// renameNew renames a file and fails if the new name exists. If the system cannot do that
// in one step, the error is errors.ErrUnsupported.
func renameNew(from, to string) error {
	if err := unix.RenamexNp(from, to, unix.RENAME_EXCL); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}
