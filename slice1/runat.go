package slice1

import "context"

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
