//go:build amd64 || arm64

package directml

import (
	"context"
	"math"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
)

// chunk is the most bytes that one list copies from its upload buffer, and the most that it copies
// to its readback buffer. To copy so many bytes takes much longer than to submit a list. Direct3D
// 12 limits buffers that the processor can map to 0xFFFF0000 bytes.
const chunk = 16 << 20

// looks is how often wait looks at the fence before it waits for the event. So many looks take
// about 10 microseconds. The event takes up to 100 microseconds to wake a thread.
const looks = 100

// lane holds objects that one call at a time uses. It has two slots. The call records one slot
// while the adapter works on the other, so the copies of a large slice overlap.
type lane struct {
	device   *Device
	ctx      context.Context // the context of the call that has the lane
	event    d3d.Event
	slots    [2]slot
	nextSlot int        // the slot that begin takes next
	broken   bool       // recording or submitting a list failed; the lane is not used again
	kept     [2]scratch // for the input and the output of runs
	large    [2]scratch // in place of kept, for one call
}

// slot is a command list and what the list refers to. From the list's submission until the
// adapter has finished it, the objects of the slot must not be used.
type slot struct {
	number      uint64 // of the list's latest submission, or 0
	allocator   d3d.Allocator
	list        d3d.List
	heap        d3d.DescriptorHeap
	descriptors uint32  // in heap
	used        uint32  // how many of them the list uses
	cpu         uintptr // the first descriptor of heap, for the processor
	gpu         uint64  // the same for the adapter
	table       d3d.BindingTable
	upload      scratch
	readback    scratch
}

func (l *lane) Release() {
	for i := range l.slots {
		s := &l.slots[i]
		s.table.Release()
		s.list.Release()
		s.allocator.Release()
		s.heap.Release()
		s.upload.Release()
		s.readback.Release()
	}
	for i := range l.kept {
		l.kept[i].Release()
	}
	l.event.Close()
}

// wait returns when the adapter has done the submission of that number. The error is ctx's if the
// call's ctx is done before the submission. Other errors say that the device is removed or that a
// call failed.
func (l *lane) wait(number uint64) error {
	d := l.device
	done := d.fence.Completed()
	for look := 0; done < number && look < looks; look++ {
		done = d.fence.Completed()
	}
	if done < number && l.ctx.Done() != nil {
		set := make(chan struct{})
		stop := context.AfterFunc(l.ctx, func() {
			l.event.Set()
			close(set)
		})
		defer func() {
			if !stop() {
				<-set // so that the event is not set after it is closed
			}
		}()
	}
	// Removal of the device sets every fence to the largest number, and so ends waits. The
	// documentation of GetDeviceRemovedReason says so.
	for ; done < number; done = d.fence.Completed() {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		if err := d.fence.Notify(number, l.event); err != nil {
			return err
		}
		// The event may have been set for an earlier wait: look again.
		if err := l.event.Wait(); err != nil {
			return err
		}
	}
	if done == math.MaxUint64 {
		return d.alive()
	}
	return nil
}

// begin waits until the adapter has finished with the next slot, and returns it with its list open.
// If the wait fails, the lane is unchanged. If the list cannot be opened, the lane is broken.
func (l *lane) begin() (*slot, error) {
	s := &l.slots[l.nextSlot]
	if err := l.wait(s.number); err != nil {
		return nil, err
	}
	l.nextSlot = 1 - l.nextSlot
	err := s.open(l.device.d3d)
	l.broken = err != nil
	return s, err
}

func (s *slot) open(d d3d.Device) (err error) {
	if s.list.P != nil {
		if err := s.allocator.Reset(); err != nil {
			return err
		}
		return s.list.Reset(s.allocator)
	}
	if s.allocator, err = d.CreateAllocator(); err != nil {
		return err
	}
	s.list, err = d.CreateList(s.allocator)
	return err
}

