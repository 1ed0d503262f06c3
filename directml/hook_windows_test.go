//go:build amd64 || arm64

package directml

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/windows"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
)

// hook replaces a method by a function, for all objects of o's class, until the test ends.
// replacement takes the object and the arguments, each as one word, and returns a uintptr. It can
// call the method itself, since hook returns the method's address. It runs on the thread of the
// call that it replaces.
func hook(t *testing.T, o d3d.Object, slot int, replacement any) (original uintptr) {
	entry := &o.P.Methods[slot]
	original = *entry
	set := func(method uintptr) {
		var before uint32
		at := uintptr(unsafe.Pointer(entry)) // not Go's memory
		require.NoError(t, windows.VirtualProtect(at, unsafe.Sizeof(*entry), windows.PAGE_READWRITE, &before))
		*entry = method
		require.NoError(t, windows.VirtualProtect(at, unsafe.Sizeof(*entry), before, &before))
	}
	set(windows.NewCallback(replacement))
	t.Cleanup(func() { set(original) })
	return original
}
