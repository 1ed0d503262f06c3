//go:build amd64 || arm64

package directml

import (
	"context"
	"errors"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
)

// scratch is a buffer that the package uses for itself, or none.
type scratch struct {
	d3d.Resource
	size int64 // bytes: those of the buffer or, if it is memory of an operator, those that DirectML asked for
}

// retire empties s and retires what it was. d.mu must be held.
func (s *scratch) retire(d *Device) {
	if s.P != nil {
		was := s.Resource
		d.retire(&was)
	}
	*s = scratch{}
}

// grow makes the buffer at least size bytes long. If it is shorter, another buffer takes its
// place and the contents are lost.
func (s *scratch) grow(l *lane, heap uint32, size int64) (err error) {
	class := sizeClass(size)
	if class <= s.size {
		return nil
	}
	d := l.device
	d.mu.Lock()
	s.retire(d)
	d.mu.Unlock()
	if s.Resource, err = l.allocate(heap, class); err == nil {
		s.size = class
	}
	return err
}

// allocate creates a buffer of size bytes. If memory is short, it retires the buffers that
// free lanes keep, waits until the adapter has finished all submissions, releases everything
// that is retired, and tries once more.
func (l *lane) allocate(heap uint32, size int64) (d3d.Resource, error) {
	d := l.device
	r, err := d.d3d.CreateBuffer(heap, size)
	if !errors.Is(err, d3d.OutOfMemory) && !errors.Is(err, d3d.OutOfVideoMemory) {
		return r, err
	}
	d.mu.Lock()
	for _, free := range d.lanes {
		d.trim(free)
	}
	last := d.signalled
	d.mu.Unlock()
	if err := l.wait(last); err != nil {
		return r, err
	}
	d.collect()
	return d.d3d.CreateBuffer(heap, size)
}

// buffer returns a buffer of at least size bytes for a run's input, number 0, or its output,
// number 1. The lane keeps it after the call unless the lanes would then keep more than maxKept.
func (l *lane) buffer(number int, size int64) (d3d.Resource, error) {
	d, s, more := l.device, &l.kept[number], sizeClass(size)-l.kept[number].size
	d.mu.Lock()
	if more = max(more, 0); d.kept+more > maxKept {
		s, more = &l.large[number], 0
	}
	d.kept += more
	d.mu.Unlock()
	err := s.grow(l, d3d.HeapDefault, size)
	if err != nil && more > 0 { // and what was kept before is retired
		d.mu.Lock()
		d.kept -= sizeClass(size)
		d.mu.Unlock()
	}
	return s.Resource, err
}

// trim retires the buffers that a lane keeps. d.mu must be held.
func (d *Device) trim(l *lane) {
	for i := range l.kept {
		d.kept -= l.kept[i].size
		l.kept[i].retire(d)
	}
}

// memory is the part of a Buffer that only Windows has.
type memory struct {
	resource scratch
	users    int // calls in progress that use the buffer; like closed, guarded by the device's mu
	closed   bool
}

func (d *Device) newBuffer(size int64) (*Buffer, error) {
	b := &Buffer{device: d, size: size}
	err := d.do(context.Background(), func(l *lane) (err error) {
		// A tensor's total size, which DirectML binds, is a multiple of 4.
		if b.resource.Resource, err = l.allocate(d3d.HeapDefault, (size+3)&^3); err == nil {
			d.mu.Lock()
			d.buffers[b] = struct{}{}
			d.mu.Unlock()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

// use calls f with the buffer's memory, which is not released before f returns. For a closed
// buffer it returns ErrClosed without calling f.
func (b *Buffer) use(f func(d3d.Resource) error) error {
	d := b.device
	d.mu.Lock()
	if b.closed {
		d.mu.Unlock()
		return ErrClosed
	}
	b.users++
	d.mu.Unlock()
	err := f(b.resource.Resource)
	d.mu.Lock()
	b.users--
	b.drop()
	d.mu.Unlock()
	return err
}

// drop retires the buffer's memory if the buffer is closed and no call uses it. The device's
// mu must be held.
func (b *Buffer) drop() {
	if b.closed && b.users == 0 && b.resource.P != nil {
		delete(b.device.buffers, b)
		b.resource.retire(b.device)
	}
}

func (b *Buffer) close() error {
	d := b.device
	if d == nil {
		return nil
	}
	d.mu.Lock()
	b.closed = true
	b.drop()
	d.mu.Unlock()
	d.collect()
	return nil
}

func (b *Buffer) upload(src []byte) error {
	return b.device.do(context.Background(), func(l *lane) error {
		return b.use(func(to d3d.Resource) error { return l.send(to, src, nil) })
	})
}

func (b *Buffer) download(dst []byte) error {
	return b.device.do(context.Background(), func(l *lane) error {
		return b.use(func(from d3d.Resource) error {
			first, err := l.record(func(s *slot) error { return l.fetch(s, from, 0, min(len(dst), chunk)) })
			if err != nil {
				return err
			}
			return l.receive(first, from, dst)
		})
	})
}
