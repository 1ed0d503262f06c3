package slice1

import (
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// The clock of package time advances by steps of half a millisecond or more on Windows; the
// performance counter by a hundred nanoseconds.
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

// clock stores the time since Windows began in *t, in nanoseconds. t must point into the heap.
//
// unsafe: Windows writes 8 bytes to t, and keeps no pointer.
func clock(t *int64) {
	_, _, _ = syscall.SyscallN(counter.Addr(), uintptr(unsafe.Pointer(t))) // cannot fail either
	*t = *t/frequency()*1e9 + *t%frequency()*1e9/frequency()
}
