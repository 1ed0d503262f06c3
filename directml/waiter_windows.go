//go:build amd64 || arm64

package directml

import (
	"context"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
)

// waiter waits for the adapter or for the end of a context, whichever comes first.
type waiter struct{ d3d.Events }

// wait returns when the adapter has done the submission of that number. The error is ctx's if
// ctx is done before the submission, that of a removed device, or that of a call that failed.
func (w *waiter) wait(ctx context.Context, d *Device, number uint64) error {
	if ctx.Done() != nil && d.fence.Completed() < number {
		set := make(chan struct{})
		stop := context.AfterFunc(ctx, func() {
			w.Cancel()
			close(set)
		})
		defer func() {
			if !stop() {
				<-set // so that Cancel does not set its event during a later wait
			}
		}()
	}
	// Removal of the device brings every fence to the largest number there is, and
	// so ends waits, as the documentation of GetDeviceRemovedReason says.
	for d.fence.Completed() < number {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := d.fence.Notify(number, w.Done()); err != nil {
			return err
		}
		// Either event may still be set from an earlier wait: look again.
		if err := w.Wait(); err != nil {
			return err
		}
	}
	return d.alive()
}
