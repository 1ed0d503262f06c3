//go:build linux || darwin || dragonfly || netbsd || solaris

package slice1_test

import "golang.org/x/sys/unix"

const noReserve = unix.MAP_NORESERVE
