//go:build !linux && !darwin && !windows

package main

import "errors"

// renameNew renames a file and fails if the new name exists. If the system cannot do that
// in one step, the error is errors.ErrUnsupported.
func renameNew(from, to string) error { return errors.ErrUnsupported }
