//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly || solaris

package rows

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// fenced returns n bytes, or some more, between inaccessible pages.
func fenced(t *testing.T, n int) []uint8 {
	page := os.Getpagesize()
	size := (n + page - 1) / page * page
	m, err := unix.Mmap(-1, 0, size+2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(m)) })
	require.NoError(t, unix.Mprotect(m[:page], unix.PROT_NONE))
	require.NoError(t, unix.Mprotect(m[page+size:], unix.PROT_NONE))
	return m[page:][:size:size]
}
