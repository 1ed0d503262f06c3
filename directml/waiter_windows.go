//go:build amd64 || arm64

package directml

import (
	"context"
	"unsafe"

	"golang.org/x/sys/windows"
)

// A waiter waits for the adapter and a context, whichever comes first.
type waiter struct{ events [2]windows.Handle } // done, cancelled

const (
	done = iota
	cancelled
)

// x/sys has a function for this that turns the address of the events, which may
// be on a stack, into a number before it calls one that may move that stack.
var (
	kernel32               = windows.NewLazySystemDLL("kernel32.dll")
	waitForMultipleObjects = kernel32.NewProc("WaitForMultipleObjects")
)

func newWaiter() (w waiter, err error) {
	for i := range w.events {
		if w.events[i], err = windows.CreateEvent(nil, 0, 0, nil); err != nil {
			w.close()
			break
		}
	}
	return w, err
}

func (w *waiter) close() {
	for _, event := range w.events {
		if event != 0 {
			windows.CloseHandle(event)
		}
	}
}

// wait returns when the adapter has done the submission of that number, with
// ctx's error if ctx is done first, or with that of a removed device.
func (w *waiter) wait(ctx context.Context, d *Device, number uint64) error {
	if ctx.Done() != nil && d.fence.completed() < number {
		set := make(chan struct{})
		stop := context.AfterFunc(ctx, func() {
			windows.SetEvent(w.events[cancelled])
			close(set)
		})
		defer func() {
			if !stop() {
				<-set // else it would set the event of a later wait
			}
		}()
	}
	// Removal of the device brings every fence to the largest number there is, and
	// so ends waits, as the documentation of GetDeviceRemovedReason says.
	for d.fence.completed() < number {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := d.fence.notify(number, w.events[done]); err != nil {
			return err
		}
		// Either event may still be set from an earlier wait: look again.
		if r, _, err := waitForMultipleObjects.Call(2, uintptr(unsafe.Pointer(&w.events)), 0, windows.INFINITE); uint32(r) == windows.WAIT_FAILED {
			return err
		}
	}
	return d.alive()
}
