package slice1

import "context"

// RunContext is Run with a context. It checks ctx after the buffers, and then before each 2 MiB of
// output or so. If ctx is done, it returns ctx's error, and each output element is either written
// or unchanged. A nil ctx is never done.
func (p *Plan) RunContext(ctx context.Context, dst, src []byte) error {
	if !p.valid() {
		return errNoPlan
	}
	return p.sliceAt(ctx, dst, src, p.srcStart)
}

// Check returns the error that Run would return, without writing anything.
func (p *Plan) Check(dst, src []byte) error {
	if !p.valid() {
		return errNoPlan
	}
	_, err := p.admit(&p.entry.Problem().Nest, dst, src, p.srcStart)
	return err
}

// sliceAt is RunContext with the window srcStart bytes into src.
func (p *Plan) sliceAt(ctx context.Context, dst, src []byte, srcStart int) error {
	parallel, err := p.admit(&p.entry.Problem().Nest, dst, src, srcStart)
	if err != nil {
		return err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	d, s := pointers(dst, src, srcStart)
	return p.entry.Run(ctx, d, s, &p.values, parallel)
}

// RunAt is Run with the window at other offsets, for random crops or a sliding window. There is one
// offset per axis, in elements of the input, in the order of the plan's descriptor: after
// [Desc.Permute], in the order of the permuted axes. Another number of offsets is ErrRank, and a
// window that leaves the input is ErrWindow. The plan does not keep the offsets.
func (p *Plan) RunAt(dst, src []byte, offsets ...int) error {
	return p.RunAtContext(context.Background(), dst, src, offsets...)
}

// RunAtContext is RunAt with a context, like RunContext.
func (p *Plan) RunAtContext(ctx context.Context, dst, src []byte, offsets ...int) error {
	srcStart, err := p.startAt(offsets)
	if err != nil {
		return err
	}
	return p.sliceAt(ctx, dst, src, srcStart)
}

// CheckAt returns the error that RunAt would return, without writing anything.
func (p *Plan) CheckAt(dst, src []byte, offsets ...int) error {
	srcStart, err := p.startAt(offsets)
	if err == nil {
		_, err = p.admit(&p.entry.Problem().Nest, dst, src, srcStart)
	}
	return err
}

// startAt returns the bytes of the source before the element that the nest counts from, for the
// window at the given offsets. Its errors are the ones that RunAt documents.
func (p *Plan) startAt(offsets []int) (int, error) {
	if !p.valid() {
		return 0, errNoPlan
	}
	if len(offsets) != p.rank {
		return 0, rankError("offsets", len(offsets), "Input.Sizes", p.rank)
	}
	start := p.nestStart
	for i, offset := range offsets {
		axis := &p.axes[i]
		if err := bounded(ErrWindow, "offsets", i, offset, 0, axis.maxOffset, leavesInput); err != nil {
			return 0, err
		}
		start += int64(offset) * axis.stride
	}
	return int(start), nil
}
