package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// adviseRandom asks the system not to read ahead in f. It ignores the system's errors.
func adviseRandom(f *os.File) { _ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_RANDOM) }
