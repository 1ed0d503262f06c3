package slice1

import (
	"container/list"
	"sync"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// maxShapes is the number of rankings that are remembered at most.
const maxShapes = 1024

// shape is what plans must have in common to share a ranking.
type shape struct {
	nest      nest.Nest    // its offsets are 0
	kernels   plan.Kernels // that the plan may use
	workers   int          // goroutines
	streaming int64        // as in config
}

func shapeOf(p *Plan, c config) shape {
	s := shape{kernels: p.work.Kernels, workers: p.workers(), streaming: c.streaming}
	s.nest.Width, s.nest.Rank = p.nest.Width, p.nest.Rank
	copy(s.nest.Dims[:], p.nest.Dims[:p.nest.Rank])
	return s
}

// rankings remembers the rankings of the maxShapes shapes that were used last.
type rankings struct {
	mu  sync.Mutex
	of  map[shape]*list.Element // elements of all
	all list.List               // of *remembered, most recently used first
}

type remembered struct {
	shape
	ranking []plan.Candidate
}

// get returns the ranking of a shape, which it counts as used, or nil if there is none.
func (r *rankings) get(s *shape) []plan.Candidate {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.of[*s]
	if e == nil {
		return nil
	}
	r.all.MoveToFront(e)
	return e.Value.(*remembered).ranking
}

// put stores the ranking of a shape. If there are then more than maxShapes, put drops the one
// that was unused for longest.
func (r *rankings) put(s *shape, ranking []plan.Candidate) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = map[shape]*list.Element{}
	}
	if e := r.of[*s]; e != nil {
		r.all.Remove(e)
	}
	r.of[*s] = r.all.PushFront(&remembered{*s, ranking})
	if r.all.Len() > maxShapes {
		last := r.all.Remove(r.all.Back()).(*remembered)
		delete(r.of, last.shape)
	}
}
