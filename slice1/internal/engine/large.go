package engine

import (
	"context"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/tune"
)

// scout compares ways to run a large slice from block to block, since whole runs of one are slow
// and may be few. For its State each block is a run.
type scout struct {
	ways []Way
	tune tune.State
}

const (
	// scoutRounds is in how many rounds blocks are compared.
	scoutRounds = 3
	// maxScouted is how many ways a scout compares at most.
	maxScouted = 12
)

func newScout(p *Problem) *scout {
	s := &scout{ways: waysOf(plan.Here().InBlocks(&p.Nest, p.work(), maxScouted))}
	s.tune.Begin(len(s.ways), func(way int) bool { return s.ways[way].NonTemporal }, scoutRounds)
	return s
}

// run runs a slice as Entry.Run does, and tells the scout how long blocks take. When the scout has
// settled, the fastest way of either sort of stores becomes one of the entry's. The caller holds
// turn.
func (s *scout) run(ctx context.Context, e *Entry, dst, src unsafe.Pointer, parallel bool) error {
	for block, count := int64(0), int64(1); block < count; {
		w := &s.ways[s.tune.Next()]
		w.prepare(&e.problem, nil, nil)
		count = w.blocks.Count
		end := block + 1
		if s.tune.Settled() {
			end = count
		}
		e.note(w)
		began := now()
		if err := w.run(ctx, block*w.blocks.most, end*w.blocks.most, e.goroutines(w, parallel), dst, src); err != nil {
			s.tune.Drop()
			return err
		}
		if took := now() - began; took < minSteps*step() {
			s.tune.Stop()
		} else {
			_, _, shape := w.blocks.Part(block)
			s.tune.Add(took * nest.Bytes(&w.blocks.Shapes[0]) / nest.Bytes(&w.blocks.Shapes[shape]))
		}
		block = end
	}
	if s.tune.Settled() {
		e.scout = nil
		e.ways = append(e.ways[:1:1], s.best()...)
		e.begin(scoutRounds)
	}
	return nil
}

// best returns the fastest way of either sort of stores.
func (s *scout) best() (best []Way) {
	for _, nt := range [...]bool{false, true} {
		fastest, least := -1, int64(0)
		for i := range s.ways {
			if took, known := s.tune.Time(i); known && s.ways[i].NonTemporal == nt && (fastest < 0 || took < least) {
				fastest, least = i, took
			}
		}
		if fastest >= 0 {
			best = append(best, s.ways[fastest])
		}
	}
	return best
}
