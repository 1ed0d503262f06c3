//go:build amd64 || arm64

package directml

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
	"github.com/seed2e45c115/dml/directml/internal/translate"
)

const (
	// maxLanes is the most calls that run at once. It thereby bounds the staging memory, and
	// the threads that wait for the adapter.
	maxLanes = 4
	// maxIdlePrograms is the most compiled operators that are kept without a plan or a call
	// that uses them.
	maxIdlePrograms = 64
	// maxIdleBytes is the most bytes of buffers that are kept for later runs.
	maxIdleBytes = 256 << 20
)

// gpu is the part of a Device that only Windows has.
//
// One queue gets all work, each list in an ExecuteCommandLists of its own. By the
// documentation of that method, the work of one such call ends before that of the next
// begins. By the documentation of resource barriers, buffers of the default heap decay to
// COMMON in between, whatever their state. So in every list such a buffer starts in COMMON,
// from which its first use promotes it to the state that the use needs. Barriers are needed
// inside a list only, and once a list is submitted, later lists may use the same memory.
type gpu struct {
	mostElements int64 // translate.MostElements, or less in a test
	d3d          d3d.Device
	dml          d3d.DMLDevice
	queue        d3d.Queue
	fence        d3d.Fence // reaches a submission's number when the adapter has done it
	recorder     d3d.Recorder
	capability   translate.Capability

	turns   chan struct{} // holds an element for each call in progress, at most maxLanes
	closing chan struct{} // closed when the method close begins
	closed  sync.Once

	compiling sync.Mutex // held while an operator is compiled; locked before mu

	mu        sync.Mutex // guards what follows, and submission
	submitted uint64     // number of the latest submission, or 0
	lost      error      // a removedError once the device is lost; nil before
	lanes     []*lane    // those that no call has, the last used at the end
	retired   []retired  // in the order of their numbers
	idle      []scratch  // buffers of the default heap, the longest idle first
	idleBytes int64
	programs  map[translate.Operator]*compiled
	clock     uint64               // counts the ends of uses of compiled operators
	buffers   map[*Buffer]struct{} // those whose memory is not retired
}

// retired is an object to release once the adapter has finished the submission of number
// after.
type retired struct {
	after uint64
	what  releaser
}

type releaser interface{ Release() }

// close waits until no call is in progress and the adapter has finished, and releases
// everything. It returns the error of a removed device. When called again, or on a zero
// Device, it does nothing.
func (d *Device) close() (err error) {
	if d.closing == nil {
		return nil
	}
	d.closed.Do(func() {
		close(d.closing)
		for range maxLanes {
			d.turns <- struct{}{}
		}
		d.drain()
		err = d.alive()
		d.release()
	})
	return err
}

// drain waits until the adapter has finished all submissions or the device is removed, so
// that everything may be released.
func (d *Device) drain() {
	for d.fence.Completed() < d.submitted {
		// With 0 in place of an event, Notify itself waits.
		if err := d.fence.Notify(d.submitted, 0); err != nil {
			time.Sleep(time.Millisecond)
		}
	}
}

// release releases everything that the device has, children before parents. The adapter
// must have finished all submissions.
func (d *Device) release() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, l := range d.lanes {
		l.Release()
	}
	for _, r := range d.retired {
		r.what.Release()
	}
	for _, c := range d.programs {
		c.Release()
	}
	for b := range d.buffers {
		b.resource.Release()
	}
	for _, s := range d.idle {
		s.Release()
	}
	d.lanes, d.retired, d.programs, d.buffers, d.idle = nil, nil, nil, nil, nil
	d.recorder.Release()
	d.fence.Release()
	d.queue.Release()
	d.dml.Release()
	d.d3d.Release()
}

// do waits for this call's turn, calls work with a lane that no other call has, and returns
// work's error. Without calling work it returns ErrClosed if the device is closed, ctx's
// error if ctx is done before the turn comes, and the error of a lost device. If the device
// turns out to be removed, its error replaces work's.
func (d *Device) do(ctx context.Context, work func(*lane) error) error {
	if d == nil || d.closing == nil {
		return ErrClosed
	}
	select {
	case <-d.closing: // checked first, since select chooses at random if a turn is free, too
		return ErrClosed
	default:
	}
	select {
	case d.turns <- struct{}{}:
	case <-d.closing:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-d.turns }()
	l, err := d.lane()
	if err != nil {
		return d.diagnose(err)
	}
	err = work(l)
	d.mu.Lock()
	if l.broken {
		d.retire(l)
	} else {
		d.lanes = append(d.lanes, l)
	}
	d.collect()
	d.mu.Unlock()
	return d.diagnose(err)
}

// lane returns a free or a new lane, or the error of a lost device.
func (d *Device) lane() (*lane, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lost != nil {
		return nil, d.lost
	}
	if n := len(d.lanes); n > 0 {
		l := d.lanes[n-1]
		d.lanes = d.lanes[:n-1]
		return l, nil
	}
	return newLane(d)
}

// submit closes a list, hands it to the adapter and returns the number of the submission. It
// fails if the device is lost or turns out to be removed.
func (d *Device) submit(l d3d.List) (number uint64, err error) {
	if err := l.Close(); err != nil {
		return 0, err
	}
	// DirectML removes its device after a bad binding, and reports it in no other way.
	if err := d.alive(); err != nil {
		return 0, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lost != nil {
		return 0, d.lost
	}
	d.queue.Execute(l)
	if err := d.queue.Signal(d.fence, d.submitted+1); err != nil {
		// Nobody can know when the list is done, so that the device is lost.
		d.lose(err)
		return 0, d.lost
	}
	d.submitted++
	return d.submitted, nil
}

// alive asks whether Direct3D's or DirectML's device was removed. If so, it returns the
// error with the reason, which the device remembers as lost; a reason that is remembered
// already stays. If not, it returns nil.
func (d *Device) alive() error {
	err := d.d3d.RemovedReason()
	if err == nil {
		err = d.dml.RemovedReason()
	}
	if err == nil && d.fence.Completed() == math.MaxUint64 {
		err = &Error{Call: "ID3D12Fence.GetCompletedValue", Result: d3d.DeviceRemoved}
	}
	if err == nil {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lose(err)
	return d.lost
}

// lose makes the device lost for a reason, which must be an *Error. If it is lost already,
// the first reason stays. d.mu must be held.
func (d *Device) lose(reason error) {
	if d.lost == nil {
		lost := removedError{}
		errors.As(reason, &lost.cause)
		d.lost = lost
	}
}

// diagnose returns err. But if err is a failed call, and the cause is that the device was
// removed, it returns the error of the removal.
func (d *Device) diagnose(err error) error {
	var failed *Error
	if errors.As(err, &failed) && !errors.Is(err, ErrRemoved) {
		if lost := d.alive(); lost != nil {
			return lost
		}
	}
	return err
}

// retire hands what to collect, which releases it once the adapter has finished all
// submissions so far. d.mu must be held.
func (d *Device) retire(what releaser) {
	d.retired = append(d.retired, retired{d.submitted, what})
}

// collect releases the retired objects that the adapter has finished with. It does not wait.
// d.mu must be held.
func (d *Device) collect() {
	if len(d.retired) == 0 {
		return
	}
	done := d.fence.Completed()
	n := 0
	for ; n < len(d.retired) && d.retired[n].after <= done; n++ {
		d.retired[n].what.Release()
	}
	d.retired = append(d.retired[:0], d.retired[n:]...)
}
