//go:build amd64 || arm64

package directml

import (
	"context"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
	"github.com/seed2e45c115/dml/directml/internal/translate"
)

// compiled is a compiled operator with the memory that DirectML wants for it. All its dispatches
// share one temporary buffer, so a dispatch must not begin before the previous one has ended.
type compiled struct {
	d3d.Dispatchable
	op                 translate.Operator
	descriptors        uint32 // how many a dispatch needs, at least 1
	temporary, persist scratch
	users              int // how many parts of plans have it; guarded by the device's mu
}

func (c *compiled) Release() {
	c.Dispatchable.Release()
	c.temporary.Release()
	c.persist.Release()
}

// compiled returns op compiled, with one more user. It compiles op if the device does not have it
// yet. It holds no turn while it waits for another compilation, nor while it compiles. The error is
// ErrClosed if the device is closed, or ctx's if ctx is done before the operator can be compiled.
func (d *Device) compiled(ctx context.Context, op *translate.Operator) (*compiled, error) {
	if c := d.known(op); c != nil {
		return c, nil
	}
	if err := d.take(ctx, d.compiling); err != nil {
		return nil, err
	}
	defer func() { <-d.compiling }()
	if c := d.known(op); c != nil {
		return c, nil
	}
	c := &compiled{op: *op, users: 1}
	err := d.compile(ctx, c)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.retire(c) // the adapter may not have finished with it
		return nil, d.diagnose(err)
	}
	d.programs[*op] = c
	return c, nil
}

// known returns op compiled, with one more user, if the device has it, and otherwise nil.
func (d *Device) known(op *translate.Operator) *compiled {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.programs[*op]
	if c != nil {
		c.users++
	}
	return c
}

// unuse ends one use of c, and retires c if that was the last use. d.mu must be held.
func (d *Device) unuse(c *compiled) {
	c.users--
	if c.users == 0 && d.programs[c.op] == c {
		delete(d.programs, c.op)
		d.retire(c)
	}
}

// compile compiles the operator of c and runs its initializer. DirectML asks for that once before
// the first dispatch, even if the operator has no persistent memory.
func (d *Device) compile(ctx context.Context, c *compiled) error {
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
	defer d.locked(func() { d.retire(&initializer) })
	return d.withLane(ctx, func(l *lane) error { return l.initialize(c, initializer) })
}

// initialize allocates the memory of c, runs its initializer and waits until the adapter has
// finished.
func (l *lane) initialize(c *compiled, initializer d3d.Dispatchable) (err error) {
	d := l.device
	run, initial := c.Properties(), initializer.Properties()
	c.descriptors, initial.Descriptors = max(run.Descriptors, 1), max(initial.Descriptors, 1) // no heap is empty
	var onceTemporary scratch
	defer d.locked(func() { onceTemporary.retire(d) })
	for _, m := range []struct {
		target *scratch
		size   uint64
	}{{&c.temporary, run.Temporary}, {&c.persist, run.Persists}, {&onceTemporary, initial.Temporary}} {
		if m.size == 0 {
			continue
		}
		m.target.size = int64(m.size)
		if m.target.Resource, err = l.allocate(d3d.HeapDefault, sizeClass(m.target.size)); err != nil {
			return err
		}
	}
	s, err := l.record(func(s *slot) error {
		if err := s.reserve(d, initial.Descriptors); err != nil {
			return err
		}
		if err := s.setTable(d, initializer, initial.Descriptors); err != nil {
			return err
		}
		if c.persist.P != nil {
			s.table.Bind(d3d.BindOutputs, c.persist.Resource, 0, run.Persists)
		}
		if onceTemporary.P != nil {
			s.table.Bind(d3d.BindTemporary, onceTemporary.Resource, 0, initial.Temporary)
		}
		d.recorder.Dispatch(s.list, initializer, s.table)
		return nil
	})
	if err != nil {
		return err
	}
	return l.wait(s.number)
}
