//go:build !linux && !darwin && !windows

package main

import "errors"

// renameNew renames a file to a name that must be free. Where the system can not,
// the error is errors.ErrUnsupported.
func renameNew(from, to string) error { return errors.ErrUnsupported }
