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
	// maxLanes bounds how many calls work at once, and with it the threads that
	// wait for the adapter and the staging memory.
	maxLanes = 4
	// maxIdlePrograms and maxIdleBytes bound what is kept for later plans and runs.
	maxIdlePrograms = 64
	maxIdleBytes    = 256 << 20
)

// gpu is what an open device owns.
//
// One queue gets all work, each list in an ExecuteCommandLists of its own. The
// documentation of that method says that one such call's work ends before the
// next one's begins, and that of resource barriers that buffers, whatever their
// state, decay to COMMON in between. So every list starts from COMMON, from
// which buffers are promoted to the state of their first use; barriers are
// needed inside a list only; and memory may be handed on to later lists at once.
type gpu struct {
	d3d        d3d.Device
	dml        d3d.DMLDevice
	queue      d3d.Queue
	fence      d3d.Fence // reaches the number of each submission when it is done
	recorder   d3d.Recorder
	capability translate.Capability
	vendor     uint32 // of the adapter

	turns   chan struct{} // holds a token for each call at work
	closing chan struct{} // closed by close
	closed  sync.Once

	compiling sync.Mutex // held by the one that compiles; taken before mu

	mu        sync.Mutex // guards what follows, and submission
	submitted uint64     // number of the latest submission
	lost      error      // removedError, once that is known
	lanes     []*lane    // not at work, the latest used last
	retired   []retired  // in the order of their numbers
	idle      []scratch  // buffers of the default heap, the oldest first
	idleBytes int64
	programs  map[translate.Operator]*compiled
	clock     uint64 // of the use of programs
	buffers   map[*Buffer]struct{}
}

// retired is what may be released when the adapter has done a submission.
type retired struct {
	after uint64
	what  releaser
}

type releaser interface{ Release() }

// close waits until no call is at work and the adapter is done.
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

// drain returns when the adapter has done all that was submitted or is removed,
// and not before: what it works on is about to be released.
func (d *Device) drain() {
	for d.fence.Completed() < d.submitted {
		// Without an event the call itself waits.
		if err := d.fence.Notify(d.submitted, 0); err != nil {
			time.Sleep(time.Millisecond)
		}
	}
}

// release gives back all there is, children before parents. The adapter has
// finished, or never will.
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

// do has work done when it is this call's turn, by a lane of its own.
func (d *Device) do(ctx context.Context, work func(*lane) error) error {
	if d == nil || d.closing == nil {
		return ErrClosed
	}
	select {
	case <-d.closing: // also when there is a turn
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

// lane returns a lane that is not at work, or a new one.
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

// submit ends a list, hands it to the adapter and returns its number.
func (d *Device) submit(l d3d.List) (number uint64, err error) {
	if err := l.Close(); err != nil {
		return 0, err
	}
	// DirectML reports a bad binding by removing its device, and in no other way.
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
		// When the list is done will never be known, so nothing can follow it.
		d.lose(err)
		return 0, d.lost
	}
	d.submitted++
	return d.submitted, nil
}

// alive asks both devices whether they are there, and remembers if not.
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

// lose remembers the first reason, an *Error, why the device is of no use. d.mu
// is held.
func (d *Device) lose(reason error) {
	if d.lost == nil {
		lost := removedError{}
		errors.As(reason, &lost.cause)
		d.lost = lost
	}
}

// diagnose returns err, or the reason behind it if the device is gone.
func (d *Device) diagnose(err error) error {
	var failed *Error
	if errors.As(err, &failed) && !errors.Is(err, ErrRemoved) {
		if lost := d.alive(); lost != nil {
			return lost
		}
	}
	return err
}

// retire releases something when the adapter has done all that is submitted.
// d.mu is held.
func (d *Device) retire(what releaser) {
	d.retired = append(d.retired, retired{d.submitted, what})
}

// collect releases what is retired and no longer in use. d.mu is held.
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
