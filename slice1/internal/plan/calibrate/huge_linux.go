package main

import "golang.org/x/sys/unix"

// huge asks the system for pages of 2 MiB for b. If the system refuses, b keeps the pages it has.
func huge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
