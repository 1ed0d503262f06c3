package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/seed2e45c115/dml/slice1"
)

// outcome is what was measured for a random slice. Ratios are ratios of times.
type outcome struct {
	name       string // its seed and number
	large      bool   // whether its output has size L
	buffers    string // "hot" for one pair, "cold" for rotation
	desc       *slice1.Desc
	ns         float64            // the choice's time in the race
	times      map[string]float64 // ns of each candidate in the first pass
	winner     string             // the fastest candidate of the first pass
	chosen     string             // the candidate that the choice has settled on
	regret     float64            // of the choice to the winner, in the race
	floor      float64            // of the choice to itself, in the race
	ratio      float64            // of the choice to the other checkout's fastest candidate, in the race; 0: there is none
	learned    []int64            // ns of the first runs
	fixed      []int64            // ns of as many runs without learning
	settled    []int64            // ns of as many runs of the settled plan
	settleRuns int                // how many more runs the choice took to settle
}

// largeLimit bounds the time of a large slice's race.
const largeLimit = 2 * time.Second

// record returns the name of the record that the outcome belongs to.
func (o *outcome) record() string {
	if o.large {
		return "large"
	}
	return o.buffers
}

// regret measures the library's choice for a slice after its first runs, and the candidates of this
// library and of the other checkout. For a large slice the plan gets no more runs to settle.
func (m *meter) regret(d *slice1.Desc, cold, large bool) (*outcome, error) {
	learn, race := order{Op: "learn", Runs: cmp.Or(m.runs, firstRuns), SettleRuns: patience}, m.pace
	if large {
		learn.Runs, learn.SettleRuns, race.limit = cmp.Or(m.runs, largeRuns), 0, largeLimit
	}
	setup := order{Desc: d, Cold: cold}
	cs, err := m.home.contenders(setup)
	if err != nil {
		return nil, err
	}
	reply, err := m.home.send(learn)
	if err != nil {
		return nil, err
	}
	o := &outcome{large: large, buffers: "hot", desc: d, chosen: reply.Chosen, learned: reply.Learned, fixed: reply.Fixed, settled: reply.Settled, settleRuns: reply.SettleRuns, times: map[string]float64{}}
	if cold {
		o.buffers = "cold"
	}
	shortest, err := m.home.heat(cs)
	if err != nil {
		return nil, err
	}
	for i, c := range cs[2:] {
		o.times[c.name] = shortest[i+2]
	}
	best := 2 + fastest(shortest[2:])
	racers := []contender{cs[0], cs[1], cs[best]}
	o.winner = cs[best].name
	if m.baseline != nil {
		if cs, err = m.baseline.contenders(setup); err != nil {
			return nil, err
		}
		if shortest, err = m.baseline.heat(cs[2:]); err != nil {
			return nil, err
		}
		racers = append(racers, cs[2+fastest(shortest)])
	}
	_, ns, err := interleave(racers, race)
	if err != nil {
		return nil, err
	}
	o.ns, o.floor, o.regret = median(ns[0]), ratio(ns[0], ns[1]), ratio(ns[0], ns[2])
	if m.baseline != nil {
		o.ratio = ratio(ns[0], ns[3])
	}
	return o, nil
}

func fastest(ns []float64) int { return slices.Index(ns, slices.Min(ns)) }

// heat checks the outputs of contenders of p, and returns the least time of each, in nanoseconds
// per slice.
func (p *process) heat(cs []contender) (shortest []float64, err error) {
	want, err := p.send(order{Op: "want"})
	if err != nil {
		return nil, err
	}
	if err := checkOutputs(cs, want.Sum); err != nil {
		return nil, err
	}
	_, ns, err := interleave(cs, firstPass)
	for i := range ns {
		shortest = append(shortest, slices.Min(ns[i]))
	}
	return shortest, err
}

