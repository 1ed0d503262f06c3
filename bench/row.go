package main

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"golang.org/x/perf/benchmath"

	"github.com/seed2e45c115/dml/slice1"
)

// size is about how many bytes of output a slice is to have, and its name in the table.
type size struct {
	label string
	bytes int
}

var (
	sizeS = size{"S", 4 << 10}
	sizeM = size{"M", 512 << 10}
	sizeL = size{"L", 256 << 20}
)

func sizeOf(bytes int) size { return size{strconv.Itoa(bytes), bytes} }

// cell is what a row measures.
type cell struct {
	work     work
	width    int // bytes of an element
	size     size
	parallel []int // limits of goroutines to compare; nil compares contenders
}

// row is a cell with its times.
type row struct {
	cell
	desc    *slice1.Desc
	bytes   int       // of output elements
	touched int       // bytes of the cache lines that the slice touches, read and written together
	roof    []float64 // ns of the roofline in each round
	results []result
}

// result is one contender's part of a row.
type result struct {
	name, chosen string
	peer         bool
	reps         int       // slices per round
	ns           []float64 // per slice, in each round
}

// find returns the result of this name, or nil if there is none.
func (r *row) find(name string) *result {
	for i := range r.results {
		if r.results[i].name == name {
			return &r.results[i]
		}
	}
	return nil
}

// best returns the result of the fastest peer, or nil if the row has no peer.
func (r *row) best() (best *result) {
	for i := range r.results {
		if c := &r.results[i]; c.peer && (best == nil || median(c.ns) < median(best.ns)) {
			best = c
		}
	}
	return best
}

// rate returns GB/s of output if the row's slice takes ns nanoseconds.
func (r *row) rate(ns float64) float64 { return float64(r.bytes) / ns }

// ratio returns how many times as fast b is as a, which are times by round: the median of the
// ratios within each round.
func ratio(a, b []float64) float64 {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	return median(ratios)
}

func median(v []float64) float64 { return summary(v).Center }

// summary returns the median and its 95 % confidence interval, as benchstat computes them. It gives
// benchmath a copy, since that sorts the times, which belong to their rounds.
func summary(v []float64) benchmath.Summary {
	return benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(v), &benchmath.DefaultThresholds), 0.95)
}

// meter measures cells.
type meter struct {
	buffers
	pace
	wanted  []string      // contenders of this process; nil is all
	own     slice1.Option // of dml's plans
	peers   *process      // Python, for the peers there; nil: none
	inC     []*peerInC    // peers in C
	which   peerFlag      // the peers that take part
	here    *process      // where this library's choice runs, as against does; nil: in this process
	against *process      // where the other checkout's choice runs; nil: there is no other checkout
}

func (m *meter) measure(c cell) (*row, error) {
	d, err := c.work.desc(c.width, c.size.bytes)
	if err != nil {
		return nil, err
	}
	r, err := m.measureDesc(d, c.parallel)
	if err != nil {
		return nil, err
	}
	r.cell = c
	return r, nil
}

// slicing is newSlicing on the meter's buffers, with m.own as the option of dml's plans.
func (m *meter) slicing(d *slice1.Desc) (*slicing, error) {
	s, err := newSlicing(d, &m.buffers)
	if err == nil {
		s.own = m.own
	}
	return s, err
}

// measureDesc checks and times a slice, by the contenders wanted or, if parallel is not nil, by
// dml with each of these limits of goroutines.
func (m *meter) measureDesc(d *slice1.Desc, parallel []int) (*row, error) {
	s, err := m.slicing(d)
	if err != nil {
		return nil, err
	}
	r := &row{desc: d, bytes: s.bytes()}
	n := roofBytes(d, len(s.src), len(s.dst))
	r.touched = 2 * n
	m.reach(n, n)
	if s, err = m.slicing(d); err != nil { // reach may have moved the arenas
		return nil, err
	}

	var cs []contender
	if parallel != nil {
		cs, err = s.scaled(parallel)
	} else {
		cs, err = s.contenders(m.wanted)
	}
	if err != nil {
		return nil, err
	}
	if parallel == nil {
		more, err := m.others(s)
		if err != nil {
			return nil, err
		}
		cs = append(cs, more...)
	}
	if err := checkOutputs(cs, s.want()); err != nil {
		return nil, err
	}
	// The roofline leaves other memory in the caches than a slice does. So it counts as another
	// process, after which contenders settle.
	roof := contender{home: new(process), run: func(t turn) (time.Duration, error) {
		roofCopies(m.dst[:n], m.src[:n], t.Warm)
		return timed(func() error {
			roofCopies(m.dst[:n], m.src[:n], t.Reps)
			return nil
		})
	}}
	reps, ns, err := interleave(append([]contender{roof}, cs...), m.pace)
	if err != nil {
		return nil, err
	}
	r.roof = ns[0]
	for i, c := range cs {
		r.results = append(r.results, result{c.name, c.chosen, isPeer(c.name), reps[i+1], ns[i+1]})
	}
	return r, nil
}

// others returns the contenders that can do the slicing in other processes, and the peers in C
// that can.
func (m *meter) others(s *slicing) (cs []contender, err error) {
	for _, other := range []struct {
		*process
		order
	}{
		{m.here, order{Name: dml, Desc: toWire(s.desc)}},
		{m.against, order{Name: against, Desc: toWire(s.desc)}},
		{m.peers, order{task: s.task()}},
	} {
		if other.process == nil {
			continue
		}
		more, err := other.contenders(other.order)
		if err != nil {
			return nil, err
		}
		for _, c := range more {
			if !isPeer(c.name) || m.which.wants(c.name) {
				cs = append(cs, c)
			}
		}
	}
	for _, l := range m.inC {
		if c, ok := l.contender(s); ok {
			cs = append(cs, c)
		}
	}
	return cs, nil
}

// checkOutputs has every contender slice once. It returns an error if the CRC-32 of a destination
// is not want.
func checkOutputs(cs []contender, want uint32) error {
	for _, c := range cs {
		got, err := c.sum()
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if got != want {
			return fmt.Errorf("%s: the output is wrong", c.name)
		}
	}
	return nil
}
