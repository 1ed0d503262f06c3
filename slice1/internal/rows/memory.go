package rows

// MostMemory is how many bytes the rows of all goroutines that resample one picture may take.
const MostMemory = 96 << 20

// The rows between the passes may have `timesStored` times as many bytes as the source and the
// result, or mostBetween. Otherwise a column of 32768 pixels that becomes a row of 65536 would take
// half a minute.
const mostBetween, timesStored = 64 << 20, 16

// betweenBytes returns how many bytes all rows between the passes have.
func (p *Plan) betweenBytes() int64 {
	low, high := p.SourceRows()
	switch {
	case p.columns == nil || p.rows == nil || p.filter == Nearest:
		return 0
	case p.rowsFirst:
		low, high = p.y.Begin, p.y.End
	}
	return int64(high-low) * p.middle
}

// rings reports whether rows lie in a ring until no row of the result takes them.
func (p *Plan) rings() bool {
	return p.resamplesRows() && (p.columns != nil && !p.rowsFirst || !p.inMemory)
}

// memory returns about how many bytes the rows of a goroutine take.
func (p *Plan) memory() int64 {
	made, joined := int64(0), int64(0)
	switch {
	case p.columnsLast && p.resamplesRows():
		made = p.middle + int64(2*p.edge)
	case !p.inMemory && p.columns != nil:
		made = p.length
	}
	switch {
	case p.joined:
		loaded, stored := p.widths()
		joined = maxBatch * (loaded*p.length + stored*int64(len(p.columns.starts)))
	case p.planes > 0 && p.packedColumns != nil:
		joined = int64(p.step) * p.length
	}
	if p.picks != nil {
		made += 3 * p.length / int64(p.pixel)
		if p.picks.rounds[0] != nil {
			made += 4 * p.length / int64(p.pixel)
		}
	}
	return int64(p.made)*made + joined + int64(p.ring)*(p.segment+32) // a row that is taken has a slice and an offset
}

// Memory returns about how many bytes the rows of a goroutine take.
func (p *Plan) Memory() (peak int64) {
	for _, s := range p.panelPlans() {
		peak = max(peak, s.memory())
	}
	return peak
}

// cut returns plans for successive columns whose rows take at most r.limit bytes each, or for
// single columns.
func (r request) cut() ([]*Plan, error) {
	p, err := r.plan()
	if err != nil || p.memory() <= r.limit || r.x.End-r.x.Begin == 1 {
		return []*Plan{p}, err
	}
	left, right := r, r
	left.x.End = r.x.Begin + (r.x.End-r.x.Begin)/2
	right.x.Begin = left.x.End
	lefts, err := left.cut()
	if err != nil {
		return nil, err
	}
	rights, err := right.cut()
	return append(lefts, rights...), err
}

// panelPlans returns the plans of p's panels, or p itself.
func (p *Plan) panelPlans() []*Plan {
	if p.panels == nil {
		return []*Plan{p}
	}
	return p.panels
}
