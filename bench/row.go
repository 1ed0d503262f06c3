package main

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"golang.org/x/perf/benchmath"

	"github.com/seed2e45c115/dml/slice1"
)

// size is a target for bytes of output.
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
	width    int
	size     size
	parallel []int // limits of goroutines to compare; nil compares contenders
}

// row is a cell, measured.
type row struct {
	cell
	desc    *slice1.Desc
	bytes   int       // of output
	touched int       // bytes of cache lines
	roof    []float64 // ns of the roofline by round
	results []result
}

// result is one contender's part of a row.
type result struct {
	name, chosen string
	peer         bool
	reps         int       // slices per round
	ns           []float64 // per slice, by round
}

// find returns the result of this name, or nil.
func (r *row) find(name string) *result {
	for i := range r.results {
		if r.results[i].name == name {
			return &r.results[i]
		}
	}
	return nil
}

// best returns the fastest peer, or nil.
func (r *row) best() (best *result) {
	for i := range r.results {
		if c := &r.results[i]; c.peer && (best == nil || median(c.ns) < median(best.ns)) {
			best = c
		}
	}
	return best
}

// rate returns GB/s of output for a time of a row's slice.
func (r *row) rate(ns float64) float64 { return float64(r.bytes) / ns }

// ratio returns how many times as fast as a is b.
func ratio(a, b []float64) float64 {
	ratios := make([]float64, len(a))
	for i := range a {
		ratios[i] = a[i] / b[i]
	}
	return median(ratios)
}

func median(v []float64) float64 { return summary(v).Center }

// summary returns the median and its confidence interval, as benchstat has them.
// The sample is a copy, since it is sorted, and times belong to their rounds.
func summary(v []float64) benchmath.Summary {
	return benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(v), &benchmath.DefaultThresholds), 0.95)
}

// meter measures cells.
type meter struct {
	buffers
	pace
	wanted  []string      // contenders; nil is all
	own     slice1.Option // of dml's plans
	peers   *process      // in Python; nil: none
	inC     []*peerInC    // peers in C
	which   peerFlag      // of the peers take part
	here    *process      // this library's choice in a process like that of against; nil: in this process
	against *process      // nil: none
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

// slicing is newSlicing on the meter's buffers, with its option.
func (m *meter) slicing(d *slice1.Desc) (*slicing, error) {
	s, err := newSlicing(d, &m.buffers)
	if err == nil {
		s.own = m.own
	}
	return s, err
}

// measureDesc measures a slice, by the contenders wanted or, if there are limits
// of goroutines, by dml with each of these.
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
	// The roofline leaves other memory in the caches than a slice, as another process does.
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

// others returns the contenders of the other processes, and those of libraries in C.
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

// checkOutputs has every contender slice once and compares the results.
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
