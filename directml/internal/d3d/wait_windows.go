//go:build amd64 || arm64

package d3d

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// Events are what a call waits for: the adapter, and the end of the call's context. Each
// wait takes back the event that ends it.
type Events struct{ handles [2]windows.Handle }

// x/sys has a function for this that turns the address of the events, which may
// be on a stack, into a number before it calls one that may move that stack.
var (
	kernel32               = windows.NewLazySystemDLL("kernel32.dll")
	waitForMultipleObjects = kernel32.NewProc("WaitForMultipleObjects")
)

// NewEvents returns two events that are not set.
func NewEvents() (e Events, err error) {
	for i := range e.handles {
		if e.handles[i], err = windows.CreateEvent(nil, 0, 0, nil); err != nil {
			e.Close()
			break
		}
	}
	return e, err
}

// Close gives the events back.
func (e *Events) Close() {
	for _, event := range e.handles {
		if event != 0 {
			windows.CloseHandle(event)
		}
	}
}

// Done is the event for [Fence.Notify].
func (e *Events) Done() windows.Handle { return e.handles[0] }

// Cancel ends the wait at hand, or the next one.
func (e *Events) Cancel() { windows.SetEvent(e.handles[1]) }

// Wait returns when either event is set, which it may still be from an earlier wait.
func (e *Events) Wait() error {
	if r, _, err := waitForMultipleObjects.Call(2, uintptr(unsafe.Pointer(&e.handles)), 0, windows.INFINITE); uint32(r) == windows.WAIT_FAILED {
		return err
	}
	return nil
}
