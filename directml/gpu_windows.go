//go:build amd64 || arm64

package directml

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
	"github.com/seed2e45c115/dml/directml/internal/translate"
)

const (
	// maxLanes is the most calls that run at once. So it bounds the staging memory and the number
	// of threads that wait for the adapter.
	maxLanes = 4
	// maxKept is the most bytes of each of the two GPU buffers that a lane keeps for later runs.
	maxKept = 64 << 20
	// lastMessages is the most messages of the debug layers in the error of a removed device.
	lastMessages = 3
)

// gpu is the part of a Device that only Windows has.
//
// One queue gets all work. Each list has its own call of ExecuteCommandLists. By the documentation
// of that method, the work of one such call ends before the work of the next begins. By the
// documentation of resource barriers, buffers of the default heap decay to COMMON in between,
// whatever their state. So in every list such a buffer starts in COMMON, and its first use promotes
// it to the state that the use needs. Barriers are needed only inside a list. Once a list is
// submitted, later lists may use the same memory.
type gpu struct {
	mostElements int64 // translate.MostElements, or less in a test
	d3d          d3d.Device
	log          d3d.InfoQueue // of d3d; empty without the debug layers
	dml          d3d.DMLDevice
	queue        d3d.Queue
	fence        d3d.Fence // reaches a submission's number when the adapter has done that submission
	recorder     d3d.Recorder
	increment    uint32 // from one descriptor in a heap to the next
	capability   translate.Capability

	turns     chan struct{} // holds an element for each call in progress, at most maxLanes
	compiling chan struct{} // holds an element while an operator is compiled
	closing   chan struct{} // closed when the method close begins
	closed    sync.Once

	mu        sync.Mutex // guards the fields below, and is held to submit
	submitted uint64     // number of the latest submission, or 0
	signalled uint64     // number of the latest submission that the fence will reach
	laneCount int        // all lanes, including lanes in use
	lanes     []*lane    // the lanes that no call has, the last used one at the end
	retired   []retired  // in the order of their numbers
	programs  map[translate.Operator]*compiled
	buffers   map[*Buffer]struct{} // the buffers that have memory
}

// retired is an object to release once the adapter has finished the submission of that
// number.
type retired struct {
	submission uint64
	object     releaser
}

type releaser interface{ Release() }

// locked calls f with d.mu held.
func (d *Device) locked(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
}

