//go:build amd64 || arm64

package directml

import (
	"context"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
	"github.com/seed2e45c115/dml/slice1"
)

// program is the part of a Plan that only Windows has. The device's mu guards it.
type program struct {
	users  int // calls in progress
	closed bool
}

func (d *Device) newPlan(desc *slice1.Desc) (*Plan, error) {
	p, err := planOf(desc, d.capability, d.mostElements)
	if err != nil {
		return nil, err
	}
	return d.adopt(p)
}

// adopt gives a plan its device, compiles the operators for Run, if the plan has any, and returns
// the plan.
func (d *Device) adopt(p *Plan) (*Plan, error) {
	p.device = d
	if err := p.use(context.Background(), p.spans, func(*lane) error { return d.alive() }); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

// use compiles the operators of parts that are not compiled yet, and calls work with a lane. The
// compiled operators of parts are not released before work returns. For a closed plan the error is
// ErrClosed.
func (p *Plan) use(ctx context.Context, parts []part, work func(*lane) error) error {
	d := p.device
	if d == nil {
		return ErrClosed
	}
	d.mu.Lock()
	if p.closed {
		d.mu.Unlock()
		return ErrClosed
	}
	p.users++
	d.mu.Unlock()
	defer d.locked(func() {
		p.users--
		p.drop()
	})
	if p.regions == nil {
		for i := range parts {
			if err := p.compile(ctx, &parts[i]); err != nil {
				return err
			}
		}
	}
	return d.withLane(ctx, work)
}

// compile sets s.compiled, unless it is set.
func (p *Plan) compile(ctx context.Context, s *part) error {
	d := p.device
	d.mu.Lock()
	kept := s.compiled != nil
	d.mu.Unlock()
	if kept {
		return nil
	}
	c, err := d.compiled(ctx, &s.Operator)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s.compiled == nil {
		s.compiled = c
	} else { // by another call
		d.unuse(c)
	}
	return nil
}

// drop gives up the compiled operators if the plan is closed and no call uses it. The device's mu
// must be held.
func (p *Plan) drop() {
	if !p.closed || p.users > 0 {
		return
	}
	for _, parts := range [][]part{p.spans, p.parts} {
		for i := range parts {
			if c := parts[i].compiled; c != nil {
				parts[i].compiled = nil
				p.device.unuse(c)
			}
		}
	}
}

func (p *Plan) close() error {
	d := p.device
	if d == nil {
		return nil
	}
	d.locked(func() {
		p.closed = true
		p.drop()
	})
	d.collect()
	return nil
}

// sliceParts slices src into dst, part by part. src holds the bytes from the first to the last
// element taken and nothing else.
func (p *Plan) sliceParts(ctx context.Context, dst, src []byte) error {
	return p.use(ctx, p.spans, func(l *lane) error {
		for i := range p.spans {
			s := &p.spans[i]
			if err := p.slicePart(l, s, dst[s.Dst:], src[s.Src:][:s.SrcSize]); err != nil {
				return err
			}
			if err := s.compare(dst, src); err != nil {
				return err
			}
		}
		return nil
	})
}

// slicePart slices src, the input of s, into dst, which begins at the first output element of s.
func (p *Plan) slicePart(l *lane, s *part, dst, src []byte) error {
	input, err := l.buffer(0, s.SrcSize)
	if err != nil {
		return err
	}
	output, err := l.buffer(1, s.DstSize)
	if err != nil {
		return err
	}
	reads, writes := uint32(d3d.StateUnorderedAccess), uint32(d3d.StateUnorderedAccess)
	if s.compiled == nil {
		reads, writes = d3d.StateCopySource, d3d.StateCopyDest
	}
	// The list that computes the output also fetches its first chunk.
	var final *slot
	err = l.send(place{input, 0}, src, func(slot *slot) error {
		final = slot
		slot.list.Transition(input, d3d.StateCopyDest, reads)
		if err := slot.reserve(p.device, s.descriptors()); err != nil {
			return err
		}
		if err := slot.execute(p, s.compiled, place{output, 0}, place{input, 0}); err != nil {
			return err
		}
		slot.list.Transition(output, writes, d3d.StateCopySource)
		return l.fetch(slot, place{output, 0}, int(min(s.DstSize, chunk)))
	})
	if err != nil {
		return err
	}
	return s.deliver(l, final, output, dst)
}

// deliver copies the output elements of s to dst, and leaves the bytes between them as they are.
// The list of first, which the caller has submitted, fetches the output's first chunk.
func (s *part) deliver(l *lane, first *slot, result d3d.Resource, dst []byte) error {
	if s.scatter == nil {
		return l.receive(first, place{result, 0}, dst[:s.DstSize])
	}
	if s.DstSize <= chunk {
		return l.see(first, int(s.DstSize), func(output []byte) error { return s.scatter.RunContext(l.ctx, dst, output) })
	}
	output := make([]byte, s.DstSize)
	if err := l.receive(first, place{result, 0}, output); err != nil {
		return err
	}
	return s.scatter.RunContext(l.ctx, dst, output)
}

// descriptors returns how many descriptors a dispatch of s needs.
func (s *part) descriptors() uint32 {
	if s.compiled == nil {
		return 0
	}
	return s.compiled.descriptors
}

// execute records a dispatch of c or, if c is nil, the copies of the plan's regions.
func (s *slot) execute(p *Plan, c *compiled, output, input place) error {
	if c != nil {
		return s.dispatch(p.device, c, output, input)
	}
	for _, r := range p.regions {
		s.list.CopyBuffer(output.Resource, output.offset+r.Dst, input.Resource, input.offset+r.Src, r.Size)
	}
	return nil
}

// dispatch records a dispatch of c. The buffers must be in the state UNORDERED_ACCESS or COMMON.
// Their use promotes them from COMMON.
func (s *slot) dispatch(d *Device, c *compiled, output, input place) error {
	if err := s.setTable(d, c.Dispatchable, c.descriptors); err != nil {
		return err
	}
	s.table.Bind(d3d.BindInputs, input.Resource, uint64(input.offset), c.op.Input.Total)
	s.table.Bind(d3d.BindOutputs, output.Resource, uint64(output.offset), c.op.Output.Total)
	if c.temporary.P != nil {
		s.table.Bind(d3d.BindTemporary, c.temporary.Resource, 0, uint64(c.temporary.size))
	}
	if c.persist.P != nil {
		s.table.Bind(d3d.BindPersistent, c.persist.Resource, 0, uint64(c.persist.size))
	}
	d.recorder.Dispatch(s.list, c.Dispatchable, s.table)
	return nil
}

// dispatch submits all parts in one list. Parts need no barrier between them, since they write
// different elements.
func (p *Plan) dispatch(dst, src *Buffer) error {
	return p.use(context.Background(), p.parts, func(l *lane) error {
		return dst.use(func(output place) error {
			return src.use(func(input place) error {
				_, err := l.record(func(slot *slot) error { return p.recordParts(slot, output, input) })
				return err
			})
		})
	})
}

// recordParts records all parts of a Dispatch.
func (p *Plan) recordParts(slot *slot, output, input place) error {
	descriptors := uint32(0)
	for i := range p.parts {
		descriptors += p.parts[i].descriptors()
	}
	if err := slot.reserve(p.device, descriptors); err != nil {
		return err
	}
	for i := range p.parts {
		s := &p.parts[i]
		if c := s.compiled; i > 0 && c != nil && c.temporary.P != nil {
			slot.list.WaitForWrites(c.temporary.Resource)
		}
		if err := slot.execute(p, s.compiled, place{output.Resource, output.offset + s.Dst}, place{input.Resource, input.offset + s.Src}); err != nil {
			return err
		}
	}
	return nil
}
