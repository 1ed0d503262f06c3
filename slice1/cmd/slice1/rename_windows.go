package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// renameNew renames a file and fails if the new name exists. If the system cannot do that
// in one step, the error is errors.ErrUnsupported.
func renameNew(from, to string) error {
	old, err := windows.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	path, err := windows.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	if err := windows.MoveFileEx(old, path, 0); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}