// close waits until no call is in progress and the adapter has finished, and releases everything.
// It returns the error of a removed device. A second call does nothing, and so does a call on a
// zero Device.
func (d *Device) close() (err error) {
	if d.closing == nil {
		return nil
	}
	d.closed.Do(func() {
		close(d.closing)
		d.compiling <- struct{}{}
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
		err := d.signal()
		if err == nil {
			err = d.fence.Notify(d.submitted, d3d.Event{})
		}
		if err != nil {
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
		r.object.Release()
	}
	for _, c := range d.programs {
		c.Release()
	}
	for b := range d.buffers {
		b.resource.Release()
	}
	d.lanes, d.retired, d.programs, d.buffers = nil, nil, nil, nil
	d.recorder.Release()
	d.fence.Release()
	d.queue.Release()
	d.dml.Release()
	d.log.Release()
	d.d3d.Release()
}

// withLane waits for this call's turn, calls work with a lane that no other call has, and returns
// work's error. Without calling work it returns ErrClosed if the device is closed, and ctx's
// error if ctx is done before the turn comes. If the device turns out to be removed, its error
// replaces work's.
func (d *Device) withLane(ctx context.Context, work func(*lane) error) error {
	if err := d.take(ctx, d.turns); err != nil {
		return err
	}
	defer func() { <-d.turns }()
	l, err := d.lane()
	if err != nil {
		return d.diagnose(err)
	}
	l.ctx = ctx
	err = work(l)
	d.putBack(l)
	return d.diagnose(err)
}

// take adds an element to the device's turns or compiling, for which it may have to wait. The
// error is ErrClosed if the device is closed, or ctx's.
func (d *Device) take(ctx context.Context, turns chan struct{}) error {
	if d.closing == nil {
		return ErrClosed
	}
	select {
	case <-d.closing: // checked first, since the next select chooses at random if there is also room
		return ErrClosed
	default:
	}
	select {
	case turns <- struct{}{}:
		return nil
	case <-d.closing:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lane returns a lane that can record a list at once: a free one, or a new one if there are fewer
// than maxLanes. If there is no such lane, it returns the one that can record soonest.
func (d *Device) lane() (*lane, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	done, best, soonest := d.fence.Completed(), -1, uint64(math.MaxUint64)
	for i, l := range d.lanes {
		if number := max(done, l.slots[l.nextSlot].number); number <= soonest {
			best, soonest = i, number
		}
	}
	if best >= 0 && (soonest == done || d.laneCount == maxLanes) {
		l := d.lanes[best]
		d.lanes = append(d.lanes[:best], d.lanes[best+1:]...)
		return l, nil
	}
	event, err := d3d.NewEvent()
	if err == nil {
		d.laneCount++
	}
	return &lane{device: d, event: event}, err
}

// putBack makes a lane free. It drops a broken lane.
func (d *Device) putBack(l *lane) {
	l.ctx = nil
	d.mu.Lock()
	for i := range l.large {
		l.large[i].retire(d)
	}
	if l.broken {
		d.retire(l)
		d.laneCount--
	} else {
		d.lanes = append(d.lanes, l)
	}
	d.mu.Unlock()
	d.collect()
}

// submit closes a list, hands it to the adapter and returns the number of the submission. It fails
// if the device turns out to be removed. It may also fail after the adapter got the list. Such a
// list counts as submitted, and a later submission tells when it is done.
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
	d.queue.Execute(l)
	d.submitted++
	return d.submitted, d.signal()
}

// signal has the fence reach the number of the latest submission. d.mu must be held, or no
// call be in progress.
func (d *Device) signal() error {
	err := d.queue.Signal(d.fence, d.submitted)
	if err == nil {
		d.signalled = d.submitted
	}
	return err
}

// wait returns when the adapter has done all work that the queue has, from whatever user. It has
// the fence reach a number of its own behind that work.
func (d *Device) wait(ctx context.Context) error {
	return d.withLane(ctx, func(l *lane) error {
		d.mu.Lock()
		d.submitted++
		ticket, err := d.submitted, d.signal()
		d.mu.Unlock()
		if err == nil {
			err = l.wait(ticket)
		}
		if err != nil {
			return err
		}
		return d.alive()
	})
}

// alive returns an error with the reason if Direct3D's or DirectML's device was removed, and
// otherwise nil. Once removed, a device stays so.
func (d *Device) alive() error {
	err := d.d3d.RemovedReason()
	if err == nil {
		err = d.dml.RemovedReason()
	}
	if err == nil && d.fence.Completed() == math.MaxUint64 {
		err = &Error{Call: "ID3D12Fence.GetCompletedValue", Result: d3d.DeviceRemoved}
	}
	var removed removedError
	if errors.As(err, &removed.cause) {
		var texts []string
		for _, m := range d.stored() {
			if m.Severity <= d3d.SeverityWarning {
				texts = append(texts, m.Text)
			}
		}
		removed.messages = strings.Join(texts[max(0, len(texts)-lastMessages):], "; ")
		return removed
	}
	return err
}

// stored returns the messages of the debug layers. The queue of messages must not be released
// meanwhile.
func (d *Device) stored() []d3d.Message {
	if d.log.P == nil {
		return nil
	}
	return d.log.Messages()
}

func (d *Device) native() Native {
	d.mu.Lock()
	defer d.mu.Unlock()
	return Native{d.d3d.Address(), d.dml.Address(), d.queue.Address()}
}

func (d *Device) shrink() {
	d.locked(d.trim)
	d.collect()
}

func (d *Device) messages() (texts []string) {
	d.mu.Lock() // so that close does not release the queue
	defer d.mu.Unlock()
	for _, m := range d.stored() {
		texts = append(texts, m.Text)
	}
	return texts
}

// diagnose returns err. If err is a failed call and the device was removed, it returns the error of
// the removal instead.
func (d *Device) diagnose(err error) error {
	if _, failed := errors.AsType[*Error](err); failed {
		if removed := d.alive(); removed != nil {
			return removed
		}
	}
	return err
}

// trim retires the lanes that no call has. d.mu must be held.
func (d *Device) trim() {
	for _, l := range d.lanes {
		d.retire(l)
	}
	d.laneCount -= len(d.lanes)
	d.lanes = nil
}

// retire leaves an object to collect, which releases it once the adapter has finished all
// submissions so far. d.mu must be held.
func (d *Device) retire(object releaser) {
	d.retired = append(d.retired, retired{d.submitted, object})
}

// collect releases the retired objects that the adapter has finished with. It does not wait.
// d.mu must not be held: a release may take long.
func (d *Device) collect() {
	d.mu.Lock()
	var free []retired
	if len(d.retired) > 0 {
		done := d.fence.Completed()
		n := 0
		for n < len(d.retired) && d.retired[n].submission <= done {
			n++
		}
		free, d.retired = d.retired[:n:n], d.retired[n:]
	}
	d.mu.Unlock()
	for _, r := range free {
		r.object.Release()
	}
}
