package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/tune"
)

// scout compares ways to run a large slice within runs of it: each block may run another way. Whole
// runs are slow, and there may be few of them. Each block counts as one run of its State. The mu of
// the entry guards it.
type scout struct {
	ways     []*Way
	tune     tune.State
	shortest int64 // the least time of a block so far, scaled to plan.BlockBytes; 0 before the first
}

const (
	// scoutRounds is the number of rounds in which blocks are compared.
	scoutRounds = 3
	// If the blocks of a scout take more than tooSlow times as long as those of the fastest scout,
	// the run goes on by that one. The run first fills the last-level cache, which the run before
	// may have left full of lines to write.
	tooSlow = 1.5
	// maxScouted is how many ways all scouts of an entry compare at most, besides packed ones.
	maxScouted = 13
)

// newScouts returns the scouts of ways to run the blocks of a large slice. Ways with non-temporal
// stores and ways without have a scout each, so that whole runs decide between them. Ordinary
// stores leave lines in the last-level cache that are written to memory while later blocks run. If
// a turn fills that cache, one scout compares all ways.
func newScouts(list []plan.Candidate) (scouts []*scout) {
	ways := waysOf(list)
	together := tune.ShortTurn*plan.BlockBytes >= plan.ThisHost().L3
	for len(ways) > 0 {
		s, nt := new(scout), ways[0].NonTemporal
		ways = slices.DeleteFunc(ways, func(w *Way) bool {
			included := together || w.NonTemporal == nt
			if included {
				s.ways = append(s.ways, w)
			}
			return included
		})
		s.tune.Begin(len(s.ways), func(way int) bool { return s.ways[way].NonTemporal }, scoutRounds, tune.ShortTurn)
		scouts = append(scouts, s)
	}
	return scouts
}

// wayInTurn returns the way of the next block that is told to s. It may not be prepared. The caller
// holds mu.
func (s *scout) wayInTurn() *Way { return s.ways[s.tune.NextWay()] }

// nextWay returns wayInTurn, ready to run. The caller holds mu.
func (s *scout) nextWay(e *Entry) *Way { return e.prepare(s.wayInTurn(), nil) }

// compare runs a slice and tells scout i of e how long blocks take. It returns how long all blocks
// took, or would take. When the ways of the scout turn out to be far slower than those of the
// fastest scout, the rest of the blocks is for that one. The run is the one that is timed.
func (e *Entry) compare(ctx context.Context, i int, c *call, parallel bool) (took int64, err error) {
	s, best, filled := e.learner.scouts[i], e.learner.tune.Best(), plan.ThisHost().L3
	var rival *scout
	if best != i && best < len(e.learner.scouts) {
		rival = e.learner.scouts[best]
	}
	step, _ := clocked()
	whole := int64(0)
	for block, count := int64(0), int64(1); block < count && err == nil; block++ {
		e.learner.mu.Lock()
		w := s.nextWay(e)
		e.learner.mu.Unlock()
		goroutines := e.goroutines(w, parallel)
		blocks, slots := w.InBlocks(goroutines)
		e.note(w)
		began := nanotime()
		err = w.shareParts(ctx, block*slots, min((block+1)*slots, w.Slots()), goroutines, c)
		passed := nanotime() - began
		e.learner.mu.Lock()
		switch {
		case err != nil:
			s.tune.Drop()
		case passed < minSteps*step:
			s.tune.Stop()
		default:
			scaled := int64(float64(passed) * float64(plan.BlockBytes) / float64(w.BlockBytes(block, slots)))
			s.tune.Add(scaled)
			s.shortest = min(scaled, cmp.Or(s.shortest, scaled))
		}
		e.learner.mu.Unlock()
		took += passed
		filled -= w.BlockBytes(block, slots)
		if rival != nil && filled <= 0 && float64(s.shortest) > tooSlow*float64(rival.shortest) {
			whole, s, rival = took/(block+1)*blocks, rival, nil
		}
		count = blocks
	}
	e.learner.mu.Lock()
	defer e.learner.mu.Unlock()
	for i, s := range e.learner.scouts {
		e.learner.ways[i] = s.ways[s.tune.Best()]
	}
	return cmp.Or(whole, took), err
}
