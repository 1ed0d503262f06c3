//go:build !linux && !darwin && !windows

package main

import "errors"

// renameNew renames a file to a name that must be free. Where the system cannot,
// the error is errors.ErrUnsupported.
func renameNew(from, to string) error { return errors.ErrUnsupported }
