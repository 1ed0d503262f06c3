//go:build amd64 || arm64

package d3d

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// Events are two events of Windows. The first is set once the adapter has done some work, and
// the second once the call's context has ended. A Wait that an event ends resets that event.
type Events struct{ handles [2]windows.Handle }

// x/sys has a function WaitForMultipleObjects, too. It turns the address of the handles, which
// may be on a stack, into a number, and then calls a function that may move that stack.
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

// Close closes the handles of the events.
func (e *Events) Close() {
	for _, event := range e.handles {
		if event != 0 {
			windows.CloseHandle(event)
		}
	}
}

// Done returns the first event, for [Fence.Notify].
func (e *Events) Done() windows.Handle { return e.handles[0] }

// Cancel sets the second event, which ends the Wait in progress or, if there is none, the next.
func (e *Events) Cancel() { windows.SetEvent(e.handles[1]) }

// Wait returns when either event is set. An event may have been set before Wait is called, for
// what an earlier Wait waited for.
func (e *Events) Wait() error {
	if r, _, err := waitForMultipleObjects.Call(2, uintptr(unsafe.Pointer(&e.handles)), 0, windows.INFINITE); uint32(r) == windows.WAIT_FAILED {
		return err
	}
	return nil
}
