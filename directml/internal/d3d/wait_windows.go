//go:build amd64 || arm64

package d3d

import (
	"fmt"

	"golang.org/x/sys/windows"
)

// Event is an event of Windows that a Wait resets, or none.
type Event struct{ handle windows.Handle }

// NewEvent returns an event that is not set.
func NewEvent() (e Event, err error) {
	if e.handle, err = windows.CreateEvent(nil, 0, 0, nil); err != nil {
		err = fmt.Errorf("directml: CreateEvent: %w", err)
	}
	return e, err
}

// Close closes the event's handle.
func (e Event) Close() { windows.CloseHandle(e.handle) }

// Set sets the event. That ends the Wait in progress or, if there is none, the next Wait.
func (e Event) Set() { windows.SetEvent(e.handle) }

// Wait returns when the event is set. It may have been set before.
func (e Event) Wait() error {
	if _, err := windows.WaitForSingleObject(e.handle, windows.INFINITE); err != nil {
		return fmt.Errorf("directml: WaitForSingleObject: %w", err)
	}
	return nil
}
