package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/seed2e45c115/dml/slice1"
)

// outcome is what was measured of a random slice. Ratios are of times.
type outcome struct {
	seed, number int
	cold         bool // with buffers in rotation
	desc         *slice1.Desc
	bytes        int                // of output elements
	ns           float64            // of the choice, in the race
	times        map[string]float64 // ns of each candidate, in the first pass
	winner       string             // the fastest candidate of the first pass
	chosen       string             // the candidate that the choice has settled on
	regret       float64            // of the choice and the winner, in the race
	floor        float64            // of the choice and itself, in the race
	against      float64            // of the choice and the other checkout's fastest candidate, in the race; 0: there is none
	learned      []int64            // ns of the first runs
	fixed        []int64            // ns of as many runs without learning
	more         int                // how many more runs the choice took to settle
}

// firstPass is the pace of the first pass, which looks for the best candidate. The second pass races that.
var firstPass = pace{rounds: 4, sample: 200 * time.Microsecond, settle: time.Millisecond}

// hopeless bounds times of the first pass, as multiples of the least of all. A contender whose first two times
// are above it is not timed again.
const hopeless = 4

// regret measures the library's choice for a slice after its first runs, and the candidates of this library and
// of the other checkout.
func (m *meter) regret(d *slice1.Desc, cold bool) (*outcome, error) {
	setup := order{Desc: toWire(d), Cold: cold}
	cs, err := m.here.contenders(setup)
	if err != nil {
		return nil, err
	}
	a, err := m.here.do(order{Op: "learn"})
	if err != nil {
		return nil, err
	}
	o := &outcome{cold: cold, desc: d, bytes: d.Input.DataType.Size() * elementsOf(d), chosen: a.Chosen,
		learned: a.Learned, fixed: a.Fixed, more: a.More, times: map[string]float64{}}
	least, err := m.here.heat(cs)
	if err != nil {
		return nil, err
	}
	for i, c := range cs[2:] {
		o.times[c.name] = least[i+2]
	}
	best := 2 + fastest(least[2:])
	racers := []contender{cs[0], cs[1], cs[best]}
	o.winner = cs[best].name
	if m.against != nil {
		if cs, err = m.against.contenders(setup); err != nil {
			return nil, err
		}
		if least, err = m.against.heat(cs[2:]); err != nil {
			return nil, err
		}
		racers = append(racers, cs[2+fastest(least)])
	}
	return o, o.race(racers, m.pace)
}

func fastest(ns []float64) int { return slices.Index(ns, slices.Min(ns)) }

// heat checks the outputs of contenders of p, and returns the least time of each, in nanoseconds per slice. It
// times hopeless ones twice.
func (p *process) heat(cs []contender) (least []float64, err error) {
	want, err := p.do(order{Op: "want"})
	if err != nil {
		return nil, err
	}
	if err := checkOutputs(cs, want.Sum); err != nil {
		return nil, err
	}
	return heat(cs, firstPass)
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

// race measures by turns the choice, itself, the best candidate, and that of the other checkout if there is
// one, and sets o by their times.
func (o *outcome) race(racers []contender, p pace) error {
	_, ns, err := interleave(racers, p)
	if err != nil {
		return err
	}
	o.ns, o.floor, o.regret = median(ns[0]), ratio(ns[0], ns[1]), ratio(ns[0], ns[2])
	if len(ns) > 3 {
		o.against = ratio(ns[0], ns[3])
	}
	return nil
}

// onceRuns is how often the best candidate of a slice that runs once is timed before Copy, and after it.
const onceRuns = 3

// once measures a slice that Copy runs once, on cold buffers, and the best candidate right before and after.
// The floor compares a run of the best candidate with others of its runs.
func (m *meter) once(d *slice1.Desc) (*outcome, error) {
	setup := order{Desc: toWire(d), Cold: true}
	cs, err := m.here.contenders(setup)
	if err != nil {
		return nil, err
	}
	least, err := m.here.heat(cs[2:])
	if err != nil {
		return nil, err
	}
	winner := cs[2+fastest(least)].name
	setup.Once = true
	if cs, err = m.fresh.contenders(setup); err != nil {
		return nil, err
	}
	best := m.fresh.contender(winner)
	var ns []float64
	for _, c := range slices.Concat(slices.Repeat([]contender{best}, onceRuns), cs, slices.Repeat([]contender{best}, onceRuns+1)) {
		took, err := c.run(turn{Reps: 1})
		if err != nil {
			return nil, err
		}
		ns = append(ns, float64(took.Nanoseconds()))
	}
	took := ns[onceRuns]
	usual := median(slices.Concat(ns[1:onceRuns], ns[onceRuns+2:]))
	return &outcome{cold: true, desc: d, bytes: d.Input.DataType.Size() * elementsOf(d), ns: took, winner: winner, chosen: oneShot,
		regret: took / usual, floor: ns[onceRuns+1] / usual}, nil
}

// runRegret races the random slices of every seed and prints the report. If the options name a
// directory, it writes the slices, the outcomes and the times of all candidates there.
func runRegret(o *options, m *meter, stdout io.Writer) error {
	bar := newProgress(len(o.seeds) * o.slices)
	var all []*outcome
	for _, seed := range o.seeds {
		limits := usualSlices
		if o.once {
			limits = onceSlices
		}
		drawn := randomSlices(seed, o.slices, limits)
		if err := writeSlices(o.out, seed, drawn); err != nil {
			return err
		}
		for i, d := range drawn {
			bar.Add(1)
			measure := func() (*outcome, error) { return m.regret(d, i%2 == 1) }
			if o.once {
				measure = func() (*outcome, error) { return m.once(d) }
			}
			found, err := measure()
			if err != nil {
				return fmt.Errorf("slice %d-%d: %w", seed, i, err)
			}
			found.seed, found.number = int(seed), i
			all = append(all, found)
		}
	}
	bar.Finish()
	printRegrets(stdout, all)
	printWorst(stdout, all, 10)
	if o.out == "" {
		return nil
	}
	return errors.Join(
		writeFile(filepath.Join(o.out, "regret.txt"), func(w io.Writer) error { return writeOutcomes(w, all) }),
		writeFile(filepath.Join(o.out, "hot.jsonl"), func(w io.Writer) error { return writeTimes(w, all, false) }),
		writeFile(filepath.Join(o.out, "cold.jsonl"), func(w io.Writer) error { return writeTimes(w, all, true) }))
}

// writeTimes writes a line of JSON for each slice with hot or cold buffers: its loops as a nest, and the
// nanoseconds of each candidate. The planner's costs are fitted to such lines.
func writeTimes(w io.Writer, all []*outcome, cold bool) error {
	type dim struct{ Extent, Src, Dst int }
	type nest struct {
		Rank, Width, SrcOff int
		Dims                []dim
	}
	to := json.NewEncoder(w)
	for _, o := range all {
		if o.cold != cold {
			continue
		}
		axes, _ := axesOf(o.desc)
		n := nest{Width: o.desc.Input.DataType.Size()}
		for _, a := range join(axes) {
			n.Dims = append(n.Dims, dim{a.n, a.src * n.Width, a.dst * n.Width})
			n.SrcOff += max(0, -a.src*n.Width*(a.n-1))
			n.Rank++
		}
		if err := to.Encode(map[string]any{"Nest": n, "NS": o.times}); err != nil {
			return err
		}
	}
	return nil
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
	return errors.Join(write(f), f.Close())
}
