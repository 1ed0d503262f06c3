package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/seed2e45c115/dml/slice1"
)

// Names of the contenders of a process in Go, besides the names of a plan's candidates.
const (
	baseline = "against" // the choice of another checkout's library, in the process that gives orders
	self     = "itself"  // another plan of the same slice and options: its difference from dml is noise
)

// serve is the loop of a process in Go. It takes orders from r and writes an answer to each
// order to w, until there are no more orders. Before the first order it writes an empty answer.
func serve(r io.Reader, w io.Writer) error {
	runtime.LockOSThread()
	if err := pin(); err != nil {
		return err
	}
	say := json.NewEncoder(w)
	if err := say.Encode(answer{}); err != nil {
		return err
	}
	var s server
	for orders := json.NewDecoder(r); ; {
		var o order
		switch err := orders.Decode(&o); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		reply, err := s.obey(&o)
		if err != nil {
			reply.Error = err.Error()
		}
		if err := say.Encode(reply); err != nil {
			return err
		}
	}
}

// server is what a process in Go keeps for its slice.
type server struct {
	buffers
	arena    []byte // for buffers in rotation
	slicing  *slicing
	choice   *slice1.Plan // the plan that dml runs
	fixed    *slice1.Plan // runs what choice would run without learning
	prepared map[string]contender
}

func (s *server) obey(o *order) (reply answer, err error) {
	switch o.Op {
	case "setup":
		reply.Names, err = s.setup(o)
	case "learn":
		return s.learn(o.Runs, o.SettleRuns)
	case "want":
		reply.Sum = s.slicing.want()
	case "sum", "run":
		c, err := s.contender(o.Name)
		if err != nil {
			return reply, err
		}
		if o.Op == "sum" {
			reply.Sum, err = c.sum()
			return reply, err
		}
		took, err := c.run(o.turn)
		return answer{NS: took.Nanoseconds()}, err
	default:
		err = fmt.Errorf("no order %q", o.Op)
	}
	return reply, err
}

// setup prepares the slice of an order and returns the names of its contenders: the choice, the
// choice once more, and the candidates that the planner compared.
func (s *server) setup(o *order) (names []string, err error) {
	if s.slicing, err = newSlicing(o.Desc, &s.buffers); err != nil {
		return nil, err
	}
	if o.Cold {
		src, dst := s.slicing.steps()
		if n := max(rotation, 2*(src+dst)); len(s.arena) < n {
			s.arena = nil
			s.arena = arena(n, 0)
			fill(s.arena)
		}
		s.slicing.rotate(s.arena)
	}
	// The library shares what a shape has learned from the second plan on.
	var plans [3]*slice1.Plan
	for i := range plans {
		if plans[i], err = slice1.NewPlan(s.slicing.desc, slice1.WithParallelism(1)); err != nil {
			return nil, err
		}
	}
	s.choice = plans[1]
	s.prepared = map[string]contender{dml: s.slicing.running(dml, plans[1]), self: s.slicing.running(self, plans[2])}
	names = []string{dml, self}
	for _, c := range s.choice.Candidates() {
		names = append(names, c.Name)
	}
	s.fixed, err = slice1.NewPlan(s.slicing.desc, slice1.WithCandidate(chosenBy(s.choice)), slice1.WithParallelism(1))
	return names, err
}

// contender returns the contender with a name. If setup has not prepared it, the name is a
// candidate's.
func (s *server) contender(name string) (c contender, err error) {
	c, ok := s.prepared[name]
	if !ok {
		if c, err = s.slicing.plan(name, slice1.WithCandidate(name)); err == nil {
			s.prepared[name] = c
		}
	}
	return c, err
}

// A plan is timed after firstRuns runs, or after largeRuns if its output has size L. It has settled
// if it has chosen the same candidate for steady runs in a row, and for so many nanoseconds of runs
// as still says. Between turns of learning there are fewer. To settle it gets at most patience runs
// after the first ones, and at most timeLimit. The choice is looked at after as many runs as
// a turn has, since each look takes the caches from the plan.
const (
	firstRuns = 128
	largeRuns = 16
	steady    = 320
	still     = 500_000
	turnRuns  = 4
	patience  = 16384
	timeLimit = 3 * time.Second
)

// learn runs the plan so many times. It also runs what the plan would run without learning as
// often, half before and half after. Then the plan runs until it has settled, or `limit` times. The
// answer has the nanoseconds of each of the first runs, and of as many at the end, and how many of
// the runs between them the plan took to settle.
func (s *server) learn(runs, limit int) (reply answer, err error) {
	began := time.Now()
	clock := func() time.Duration { return time.Since(began) }
	if s.slicing.bytes() > 1<<20 {
		clock = cpuTime // It takes as long as a small slice.
	}
	reading := time.Duration(math.MaxInt64) // To read the clock takes as long as a tiny slice.
	for range 64 {
		start := clock()
		reading = min(reading, clock()-start)
	}
	runPlan := func(p *slice1.Plan, runs int, ns *[]int64) {
		for range runs {
			s.slicing.advance()
			start := clock()
			err = errors.Join(err, p.Run(s.slicing.dst, s.slicing.src))
			*ns = append(*ns, max(1, clock()-start-reading).Nanoseconds())
		}
	}
	var ignored []int64
	runPlan(s.fixed, 1, &ignored)
	runPlan(s.fixed, runs/2, &reply.Fixed)
	runPlan(s.choice, runs, &reply.Learned)
	runPlan(s.fixed, runs-runs/2, &reply.Fixed)
	reply.Chosen = chosenBy(s.choice)
	unchanged, took := 0, int64(0) // runs since the choice changed, and their nanoseconds
	for end := time.Now().Add(timeLimit); (unchanged < steady || took < still) && reply.SettleRuns < limit && time.Now().Before(end); reply.SettleRuns += turnRuns {
		ignored = ignored[:0]
		runPlan(s.choice, turnRuns, &ignored)
		unchanged += turnRuns
		for _, ns := range ignored {
			took += ns
		}
		if chosen := chosenBy(s.choice); chosen != reply.Chosen {
			reply.Chosen, unchanged, took = chosen, 0, 0
		}
	}
	reply.SettleRuns -= unchanged
	runPlan(s.choice, runs, &reply.Settled)
	return reply, err
}

func chosenBy(p *slice1.Plan) string {
	cs := p.Candidates()
	return cs[slices.IndexFunc(cs, func(c slice1.Candidate) bool { return c.Chosen })].Name
}
