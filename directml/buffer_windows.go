//go:build amd64 || arm64

package directml

import (
	"context"
	"errors"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
)

// scratch is a buffer of the default heap, or none. It holds the source or the output of a
// run, or is memory of an operator.
type scratch struct {
	d3d.Resource
	size int64 // bytes: for a run those of the buffer, for an operator those that DirectML asked for
}

// allocate creates a buffer of size bytes. If memory is short, it waits until the adapter has
// finished all submissions, releases the idle buffers and everything else that is retired,
// and tries once more.
func (l *lane) allocate(ctx context.Context, heap uint32, size int64) (d3d.Resource, error) {
	d := l.device
	r, err := d.d3d.CreateBuffer(heap, size)
	if !errors.Is(err, d3d.OutOfMemory) {
		return r, err
	}
	d.mu.Lock()
	for len(d.idle) > 0 {
		d.dropIdle()
	}
	submitted := d.submitted
	d.mu.Unlock()
	if err := l.wait(ctx, d, submitted); err != nil {
		return r, err
	}
	d.mu.Lock()
	d.collect()
	d.mu.Unlock()
	return d.d3d.CreateBuffer(heap, size)
}

// borrow returns an idle or a new buffer of at least size bytes. The caller passes it to
// giveBack after use.
func (l *lane) borrow(ctx context.Context, size int64) (scratch, error) {
	d := l.device
	size = sizeClass(size)
	d.mu.Lock()
	for i, s := range d.idle {
		if s.size == size {
			d.idle = append(d.idle[:i], d.idle[i+1:]...)
			d.idleBytes -= size
			d.mu.Unlock()
			return s, nil
		}
	}
	d.mu.Unlock()
	r, err := l.allocate(ctx, d3d.HeapDefault, size)
	return scratch{r, size}, err
}

// giveBack makes the buffer idle, and drops idle buffers while there are more than
// maxIdleBytes. The adapter may still be using the buffer: that is safe, since the work of
// its next user is submitted later. An empty s does nothing.
func (d *Device) giveBack(s scratch) {
	if s.P == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.idle = append(d.idle, s)
	for d.idleBytes += s.size; d.idleBytes > maxIdleBytes; {
		d.dropIdle()
	}
}

// dropIdle retires the buffer that has been idle for longest. d.mu must be held.
func (d *Device) dropIdle() {
	s := d.idle[0]
	d.idle = append(d.idle[:0], d.idle[1:]...)
	d.idleBytes -= s.size
	d.retire(&s)
}

// memory is the part of a Buffer that only Windows has.
type memory struct {
	resource d3d.Resource
	users    int // calls in progress that use the buffer; like closed, guarded by the device's mu
	closed   bool
}

func (d *Device) newBuffer(size int64) (*Buffer, error) {
	b := &Buffer{device: d, size: size}
	err := d.do(context.Background(), func(l *lane) (err error) {
		// A tensor's total size, which DirectML binds, is a multiple of 4.
		if b.resource, err = l.allocate(context.Background(), d3d.HeapDefault, (size+3)&^3); err == nil {
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
	err := f(b.resource)
	d.mu.Lock()
	defer d.mu.Unlock()
	b.users--
	b.drop()
	return err
}

// drop retires the buffer's memory if the buffer is closed and no call uses it. The memory
// is released at once if the adapter has finished all submissions. The device's mu must be
// held.
func (b *Buffer) drop() {
	if b.closed && b.users == 0 && b.resource.P != nil {
		delete(b.device.buffers, b)
		r := b.resource
		b.resource = d3d.Resource{}
		b.device.retire(&r)
		b.device.collect()
	}
}

func (b *Buffer) close() error {
	if b.device == nil {
		return nil
	}
	b.device.mu.Lock()
	defer b.device.mu.Unlock()
	b.closed = true
	b.drop()
	return nil
}

func (b *Buffer) upload(src []byte) error {
	return b.device.do(context.Background(), func(l *lane) error {
		return b.use(func(to d3d.Resource) error { return l.send(context.Background(), to, src, nil) })
	})
}

func (b *Buffer) download(dst []byte) error {
	return b.device.do(context.Background(), func(l *lane) error {
		return b.use(func(from d3d.Resource) error {
			first, err := l.record(context.Background(), func(s *slot) error {
				return l.fetch(context.Background(), s, from, 0, min(len(dst), chunk))
			})
			if err != nil {
				return err
			}
			return l.receive(context.Background(), first, from, dst)
		})
	})
}
