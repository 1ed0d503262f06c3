//go:build amd64 || arm64

package directml

import (
	"context"
	"errors"
	"unsafe"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
)

// scratch is a buffer that the package uses for itself, or none.
type scratch struct {
	d3d.Resource
	size int64 // bytes of the buffer or, if it is memory of an operator, the bytes that DirectML asked for
}

// retire empties s and retires the buffer that it had. d.mu must be held.
func (s *scratch) retire(d *Device) {
	if s.P != nil {
		resource := s.Resource
		d.retire(&resource)
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
	l.device.locked(func() { s.retire(l.device) })
	if s.Resource, err = l.allocate(heap, class); err == nil {
		s.size = class
	}
	return err
}

// allocate creates a buffer of size bytes. If memory is short, it retires the buffers of free lanes
// and waits until the adapter has finished all submissions. Then it releases everything that is
// retired, and tries once more.
func (l *lane) allocate(heap uint32, size int64) (d3d.Resource, error) {
	d := l.device
	r, err := d.d3d.CreateBuffer(heap, size)
	if !errors.Is(err, ErrMemory) {
		return r, err
	}
	d.mu.Lock()
	d.trim()
	ticket := d.signalled
	d.mu.Unlock()
	if err := l.wait(ticket); err != nil {
		return r, err
	}
	d.collect()
	return d.d3d.CreateBuffer(heap, size)
}

// buffer returns a buffer of at least size bytes for a run's input, number 0, or its output,
// number 1. The lane keeps it after the call if it has at most maxKept bytes.
func (l *lane) buffer(number int, size int64) (d3d.Resource, error) {
	s := &l.kept[number]
	if size > maxKept {
		s = &l.large[number]
	}
	err := s.grow(l, d3d.HeapDefault, size)
	return s.Resource, err
}

// memory is the part of a Buffer that only Windows has. The device's mu guards it. The resource of
// a closed buffer is empty. Each slice of a buffer has its own reference.
type memory struct{ resource scratch }

// place is the byte of a buffer at which a tensor or data begins.
type place struct {
	d3d.Resource
	offset int64
}

func (d *Device) newBuffer(size int64) (*Buffer, error) {
	b := &Buffer{device: d, size: size}
	err := d.withLane(context.Background(), func(l *lane) (err error) {
		if err := d.alive(); err != nil {
			return err
		}
		// A tensor's total size, which DirectML binds, is a multiple of 4.
		if b.resource.Resource, err = l.allocate(d3d.HeapDefault, (size+3)&^3); err == nil {
			d.locked(func() { d.buffers[b] = struct{}{} })
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return b, nil
}

func (b *Buffer) slice(offset, size int64) (*Buffer, error) {
	d := b.device
	if d == nil {
		return nil, ErrClosed
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if b.resource.P == nil {
		return nil, ErrClosed
	}
	s := &Buffer{device: d, size: size, parent: b.allocation(), offset: b.offset + offset}
	s.resource.Object = b.resource.Clone()
	d.buffers[s] = struct{}{}
	return s, nil
}

func (b *Buffer) native() unsafe.Pointer {
	if b.device == nil {
		return nil
	}
	b.device.mu.Lock()
	defer b.device.mu.Unlock()
	return b.resource.Address()
}

// use calls f with the buffer's memory. The memory is not released before f returns. For a closed
// buffer it returns ErrClosed without calling f.
func (b *Buffer) use(f func(place) error) error {
	d := b.device
	d.mu.Lock()
	if b.resource.P == nil {
		d.mu.Unlock()
		return ErrClosed
	}
	held := scratch{Resource: d3d.Resource{Object: b.resource.Clone()}}
	d.mu.Unlock()
	defer d.locked(func() { held.retire(d) })
	return f(place{held.Resource, b.offset})
}

func (b *Buffer) close() error {
	d := b.device
	if d == nil {
		return nil
	}
	d.locked(func() {
		delete(d.buffers, b)
		b.resource.retire(d)
	})
	d.collect()
	return nil
}

func (b *Buffer) upload(src []byte) error {
	return b.device.withLane(context.Background(), func(l *lane) error {
		return b.use(func(target place) error { return l.send(target, src, nil) })
	})
}

func (b *Buffer) download(ctx context.Context, dst []byte) error {
	return b.device.withLane(ctx, func(l *lane) error {
		return b.use(func(source place) error {
			s, err := l.record(func(s *slot) error { return l.fetch(s, source, min(len(dst), chunk)) })
			if err != nil {
				return err
			}
			return l.receive(s, source, dst)
		})
	})
}
