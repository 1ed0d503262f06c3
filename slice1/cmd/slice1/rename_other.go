//go:build !linux && !darwin && !windows

package main

import "errors"

// renameNew does nothing and returns errors.ErrUnsupported: this system cannot check in one step that
// a name does not exist and rename a file to it.
func renameNew(from, to string) error { return errors.ErrUnsupported }
