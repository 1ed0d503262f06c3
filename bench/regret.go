package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/seed2e45c115/dml/slice1"
)

// self is the name of the library's own choice once more: its ratio to dml is noise.
const self = "itself"

// outcome is what the contenders of a random slice did.
type outcome struct {
	name   string // seed and number
	desc   *slice1.Desc
	bytes  int                // of output elements
	ns     float64            // of dml, in the race
	winner string             // the fastest reference of the first pass
	regret float64            // time of dml over that of the winner, in the race
	floor  float64            // time of dml over that of itself, in the race
	others map[string]float64 // time of dml over that of each peer and of the other checkout
	nest   string             // what the plan says of itself
}

// firstPass is the pace of the first pass, which looks for the best reference. The second pass
// races that.
var firstPass = pace{rounds: 4, sample: 200 * time.Microsecond, settle: time.Millisecond}

// hopeless and near bound times of the first pass. It times a contender more than twice if the
// lesser of the first two times is at most hopeless times the least of all. A peer, or the other
// checkout, is raced if its least time is at most near times that of dml.
const (
	hopeless = 4
	near     = 3
)

// regret measures the library's choice for a random slice against references: each
// kernel by name, the candidates that the planner did not choose, and the other checkout. It
// measures the peers as well, which are no references.
func (m *meter) regret(d *slice1.Desc) (*outcome, error) {
	s, err := m.slicing(d)
	if err != nil {
		return nil, err
	}
	plan, err := slice1.NewPlan(d, slice1.WithParallelism(1), m.own)
	if err != nil {
		return nil, err
	}
	cs, err := s.references(plan)
	if err != nil {
		return nil, err
	}
	others, err := m.others(s)
	if err != nil {
		return nil, err
	}
	cs = append(cs, others...)
	if err := checkOutputs(cs, s.want()); err != nil {
		return nil, err
	}
	first, err := heat(cs, firstPass)
	if err != nil {
		return nil, err
	}
	o := &outcome{desc: d, bytes: s.bytes(), others: map[string]float64{}, nest: plan.String()}
	return o, o.race(cs, first, m.pace)
}

// references returns dml, dml once more by the name of itself, each kernel by name, and each
// candidate that the plan did not choose.
func (s *slicing) references(p *slice1.Plan) (cs []contender, err error) {
	choices := append([]choice{{dml, s.own}, {self, s.own}}, kernelChoices()...)
	for _, c := range append(choices, candidates(p)...) {
		made, err := s.plan(c.name, c.option, slice1.WithParallelism(1))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		cs = append(cs, made)
	}
	return cs, nil
}

// heat returns the least time of each contender, in nanoseconds per slice. It times hopeless ones
// twice and the others p.rounds times. Once is not enough, since another process may have none of
// its memory yet.
func heat(cs []contender, p pace) (least []float64, err error) {
	rest := p.rounds - 2
	p.rounds, p.limit = 2, time.Hour
	_, ns, err := interleave(cs, p)
	if err != nil {
		return nil, err
	}
	for i := range cs {
		least = append(least, slices.Min(ns[i]))
	}
	best := slices.Min(least)
	var left []contender
	var at []int
	for i, c := range cs {
		if least[i] <= hopeless*best {
			left, at = append(left, c), append(at, i)
		}
	}
	p.rounds = rest
	_, ns, err = interleave(left, p)
	if err != nil {
		return nil, err
	}
	for k, i := range at {
		least[i] = min(least[i], slices.Min(ns[k]))
	}
	return least, nil
}

// race measures by turns dml, itself, the best of the references, and those of the peers and the
// other checkout that are near, and sets o by their times. first has the times of the first pass,
// which o.others takes for those that are not near.
func (o *outcome) race(cs []contender, first []float64, p pace) error {
	best := -1
	for i, c := range cs {
		if c.name != dml && c.name != self && !isPeer(c.name) && (best < 0 || first[i] < first[best]) {
			best = i
		}
	}
	racers := []contender{cs[0], cs[1], cs[best]}
	for i, c := range cs {
		switch {
		case !isPeer(c.name) && c.name != against:
		case i != best && first[i] <= near*first[0]:
			racers = append(racers, c)
		default:
			o.others[c.name] = first[0] / first[i]
		}
	}
	_, ns, err := interleave(racers, p)
	if err != nil {
		return err
	}
	o.ns, o.winner = median(ns[0]), cs[best].name
	o.floor, o.regret = ratio(ns[0], ns[1]), ratio(ns[0], ns[2])
	for i, c := range racers[2:] {
		if isPeer(c.name) || c.name == against {
			o.others[c.name] = ratio(ns[0], ns[2+i])
		}
	}
	return nil
}

// runRegret races the random slices of every seed and prints the report. If the options name a
// directory, it writes the slices and the ratios there.
func runRegret(o *options, m *meter, stdout io.Writer) error {
	bar := newProgress(len(o.seeds) * o.slices)
	var all []*outcome
	for _, seed := range o.seeds {
		drawn := randomSlices(seed, o.slices)
		if err := writeSlices(o.out, seed, drawn); err != nil {
			return err
		}
		for i, d := range drawn {
			bar.Add(1)
			found, err := m.regret(d)
			name := fmt.Sprintf("%d-%d", seed, i)
			if err != nil {
				return fmt.Errorf("slice %s: %w", name, err)
			}
			found.name = name
			all = append(all, found)
		}
		bar.Clear()
		printRegrets(stdout, fmt.Sprint("seed ", seed), all[len(all)-len(drawn):])
	}
	bar.Finish()
	if len(o.seeds) > 1 {
		printRegrets(stdout, "all", all)
	}
	printOthers(stdout, all)
	printWorst(stdout, all, 10)
	if o.out == "" {
		return nil
	}
	return writeFile(filepath.Join(o.out, "regret.tsv"), func(w io.Writer) error { return writeOutcomes(w, all) })
}

// writeSlices writes the slices of a seed to a file in dir, unless dir is "".
func writeSlices(dir string, seed uint64, drawn []*slice1.Desc) error {
	if dir == "" {
		return nil
	}
	return writeFile(filepath.Join(dir, fmt.Sprintf("slices-%d.txt", seed)), func(w io.Writer) error {
		for i, d := range drawn {
			if err := writeDrive(w, fmt.Sprintf("%d-%d", seed, i), d); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeFile creates a file, and its directory if it does not exist, and writes it by a function.
func writeFile(name string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
