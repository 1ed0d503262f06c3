package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// adviseRandom keeps the system from reading ahead. Advice that is not taken is
// no error.
func adviseRandom(f *os.File) { _ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_RANDOM) }
