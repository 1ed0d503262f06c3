package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// renameNew renames a file if the new name does not exist; if it does, the error matches fs.ErrExist.
// If the file system cannot check and rename in one step, the error matches errors.ErrUnsupported.
func renameNew(from, to string) error {
	if err := unix.RenamexNp(from, to, unix.RENAME_EXCL); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}
