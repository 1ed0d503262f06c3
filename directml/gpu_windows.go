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
	// maxLanes bounds the calls that run at once, and with them the threads that wait for
	// the adapter and the staging memory.
	maxLanes = 4
	// maxIdlePrograms and maxIdleBytes bound the operators and buffers that are kept for
	// later.
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
	fence      d3d.Fence // reaches the number of a submission when that is done
	recorder   d3d.Recorder
	capability translate.Capability
	vendor     uint32 // of the adapter

	turns   chan struct{} // holds a token for each call in progress
	closing chan struct{} // closed by close
	closed  sync.Once

	compiling sync.Mutex // held while an operator is compiled; locked before mu

	mu        sync.Mutex // guards what follows, and submission
	submitted uint64     // number of the latest submission
	lost      error      // a removedError once the device is lost
	lanes     []*lane    // free ones, the last used at the end
	retired   []retired  // in the order of their numbers
	idle      []scratch  // buffers of the default heap, the oldest first
	idleBytes int64
	programs  map[translate.Operator]*compiled
	clock     uint64 // counts uses of compiled operators
	buffers   map[*Buffer]struct{}
}

// retired is an object to release once the adapter has finished a submission.
type retired struct {
	after uint64
	what  releaser
}

type releaser interface{ Release() }

// close waits until no call is in progress and the adapter has finished.
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

// drain waits until the adapter has finished all submissions or is removed, so that
// everything may be released.
func (d *Device) drain() {
	for d.fence.Completed() < d.submitted {
		// Without an event the call itself waits.
		if err := d.fence.Notify(d.submitted, 0); err != nil {
			time.Sleep(time.Millisecond)
		}
	}
}

// release releases everything, children before parents. The adapter must be drained.
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

// do waits for this call's turn and calls work with a lane of its own.
func (d *Device) do(ctx context.Context, work func(*lane) error) error {
	if d == nil || d.closing == nil {
		return ErrClosed
	}
	select {
	case <-d.closing: // checked first: both channels may be ready
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

// lane returns a free or a new lane.
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

// submit closes a list, hands it to the adapter and returns the number of the submission.
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

// alive returns an error if either device was removed, and remembers it.
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

// lose remembers the first reason, an *Error, for which the device is lost. d.mu must be
// held.
func (d *Device) lose(reason error) {
	if d.lost == nil {
		lost := removedError{}
		errors.As(reason, &lost.cause)
		d.lost = lost
	}
}

// diagnose returns err, or the reason for the removal if the device was removed.
func (d *Device) diagnose(err error) error {
	var failed *Error
	if errors.As(err, &failed) && !errors.Is(err, ErrRemoved) {
		if lost := d.alive(); lost != nil {
			return lost
		}
	}
	return err
}

// retire has something released when the adapter has finished all submissions so far. d.mu
// must be held.
func (d *Device) retire(what releaser) {
	d.retired = append(d.retired, retired{d.submitted, what})
}

// collect releases what is retired and no longer in use. d.mu must be held.
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
