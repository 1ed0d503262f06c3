//go:build amd64 || arm64

package directml

import (
	"context"

	"github.com/seed2e45c115/dml/slice1"
)

// compiled is an operator ready to be dispatched, with the memory DirectML
// wants for it. One temporary buffer serves all dispatches, which do not overlap.
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
