package engine

import (
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// On Windows the clock of package time advances by steps of half a millisecond or more. The
// performance counter advances by steps of a hundred nanoseconds.
var (
	kernel32 = windows.NewLazySystemDLL("kernel32.dll")
	counter  = kernel32.NewProc("QueryPerformanceCounter")
	// frequency is the ticks of the counter in a second. It never changes while Windows runs.
	frequency = sync.OnceValue(func() int64 {
		f := new(int64)
		_, _, _ = kernel32.NewProc("QueryPerformanceFrequency").Call(uintptr(unsafe.Pointer(f))) // cannot fail since Windows XP
		return *f
	})
)

// cells holds cells to which Windows writes the ticks of the counter. They lie on the heap.
var cells = sync.Pool{New: func() any { return new(int64) }}

// clock returns the time since Windows began, in nanoseconds.
//
// unsafe: Windows writes 8 bytes to the cell, and keeps no pointer.
func clock() int64 {
	cell := cells.Get().(*int64)
	defer cells.Put(cell)
	_, _, _ = syscall.SyscallN(counter.Addr(), uintptr(unsafe.Pointer(cell))) // cannot fail since Windows XP
	return *cell/frequency()*1e9 + *cell%frequency()*1e9/frequency()
}