// runRegret races the random slices of every seed and prints the report. If the options name a
// directory, it writes the outcomes and the times of all candidates there.
func runRegret(o *options, m *meter, stdout io.Writer) error {
	type sample struct {
		seed   uint64
		letter string // part of the names of its slices; "" for those that are not large
		slices int
		limits limits
	}
	var samples []sample
	for _, seed := range o.seeds {
		samples = append(samples, sample{seed, "", o.slices, usualSlices})
	}
	samples = append(samples, sample{o.seeds[0], "L", o.large, largeSlices()})
	var outcomes []*outcome
	for _, s := range samples {
		for i, d := range randomSlices(s.seed, s.slices, s.limits) {
			name := fmt.Sprintf("%d-%s%d", s.seed, s.letter, i)
			found, err := m.regret(d, i%2 == 1, s.letter != "")
			if err != nil {
				return fmt.Errorf("slice %s: %w", name, err)
			}
			found.name = name
			outcomes = append(outcomes, found)
		}
	}
	printRegrets(stdout, outcomes)
	printWorst(stdout, outcomes, 10)
	if o.dir == "" {
		return nil
	}
	err := writeFile(filepath.Join(o.dir, "regret.txt"), func(w io.Writer) error { return writeOutcomes(w, outcomes) })
	for _, record := range []string{"hot", "cold", "large"} {
		err = errors.Join(err, writeFile(filepath.Join(o.dir, record+".jsonl"), func(w io.Writer) error { return writeTimes(w, outcomes, record) }))
	}
	return err
}

// writeTimes writes a line of JSON for each slice of a record: its loops as a nest, and the
// nanoseconds of each candidate. The planner's costs are fitted to such lines.
func writeTimes(w io.Writer, outcomes []*outcome, record string) error {
	type dim struct{ Extent, Src, Dst int }
	type nest struct {
		Rank, Width, SrcOff int
		Dims                []dim
	}
	encoder := json.NewEncoder(w)
	for _, o := range outcomes {
		if o.record() != record {
			continue
		}
		axes, _ := axesOf(o.desc)
		n := nest{Width: o.desc.Input.DataType.Size()}
		for _, x := range join(axes) {
			n.Dims = append(n.Dims, dim{x.n, x.src * n.Width, x.dst * n.Width})
			n.SrcOff += max(0, -x.src*n.Width*(x.n-1))
			n.Rank++
		}
		if err := encoder.Encode(map[string]any{"Nest": n, "NS": o.times}); err != nil {
			return err
		}
	}
	return nil
}

// spread says how far ratios of at least 1 lie above 1. It has their geometric mean, and the
// percentage of ratios above slowFrom.
type spread struct{ mean, slow float64 }

const slowFrom = 1.15

// spreadOf returns the spread of ratios. It takes ratios below 1 as 1, so a faster slice does not
// make up for a slower one.
func spreadOf(ratios []float64) (s spread) {
	raised := make([]float64, len(ratios))
	for i, r := range ratios {
		if raised[i] = max(1, r); r > slowFrom {
			s.slow += 100 / float64(len(ratios))
		}
	}
	s.mean = geomean(raised)
	return s
}

// minus returns what is left of a spread without its noise, floor.
func (s spread) minus(floor spread) spread { return spread{s.mean / floor.mean, s.slow - floor.slow} }

func geomean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(v)))
}

// percentile returns the least x in v for which at least p percent of v are x or less.
func percentile[T cmp.Ordered](v []T, p float64) T {
	sorted := slices.Sorted(slices.Values(v))
	return sorted[max(0, int(math.Ceil(p/100*float64(len(sorted))))-1)]
}

// bins are ranges of the time of a run, below hi nanoseconds. Then come all slices except the
// large ones, and then the large ones.
var bins = []struct {
	name   string
	lo, hi float64
	large  bool
}{
	{"to-1us", 0, 1e3, false}, {"to-10us", 1e3, 10e3, false}, {"to-100us", 10e3, 100e3, false}, {"to-1ms", 100e3, 1e6, false},
	{"above-1ms", 1e6, math.Inf(1), false}, {"all", 0, math.Inf(1), false}, {"at-L", 0, math.Inf(1), true},
}

// printRegrets prints two lines in Go's benchmark format for the slices of each time of a run, with
// hot and with cold buffers. The iterations of a line are its slices.
func printRegrets(w io.Writer, outcomes []*outcome) {
	for _, buffers := range []string{"hot", "cold"} {
		for _, bin := range bins {
			var list []*outcome
			for _, o := range outcomes {
				if o.large == bin.large && o.buffers == buffers && bin.lo <= o.ns && o.ns < bin.hi {
					list = append(list, o)
				}
			}
			if len(list) > 0 {
				printBin(w, fmt.Sprintf("buffers=%s/run=%s", buffers, bin.name), list)
			}
		}
	}
}