// record calls f with a slot that has an open list, submits the list and returns the slot. It does
// not wait until the adapter has finished the list. If the submission fails, the lane is broken.
func (l *lane) record(f func(*slot) error) (*slot, error) {
	s, err := l.begin()
	if err != nil {
		return nil, err
	}
	if err := f(s); err != nil {
		l.broken = s.list.Close() != nil
		return nil, err
	}
	if s.number, err = l.device.submit(s.list); err != nil {
		l.broken = true
		return nil, err
	}
	return s, nil
}

// send copies data to a place in a buffer, with a list for each chunk. It returns when all
// lists are submitted. If extra is not nil, send calls it before it submits the last list, so
// that it can record more after the copy.
func (l *lane) send(target place, data []byte, extra func(*slot) error) error {
	for offset := 0; ; offset += chunk {
		part := data[offset:min(offset+chunk, len(data))]
		final := offset+len(part) == len(data)
		_, err := l.record(func(s *slot) error {
			if err := s.upload.grow(l, d3d.HeapUpload, int64(len(part))); err != nil {
				return err
			}
			if err := s.upload.Fill(part); err != nil {
				return err
			}
			s.list.CopyBuffer(target.Resource, target.offset+int64(offset), s.upload.Resource, 0, int64(len(part)))
			if final && extra != nil {
				return extra(s)
			}
			return nil
		})
		if err != nil || final {
			return err
		}
	}
}

// fetch records a copy of size bytes, from a place in a buffer to the start of the slot's
// readback buffer. The source must be in the state COPY_SOURCE, or in COMMON, from which
// the copy promotes it.
func (l *lane) fetch(s *slot, source place, size int) error {
	if err := s.readback.grow(l, d3d.HeapReadback, int64(size)); err != nil {
		return err
	}
	s.list.CopyBuffer(s.readback.Resource, 0, source.Resource, source.offset, int64(size))
	return nil
}

// see waits until the adapter has finished a slot's list, and calls f with the first size
// bytes of the slot's readback buffer.
func (l *lane) see(s *slot, size int, f func([]byte) error) error {
	if err := l.wait(s.number); err != nil {
		return err
	}
	return s.readback.Read(size, f)
}

// receive fills data from a place in a buffer, chunk by chunk. The list of s, which the caller
// has submitted, fetches the first chunk.
func (l *lane) receive(s *slot, source place, data []byte) error {
	for {
		part := data[:min(len(data), chunk)]
		data = data[len(part):]
		source.offset += int64(len(part))
		// The adapter fetches the next chunk while the processor copies this one.
		ahead := (*slot)(nil)
		if len(data) > 0 {
			var err error
			if ahead, err = l.record(func(s *slot) error { return l.fetch(s, source, min(len(data), chunk)) }); err != nil {
				return err
			}
		}
		err := l.see(s, len(part), func(memory []byte) error {
			copy(part, memory)
			return nil
		})
		if err != nil || ahead == nil {
			return err
		}
		s = ahead
	}
}

// reserve sets the slot's heap in the command list, which then takes descriptors from it. It makes
// a new heap if the slot's heap has fewer than count descriptors. It does nothing if count is 0.
func (s *slot) reserve(d *Device, count uint32) (err error) {
	if count == 0 {
		return nil
	}
	if count > s.descriptors {
		s.heap.Release()
		s.descriptors = 0
		if s.heap, err = d.d3d.CreateDescriptorHeap(count); err != nil {
			return err
		}
		s.descriptors = count
		s.cpu, s.gpu = s.heap.Start()
	}
	s.used = 0
	s.list.SetDescriptorHeap(s.heap) // RecordDispatch does not
	return nil
}

// setTable makes the slot's binding table the table of a dispatchable, over the next reserved
// descriptors. Dispatches that the list has recorded keep their bindings.
func (s *slot) setTable(d *Device, kind d3d.Dispatchable, descriptors uint32) (err error) {
	desc := d3d.BindingTableDesc{
		Dispatchable: kind.P, Size: descriptors,
		CPUHandle: s.cpu + uintptr(s.used*d.increment), GPUHandle: s.gpu + uint64(s.used*d.increment),
	}
	s.used += descriptors
	if s.table.P == nil {
		s.table, err = d.dml.CreateTable(desc)
	} else {
		err = s.table.Reset(desc)
	}
	return err
}
