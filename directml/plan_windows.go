//go:build amd64 || arm64

package directml

import (
	"context"
	"errors"
	"slices"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
	"github.com/seed2e45c115/dml/directml/internal/translate"
	"github.com/seed2e45c115/dml/slice1"
)

// program is the part of a Plan that only Windows has.
type program struct {
	held   []*compiled // the plan's compiled operators, at most two; guarded by the device's mu, as is closed
	closed bool
}

func (d *Device) newPlan(desc *slice1.Desc) (*Plan, error) {
	p, err := planOf(desc, d.capability, d.mostElements)
	if err != nil {
		return nil, err
	}
	return d.adopt(p)
}

// adopt gives a plan its device and compiles the operators for Run, if the plan has any. It
// returns the plan.
func (d *Device) adopt(p *Plan) (*Plan, error) {
	p.device = d
	err := d.do(context.Background(), func(l *lane) error {
		for i := range p.spans {
			_, done, err := p.use(l, &p.spans[i].Operator)
			if err != nil {
				return err
			}
			done()
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// use returns op, an operator of the plan, compiled. If the device does not have it compiled,
// use compiles it. If the plan copies runs, c is nil. The compiled operator is not released
// before the caller calls done, nor while the plan is open. For a closed plan the error is
// ErrClosed. With an error, done is nil.
func (p *Plan) use(l *lane, op *translate.Operator) (c *compiled, done func(), err error) {
	d := p.device
	d.mu.Lock()
	closed := p.closed
	d.mu.Unlock()
	if closed {
		return nil, nil, ErrClosed
	}
	if p.runs != nil {
		return nil, func() {}, nil
	}
	if c, err = l.compiled(op); err != nil {
		return nil, nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if !p.closed && !slices.Contains(p.held, c) {
		p.held = append(p.held, c)
		c.users++
	}
	return c, func() { d.unuse(c) }, nil
}

func (p *Plan) close() error {
	if p.device == nil {
		return nil
	}
	d := p.device
	d.mu.Lock()
	held := p.held
	p.held, p.closed = nil, true
	d.mu.Unlock()
	for _, c := range held {
		d.unuse(c)
	}
	return nil
}

// run slices src into dst, piece by piece. src holds the bytes from the first to the last
// element taken and nothing else.
func (p *Plan) run(ctx context.Context, dst, src []byte) error {
	return p.device.do(ctx, func(l *lane) error {
		for i := range p.spans {
			s := &p.spans[i]
			if err := p.runPart(ctx, l, s, dst[s.Dst:], src[s.Src:][:s.SrcSize]); err != nil {
				return err
			}
			// No card is known to see what Direct3D 12 guarantees of buffers this large.
			if len(p.spans) > 1 {
				if err := s.compare(dst, src); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// runPart slices src, the input of s, into dst, which begins at the first output element of s.
func (p *Plan) runPart(ctx context.Context, l *lane, s *part, dst, src []byte) error {
	c, done, err := p.use(l, &s.Operator)
	if err != nil {
		return err
	}
	defer done()
	d := p.device
	in, err := l.borrow(ctx, s.SrcSize)
	if err != nil {
		return err
	}
	defer func() { d.giveBack(in) }()
	out, err := l.borrow(ctx, s.DstSize)
	if err != nil {
		return err
	}
	defer func() { d.giveBack(out) }()

	reads, writes := uint32(d3d.StateUnorderedAccess), uint32(d3d.StateUnorderedAccess)
	if c == nil {
		reads, writes = d3d.StateCopySource, d3d.StateCopyDest
	}
	// The list that computes the output also fetches its first chunk.
	var last *slot
	err = l.send(ctx, in.Resource, src, func(slot *slot) error {
		last = slot
		slot.list.Transition(in.Resource, d3d.StateCopyDest, reads)
		if err := slot.execute(p, c, place{out.Resource, 0}, place{in.Resource, 0}); err != nil {
			return err
		}
		slot.list.Transition(out.Resource, writes, d3d.StateCopySource)
		return l.fetch(ctx, slot, out.Resource, 0, int(min(s.DstSize, chunk)))
	})
	if err != nil {
		return err
	}
	return s.deliver(ctx, l, last, out.Resource, dst)
}

// deliver copies the output elements of s to dst, and leaves the bytes between them. The list
// of first, which the caller has submitted, fetches the output's first chunk.
func (s *part) deliver(ctx context.Context, l *lane, first *slot, out d3d.Resource, dst []byte) error {
	if s.scatter == nil {
		return l.receive(ctx, first, out, dst[:s.DstSize])
	}
	if s.DstSize <= chunk {
		return l.see(ctx, first, int(s.DstSize), func(output []byte) error { return s.scatter.RunContext(ctx, dst, output) })
	}
	output := make([]byte, s.DstSize)
	if err := l.receive(ctx, first, out, output); err != nil {
		return err
	}
	return s.scatter.RunContext(ctx, dst, output)
}

// place is the byte of a buffer at which a tensor begins.
type place struct {
	d3d.Resource
	at int64
}

// execute records a dispatch of c or, if c is nil, the copies of the plan's runs.
func (s *slot) execute(p *Plan, c *compiled, out, in place) error {
	if c != nil {
		return s.dispatch(p.device, c, out, in)
	}
	for _, r := range p.runs {
		s.list.CopyBuffer(out.Resource, out.at+r.Dst, in.Resource, in.at+r.Src, r.Size)
	}
	return nil
}

// dispatch records a dispatch of c. The buffers must be in the state UNORDERED_ACCESS, or
// in COMMON, from which their use promotes them.
func (s *slot) dispatch(d *Device, c *compiled, out, in place) error {
	if err := s.setTable(d, c.Dispatchable, c.descriptors); err != nil {
		return err
	}
	s.table.Bind(d3d.BindInputs, in.Resource, uint64(in.at), c.op.In.Total)
	s.table.Bind(d3d.BindOutputs, out.Resource, uint64(out.at), c.op.Out.Total)
	if c.temporary.P != nil {
		s.table.Bind(d3d.BindTemporary, c.temporary.Resource, 0, uint64(c.temporary.size))
	}
	if c.persist.P != nil {
		s.table.Bind(d3d.BindPersistent, c.persist.Resource, 0, uint64(c.persist.size))
	}
	d.recorder.Dispatch(s.list, c.Dispatchable, s.table)
	return nil
}

// dispatch submits each piece in a list of its own.
func (p *Plan) dispatch(dst, src *Buffer) error {
	return p.device.do(context.Background(), func(l *lane) error {
		return dst.use(func(out d3d.Resource) error {
			return src.use(func(in d3d.Resource) error {
				for i := range p.parts {
					if err := p.dispatchPart(l, &p.parts[i], out, in); err != nil {
						return err
					}
				}
				return nil
			})
		})
	})
}

func (p *Plan) dispatchPart(l *lane, s *part, out, in d3d.Resource) error {
	c, done, err := p.use(l, &s.Operator)
	if err != nil {
		return err
	}
	defer done()
	_, err = l.record(context.Background(), func(slot *slot) error {
		return slot.execute(p, c, place{out, s.Dst}, place{in, s.Src})
	})
	return err
}
