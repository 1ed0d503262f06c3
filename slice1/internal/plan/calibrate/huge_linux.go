package main

import "golang.org/x/sys/unix"

// huge asks for pages of 2 MiB. A system without them refuses, and measures with those it
// has.
func huge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }
