//go:build amd64 || arm64

package directml

import (
	"context"
	"errors"

	"github.com/seed2e45c115/dml/slice1"
)

// A scratch is a buffer of the default heap for the tensors of one run.
type scratch struct {
	resource
	size int64
}

// allocate creates a buffer. If memory is short it is tried again without what
// is kept for later.
func (d *Device) allocate(heap uint32, size int64) (resource, error) {
	r, err := d.d3d.createBuffer(heap, size)
	if errors.Is(err, outOfMemory) {
		d.mu.Lock()
		for len(d.idle) > 0 {
			d.dropIdle()
		}
		d.collect()
		d.mu.Unlock()
		r, err = d.d3d.createBuffer(heap, size)
	}
	return r, err
}

// borrow returns a buffer of at least size bytes, to be given back.
func (d *Device) borrow(size int64) (scratch, error) {
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
	r, err := d.allocate(heapDefault, size)
	return scratch{r, size}, err
}

// giveBack keeps a buffer for later. The adapter may still use it: whoever
// borrows it next submits later.
func (d *Device) giveBack(s scratch) {
	if s.p == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.idle = append(d.idle, s)
	for d.idleBytes += s.size; d.idleBytes > maxIdleBytes; {
		d.dropIdle()
	}
}

// dropIdle retires the buffer that has been idle longest. d.mu is held.
func (d *Device) dropIdle() {
	s := d.idle[0]
	d.idle = append(d.idle[:0], d.idle[1:]...)
	d.idleBytes -= s.size
	d.retire(&s)
}

// compiled is an operator ready to be dispatched, with the memory DirectML
// wants for it.
type compiled struct {
	dispatchable
	op                 operator
	descriptors        uint32
	temporary, persist scratch
	users              int    // plans not closed and calls at work; guarded by the device's mu
	used               uint64 // when it was last; guarded by the device's mu
}

func (c *compiled) release() {
	c.dispatchable.release()
	c.temporary.release()
	c.persist.release()
}

// program is what a Plan has on a device.
type program struct {
	compiled *compiled
	closed   bool // guarded by the device's mu
}

func (d *Device) newPlan(desc *slice1.Desc) (*Plan, error) {
	op, err := translate(desc, d.capability)
	if err != nil {
		return nil, err
	}
	return d.planOf(op, desc)
}

// planOf returns the plan of an operator that does what a descriptor says.
func (d *Device) planOf(op operator, desc *slice1.Desc) (*Plan, error) {
	p := &Plan{device: d, op: op}
	if err := p.newGeometry(desc); err != nil {
		return nil, err
	}
	err := d.do(context.Background(), func(l *lane) error {
		d.compiling.Lock()
		defer d.compiling.Unlock()
		d.mu.Lock()
		c := d.programs[op]
		if c != nil {
			c.users++
		}
		d.mu.Unlock()
		if c == nil {
			c = &compiled{op: op, users: 1}
			if err := l.compile(c); err != nil {
				// The adapter may not have finished with it.
				d.mu.Lock()
				d.retire(c)
				d.mu.Unlock()
				return err
			}
			d.mu.Lock()
			d.programs[op] = c
			d.mu.Unlock()
		}
		p.compiled = c
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// compile makes c of its operator and runs the initializer, which every
// compiled operator needs once, even without persistent memory.
func (l *lane) compile(c *compiled) error {
	d := l.device
	operator, err := d.dml.createOperator(newOperatorCall(&c.op))
	if err != nil {
		return err
	}
	c.dispatchable, err = d.dml.compile(operator)
	operator.release()
	if err != nil {
		return err
	}
	initializer, err := d.dml.createInitializer(c.dispatchable)
	if err != nil {
		return err
	}
	run, once := c.properties(), initializer.properties()
	c.descriptors = run.descriptors
	var onceTemporary scratch
	for _, m := range []struct {
		to   *scratch
		size uint64
	}{{&c.temporary, run.temporary}, {&c.persist, run.persists}, {&onceTemporary, once.temporary}} {
		if m.size > 0 && err == nil {
			m.to.size = int64(m.size)
			m.to.resource, err = d.allocate(heapDefault, sizeClass(m.to.size))
		}
	}
	if err == nil {
		var s *slot
		s, err = l.record(context.Background(), func(s *slot) error {
			if err := s.setTable(d, initializer, once.descriptors); err != nil {
				return err
			}
			if c.persist.p != nil {
				s.table.bind(bindOutputs, c.persist.resource, run.persists)
			}
			if onceTemporary.p != nil {
				s.table.bind(bindTemporary, onceTemporary.resource, once.temporary)
			}
			d.recorder.dispatch(s.list, initializer, s.table)
			return nil
		})
		if err == nil {
			err = l.wait(context.Background(), d, s.number)
		}
	}
	initializer.release()
	onceTemporary.release()
	return err
}

// use keeps the plan's operator until the function it returns is called.
func (p *Plan) use() (done func(), err error) {
	d := p.device
	d.mu.Lock()
	defer d.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	p.compiled.users++
	return func() { d.unuse(p.compiled) }, nil
}

func (d *Device) unuse(c *compiled) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.clock++
	c.users--
	c.used = d.clock
	if c.users > 0 {
		return
	}
	// Of those that no plan has, keep the ones used last.
	var oldest *compiled
	unused := 0
	for _, other := range d.programs {
		if other.users == 0 {
			unused++
			if oldest == nil || other.used < oldest.used {
				oldest = other
			}
		}
	}
	if unused > maxIdlePrograms {
		delete(d.programs, oldest.op)
		d.retire(oldest)
	}
}

func (p *Plan) close() error {
	if p.device == nil {
		return nil
	}
	d := p.device
	d.mu.Lock()
	closed := p.closed
	p.closed = true
	d.mu.Unlock()
	if !closed {
		d.unuse(p.compiled)
	}
	return nil
}

func (p *Plan) run(ctx context.Context, dst, src []byte) error {
	return p.device.do(ctx, func(l *lane) error {
		done, err := p.use()
		if err != nil {
			return err
		}
		defer done()
		d := p.device
		in, err := d.borrow(int64(p.op.in.total))
		if err != nil {
			return err
		}
		defer func() { d.giveBack(in) }()
		out, err := d.borrow(int64(p.op.out.total))
		if err != nil {
			return err
		}
		defer func() { d.giveBack(out) }()

		// The first part of the output comes back with the list that makes it.
		part := dst[:min(p.dstSize, chunk)]
		var last *slot
		err = l.send(ctx, in.resource, p.srcLo, src[p.srcLo:p.srcHi], func(s *slot) error {
			last = s
			s.list.transition(in.resource, stateCopyDest, stateUnorderedAccess)
			if err := s.dispatch(d, p.compiled, out.resource, in.resource); err != nil {
				return err
			}
			s.list.transition(out.resource, stateUnorderedAccess, stateCopySource)
			return s.fetch(d, out.resource, 0, len(part))
		})
		if err != nil {
			return err
		}
		if p.scatter == nil {
			return l.receive(ctx, last, out.resource, dst[:p.dstSize])
		}
		if len(part) == int(p.dstSize) {
			return l.see(ctx, last, len(part), func(output []byte) error { return p.scatter.RunContext(ctx, dst, output) })
		}
		output := make([]byte, p.dstSize)
		if err := l.receive(ctx, last, out.resource, output); err != nil {
			return err
		}
		return p.scatter.RunContext(ctx, dst, output)
	})
}

// dispatch records c. The buffers are in the state UNORDERED_ACCESS, or COMMON,
// from which they are promoted to it.
func (s *slot) dispatch(d *Device, c *compiled, out, in resource) error {
	if err := s.setTable(d, c.dispatchable, c.descriptors); err != nil {
		return err
	}
	s.table.bind(bindInputs, in, c.op.in.total)
	s.table.bind(bindOutputs, out, c.op.out.total)
	if c.temporary.p != nil {
		s.table.bind(bindTemporary, c.temporary.resource, uint64(c.temporary.size))
	}
	if c.persist.p != nil {
		s.table.bind(bindPersistent, c.persist.resource, uint64(c.persist.size))
	}
	d.recorder.dispatch(s.list, c.dispatchable, s.table)
	return nil
}

// fetch records the copy of size bytes to the slot's readback buffer. The
// buffer is in the state COPY_SOURCE, or COMMON, from which it is promoted.
func (s *slot) fetch(d *Device, from resource, at int64, size int) error {
	if err := s.readback.grow(d, heapReadback, size); err != nil {
		return err
	}
	s.list.copyBuffer(s.readback.resource, 0, from, at, int64(size))
	return nil
}

// see waits for a slot and shows what it has fetched.
func (l *lane) see(ctx context.Context, s *slot, size int, f func([]byte) error) error {
	if err := l.wait(ctx, l.device, s.number); err != nil {
		return err
	}
	return s.readback.read(size, f)
}

// receive fills data from the start of a buffer, of which a slot has fetched
// the first chunk.
func (l *lane) receive(ctx context.Context, s *slot, from resource, data []byte) error {
	at := int64(0)
	for {
		part := data[:min(len(data), chunk)]
		data = data[len(part):]
		at += int64(len(part))
		// The next part is under way while this one is copied.
		next := (*slot)(nil)
		if len(data) > 0 {
			var err error
			if next, err = l.record(ctx, func(s *slot) error {
				return s.fetch(l.device, from, at, min(len(data), chunk))
			}); err != nil {
				return err
			}
		}
		err := l.see(ctx, s, len(part), func(memory []byte) error {
			copy(part, memory)
			return nil
		})
		if err != nil || next == nil {
			return err
		}
		s = next
	}
}

func (p *Plan) dispatch(dst, src *Buffer) error {
	return p.device.do(context.Background(), func(l *lane) error {
		done, err := p.use()
		if err != nil {
			return err
		}
		defer done()
		return dst.use(func(out resource) error {
			return src.use(func(in resource) error {
				_, err := l.record(context.Background(), func(s *slot) error {
					return s.dispatch(p.device, p.compiled, out, in)
				})
				return err
			})
		})
	})
}

// memory is what a Buffer has on a device.
type memory struct {
	resource
	users  int // calls at work; guarded by the device's mu, as is closed
	closed bool
}

func (d *Device) newBuffer(size int64) (*Buffer, error) {
	b := &Buffer{device: d, size: size}
	err := d.do(context.Background(), func(*lane) (err error) {
		// Tensors end at a multiple of 4.
		if b.resource, err = d.allocate(heapDefault, (size+3)&^3); err == nil {
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

// use calls f with the buffer, which stays until f returns.
func (b *Buffer) use(f func(resource) error) error {
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

// drop retires the memory of a closed buffer that no call uses. The device's
// mu is held.
func (b *Buffer) drop() {
	if b.closed && b.users == 0 && b.resource.p != nil {
		delete(b.device.buffers, b)
		r := b.resource
		b.resource = resource{}
		b.device.retire(&r)
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
		return b.use(func(to resource) error { return l.send(context.Background(), to, 0, src, nil) })
	})
}

func (b *Buffer) download(dst []byte) error {
	return b.device.do(context.Background(), func(l *lane) error {
		return b.use(func(from resource) error {
			first, err := l.record(context.Background(), func(s *slot) error {
				return s.fetch(l.device, from, 0, min(len(dst), chunk))
			})
			if err != nil {
				return err
			}
			return l.receive(context.Background(), first, from, dst)
		})
	})
}
