//go:build unix

package main

import (
	"os"
	"syscall"
)

// inherited keeps a reference to the process's own file of descriptor 2. Without it the garbage
// collector would close descriptor 2, the next file would get that number, and Go's runtime would
// write its text about a crash into that file.
var inherited = os.Stderr

// If nobody reads standard error any more, a write to it is an error and the job goes on. For that,
// os.Stderr gets a descriptor other than 1 and 2. With these numbers Go would end the process by
// SIGPIPE, and the temporary file would stay.
func init() {
	if fd, err := syscall.Dup(syscall.Stderr); err == nil {
		syscall.CloseOnExec(fd)
		os.Stderr = os.NewFile(uintptr(fd), inherited.Name())
	}
}
