//go:build amd64 || arm64

package directml

import (
	"context"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
	"github.com/seed2e45c115/dml/directml/internal/translate"
)

// compiled is a compiled operator with the memory that DirectML wants for it. All its
// dispatches share one temporary buffer, since they do not overlap.
type compiled struct {
	d3d.Dispatchable
	op                 translate.Operator
	descriptors        uint32 // that a dispatch needs
	temporary, persist scratch
	users              int    // open plans that hold it and calls in progress; guarded by the device's mu
	used               uint64 // the device's clock when a user last let it go; guarded by the device's mu
}

func (c *compiled) Release() {
	c.Dispatchable.Release()
	c.temporary.Release()
	c.persist.Release()
}

// compiled returns op compiled. If the device does not have it compiled, compiled compiles
// it. The compiled operator is not released before the caller calls unuse.
func (l *lane) compiled(op *translate.Operator) (*compiled, error) {
	d := l.device
	if c := d.known(op); c != nil {
		return c, nil
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

// known returns op compiled if the device has it, and otherwise nil. The compiled operator is
// not released before the caller calls unuse.
func (d *Device) known(op *translate.Operator) *compiled {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.programs[*op]
	if c != nil {
		c.users++
	}
	return c
}

// unuse ends one use of c. If more than maxIdlePrograms operators have no users then, it
// retires the one that was used longest ago.
func (d *Device) unuse(c *compiled) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.clock++
	c.users--
	c.used = d.clock
	if c.users > 0 {
		return
	}
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

// compile compiles the operator of c and runs its initializer, which DirectML asks for once
// before the first dispatch, even of an operator without persistent memory. It waits until
// the adapter has finished.
func (l *lane) compile(c *compiled) error {
	d := l.device
	operator, err := d.dml.CreateOperator(&newOperatorCall(&c.op).desc)
	if err != nil {
		return err
	}
	c.Dispatchable, err = d.dml.Compile(operator)
	operator.Release()
	if err != nil {
		return err
	}
	initializer, err := d.dml.CreateInitializer(c.Dispatchable)
	if err != nil {
		return err
	}
	return l.initialize(c, initializer)
}

// initialize allocates the memory of c, runs its initializer and waits until the adapter has
// finished. In any case it retires the initializer.
func (l *lane) initialize(c *compiled, initializer d3d.Dispatchable) (err error) {
	d := l.device
	run, once := c.Properties(), initializer.Properties()
	c.descriptors = run.Descriptors
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
	}{{&c.temporary, run.Temporary}, {&c.persist, run.Persists}, {&onceTemporary, once.Temporary}} {
		if m.size == 0 {
			continue
		}
		m.to.size = int64(m.size)
		if m.to.Resource, err = l.allocate(context.Background(), d3d.HeapDefault, sizeClass(m.to.size)); err != nil {
			return err
		}
	}
	s, err := l.record(context.Background(), func(s *slot) error {
		if err := s.setTable(d, initializer, once.Descriptors); err != nil {
			return err
		}
		if c.persist.P != nil {
			s.table.Bind(d3d.BindOutputs, c.persist.Resource, 0, run.Persists)
		}
		if onceTemporary.P != nil {
			s.table.Bind(d3d.BindTemporary, onceTemporary.Resource, 0, once.Temporary)
		}
		d.recorder.Dispatch(s.list, initializer, s.table)
		return nil
	})
	if err != nil {
		return err
	}
	return l.wait(context.Background(), d, s.number)
}
