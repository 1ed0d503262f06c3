//go:build amd64 || arm64

package directml

import "context"

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

// compiled returns the operator compiled, as the caller's, who calls unuse.
func (l *lane) compiled(op *operator) (*compiled, error) {
	d := l.device
	if c := d.known(op); c != nil {
		return c, nil
	}
	if err := op.checkViews(d.vendor); err != nil {
		return nil, err
	}
	d.compiling.Lock()
	defer d.compiling.Unlock()
	if c := d.known(op); c != nil {
		return c, nil
	}
	c := &compiled{op: *op, users: 1}
	err := l.compile(c)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.retire(c) // the adapter may not have finished with it
		return nil, err
	}
	d.programs[*op] = c
	return c, nil
}

// known returns the operator if it is compiled, as the caller's.
func (d *Device) known(op *operator) *compiled {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.programs[*op]
	if c != nil {
		c.users++
	}
	return c
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
	// Keep the ones used last, of those that no plan has.
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
		d.collect()
	}
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
	return l.initialize(c, initializer)
}

// initialize gives c its memory and runs its initializer, which goes once the
// adapter is done with it.
func (l *lane) initialize(c *compiled, initializer dispatchable) (err error) {
	d := l.device
	run, once := c.properties(), initializer.properties()
	c.descriptors = run.descriptors
	var onceTemporary scratch
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.retire(&initializer)
		d.retire(&onceTemporary)
	}()
	for _, m := range []struct {
		to   *scratch
		size uint64
	}{{&c.temporary, run.temporary}, {&c.persist, run.persists}, {&onceTemporary, once.temporary}} {
		if m.size == 0 {
			continue
		}
		m.to.size = int64(m.size)
		if m.to.resource, err = l.allocate(context.Background(), heapDefault, sizeClass(m.to.size)); err != nil {
			return err
		}
	}
	s, err := l.record(context.Background(), func(s *slot) error {
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
	if err != nil {
		return err
	}
	return l.wait(context.Background(), d, s.number)
}
