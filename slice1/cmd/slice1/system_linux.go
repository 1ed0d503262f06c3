package main

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// roomFor returns an error if f's file system has less than size bytes left for this user. A file
// system of length 0 does not know its length, and is no error.
func roomFor(f *os.File, size int64) error {
	var left unix.Statfs_t
	if unix.Fstatfs(int(f.Fd()), &left) == nil && left.Blocks > 0 && uint64(size)/uint64(left.Bsize) > left.Bavail {
		return &fs.PathError{Op: "allocate", Path: f.Name(), Err: unix.ENOSPC}
	}
	return nil
}