func printBin(w io.Writer, key string, outcomes []*outcome) {
	values := func(figure func(*outcome) float64) (v []float64) {
		for _, o := range outcomes {
			v = append(v, figure(o))
		}
		return v
	}
	noise := spreadOf(values(func(o *outcome) float64 { return o.floor }))
	best := spreadOf(values(func(o *outcome) float64 { return o.regret }))
	excess := best.minus(noise)
	fmt.Fprintf(w, "BenchmarkRegret/%-29s %4d %7.4f best-x %5.1f best-slow-%% %7.4f noise-x %5.1f noise-slow-%% %7.4f above-x %5.1f above-slow-%%",
		key, len(outcomes), best.mean, best.slow, noise.mean, noise.slow, excess.mean, excess.slow)
	if outcomes[0].ratio > 0 {
		old := values(func(o *outcome) float64 { return o.ratio })
		excess := spreadOf(old).minus(noise)
		fmt.Fprintf(w, " %7.4f against-x %7.4f against-above-x %5.1f against-above-slow-%%", geomean(old), excess.mean, excess.slow)
	}
	fmt.Fprintln(w)
	firstRuns := values((*outcome).firstRuns)
	unsettled := 0
	var learned, fixed []float64 // single runs, divided by the slice's median run without learning
	for _, o := range outcomes {
		usual := percentile(o.fixed, 50)
		unsettled += min(1, o.settleRuns)
		for i := range o.learned {
			learned, fixed = append(learned, float64(o.learned[i])/float64(usual)), append(fixed, float64(o.fixed[i])/float64(usual))
		}
	}
	fmt.Fprintf(w, "BenchmarkFirst/%-30s %4d %7.4f first-x %7.4f first-settled-x %7.3f first-p99-x %7.3f fixed-p99-x",
		key, len(outcomes), geomean(firstRuns), geomean(values((*outcome).firstOverSettled)), percentile(learned, 99), percentile(fixed, 99))
	if !outcomes[0].large {
		fmt.Fprintf(w, " %5.1f unsettled-%%", 100*float64(unsettled)/float64(len(outcomes)))
	}
	fmt.Fprintln(w)
}

// firstRuns and firstOverSettled return the time of the first runs, divided by the time of as many
// runs without learning, and of the settled plan.
func (o *outcome) firstRuns() float64        { return overAll(o.learned, o.fixed) }
func (o *outcome) firstOverSettled() float64 { return overAll(o.learned, o.settled) }

func overAll(x, y []int64) float64 {
	xSum, b := int64(0), int64(0)
	for i := range x {
		xSum, b = xSum+x[i], b+y[i]
	}
	return float64(xSum) / float64(max(1, b))
}

// printWorst prints the n slices with the greatest regret.
func printWorst(w io.Writer, outcomes []*outcome, n int) {
	sorted := slices.SortedStableFunc(slices.Values(outcomes), func(a, b *outcome) int { return cmp.Compare(b.regret, a.regret) })
	for _, o := range sorted[:min(n, len(sorted))] {
		fmt.Fprintf(w, "# %.3f (noise %.3f) slice %s %s, %.0f ns: %s instead of %s\n",
			o.regret, o.floor, o.name, o.buffers, o.ns, o.chosen, o.winner)
	}
}

// writeOutcomes writes a line in Go's benchmark format for each slice.
func writeOutcomes(w io.Writer, outcomes []*outcome) error {
	for _, o := range outcomes {
		if _, err := fmt.Fprintf(w, "BenchmarkSlice/slice=%s/buffers=%s/chosen=%s/best=%s 1 %.1f ns/op %.4f best-x %.4f noise-x %.4f against-x %.4f first-x %d unsettled-runs\n",
			o.name, o.buffers, dashed(o.chosen), dashed(o.winner), o.ns, o.regret, o.floor, o.ratio, o.firstRuns(), o.settleRuns); err != nil {
			return err
		}
	}
	return nil
}

// dashed returns the name of a candidate as a word.
func dashed(name string) string { return strings.ReplaceAll(name, " ", "-") }
