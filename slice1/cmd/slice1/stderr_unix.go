//go:build unix

package main

import (
	"os"
	"syscall"
)

// If nobody reads standard error any more, a write to it is an error and the job goes on. The file
// gets a number that is neither 1 nor 2. With these numbers Go would end the process by SIGPIPE,
// and the temporary file would stay.
func init() {
	if fd, err := syscall.Dup(syscall.Stderr); err == nil {
		syscall.CloseOnExec(fd)
		os.Stderr = os.NewFile(uintptr(fd), os.Stderr.Name())
	}
}
