package slice1_test

import (
	"os"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"
)

func newFence(t *testing.T, size int) fence {
	page := os.Getpagesize()
	size = (size + page - 1) / page * page
	// Pages that are reserved but not committed are inaccessible.
	reserved, err := windows.VirtualAlloc(0, uintptr(size+2*page), windows.MEM_RESERVE, windows.PAGE_NOACCESS)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, windows.VirtualFree(reserved, 0, windows.MEM_RELEASE)) })
	address, err := windows.VirtualAlloc(reserved+uintptr(page), uintptr(size), windows.MEM_COMMIT, windows.PAGE_READWRITE)
	require.NoError(t, err)
	// The address is no Go pointer, so the conversion go vet asks for does not apply.
	return fence(unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), size))
}
