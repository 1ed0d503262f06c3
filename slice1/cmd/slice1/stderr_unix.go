//go:build unix

package main

import (
	"errors"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
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

// checkOutput returns an error if w is standard output and was closed when the process began. Go's
// runtime has then opened the null device in its place, for reading and writing.
func checkOutput(w io.Writer) error {
	f, ok := w.(*os.File)
	if !ok {
		return nil
	}
	null, err := os.Stat(os.DevNull)
	info, err2 := f.Stat()
	flags, err3 := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	if errors.Join(err, err2, err3) == nil && os.SameFile(null, info) && flags&unix.O_ACCMODE == unix.O_RDWR {
		return errors.New("standard output is closed")
	}
	return nil
}
