package engine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/exec"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
)

// Whoever asks an entry or the process about itself changes nothing and waits for no run.

// Upcoming returns the way that a run takes if it begins at once. It waits for no run, and changes
// nothing: the way may not be prepared yet, see Described.
func (e *Entry) Upcoming() *Way {
	if w := e.settled.Load(); w != nil {
		return w
	}
	if e.learner.rest.Load() > 0 || e.learner.turn.Load() {
		return e.learner.best.Load()
	}
	if w := e.learner.upcoming.Load(); w != nil {
		return w
	}
	e.learner.mu.Lock()
	defer e.learner.mu.Unlock()
	return e.wayInTurn()
}

// Described returns w, or if it is not prepared a copy that is. The entry stays as it is, so that
// who asks about it does not change what it learns.
func (e *Entry) Described(w *Way) *Way {
	if e.learner == nil {
		return w
	}
	e.learner.mu.Lock()
	prepared := w.prepared
	e.learner.mu.Unlock()
	if prepared {
		return w
	}
	return &Way{Candidate: w.Candidate, Executable: exec.Prepare(&e.problem, w.Candidate, &e.pieces, nil)}
}

// Kind names what the way, which is prepared, does with each row.
func (w *Way) Kind() string {
	switch {
	case w.Stages != 0:
		return w.Stages.String()
	case w.Kernel == plan.Go:
		return portable.Class(&w.Pieces().Shapes[0])
	}
	return w.Candidate.Kind.String()
}

// Candidates returns the ways to run the problem: first the measured ones, then the others, each
// group from the cheapest on. It also returns how many are measured, and which one is Upcoming. It
// plans anew, and waits for no run.
func (e *Entry) Candidates() (ways []plan.Candidate, measured int, upcoming plan.Candidate) {
	timed := e.Known()
	upcoming = e.Upcoming().Candidate
	estimated := slices.DeleteFunc(host(&e.problem).EveryWay(&e.problem), func(c plan.Candidate) bool {
		return slices.ContainsFunc(timed, c.SameWay) || !c.SameWay(upcoming) && !e.problem.Stores.Allow(c)
	})
	if !slices.ContainsFunc(timed, upcoming.SameWay) && !slices.ContainsFunc(estimated, upcoming.SameWay) { // its kind fits the first choice's parts alone
		estimated = append(estimated, upcoming)
		slices.SortStableFunc(estimated, func(x, y plan.Candidate) int { return cmp.Compare(x.Cost, y.Cost) })
	}
	return slices.Concat(timed, estimated), len(timed), upcoming
}

// Known returns the ways that have been measured so far, the fastest first, like times. It waits
// for no run.
func (e *Entry) Known() []plan.Candidate {
	if e.learner == nil {
		return nil
	}
	e.learner.mu.Lock()
	defer e.learner.mu.Unlock()
	if e.settled.Load() != nil {
		return e.learner.measured
	}
	return e.times()
}

// entryNamed returns a new entry of p that has only the candidate with a name. It looks among the
// candidates of all kernels of the problem, then among those of each kernel alone. If no candidate
// has the name, the error is ErrKernel.
func entryNamed(p *plan.Problem, name string) (*Entry, error) {
	among := []plan.Kernels{p.Kernels}
	for _, k := range Kernels() {
		if p.Kernels.Contains(k.number) {
			among = append(among, plan.OneKernel(k.number))
		}
	}
	for _, rule := range [...]plan.Stores{p.Stores, {Cached: true}, {Cached: true, NonTemporal: true}} { // the stores decide how a slice is cut
		for _, among := range among {
			alone := *p
			alone.Kernels, alone.Stores = among, rule
			for _, c := range host(&alone).EveryWay(&alone) {
				if c.String() == name {
					return newEntry(alone, c), nil
				}
			}
		}
	}
	return nil, fmt.Errorf("slice1: %w: this plan has no candidate %q", ErrKernel, name)
}

// CheckEnvironment returns the error of every slice that names no kernel, if the environment makes
// one.
func CheckEnvironment() error {
	_, err := thisProcess().allowed(&Settings{})
	return err
}

// KernelOf returns the kernel that makes colours: the one that plan.Kernels.Strongest returns of
// those that s allows.
func KernelOf(s *Settings) (plan.Kernel, error) {
	kernels, err := thisProcess().allowed(s)
	if err != nil {
		return plan.Go, err
	}
	return kernels.Strongest(), nil
}
