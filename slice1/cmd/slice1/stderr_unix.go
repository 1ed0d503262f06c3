//go:build unix

package main

import (
	"os"
	"syscall"
)

// A write to standard error that nobody reads any more is an error, which leaves the job as it is.
// Go would end the process by SIGPIPE, and leave its temporary file, if the number of the file were
// 1 or 2.
func init() {
	if fd, err := syscall.Dup(syscall.Stderr); err == nil {
		syscall.CloseOnExec(fd)
		os.Stderr = os.NewFile(uintptr(fd), os.Stderr.Name())
	}
}
