package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchmath"

	"github.com/seed2e45c115/dml/slice1"
)

// cell is what a row measures.
type cell struct {
	work  string
	width int    // bytes of an element
	size  string // S, M, L, or bytes; for a permutation the rank
	desc  *slice1.Desc
}

// row is a cell with its times.
type row struct {
	cell
	bytes   int       // of output elements
	roof    []float64 // ns of the roofline in each round
	results []result
}

// result is one contender's part of a row.
type result struct {
	name, chosen string
	reps         int       // slices per round
	ns           []float64 // per slice, in each round
	firstRun     float64   // ns per slice in the first runs of a plan or Copy, else 0
}

// find returns the result with this name, or nil if there is none.
func (r *row) find(name string) *result {
	if i := slices.IndexFunc(r.results, func(c result) bool { return c.name == name }); i >= 0 {
		return &r.results[i]
	}
	return nil
}

// best returns the result of the fastest peer, or nil if the row has no peer.
func (r *row) best() (best *result) {
	for i := range r.results {
		if c := &r.results[i]; isPeer(c.name) && (best == nil || median(c.ns) < median(best.ns)) {
			best = c
		}
	}
	return best
}

// rate returns GB/s of output if the row's slice takes ns nanoseconds.
func (r *row) rate(ns float64) float64 { return float64(r.bytes) / ns }

// ratio returns how many times as fast y is as x: the median of the ratios within each round. x and
// y are times by round.
func ratio(x, y []float64) float64 { return ratios(x, y).Center }

func ratios(x, y []float64) benchmath.Summary {
	quotients := make([]float64, len(x))
	for i := range x {
		quotients[i] = x[i] / y[i]
	}
	return summary(quotients)
}

func median(v []float64) float64 { return summary(v).Center }

// summary returns the median and its 95 % confidence interval, like benchstat computes them. It
// gives benchmath a copy, since benchmath sorts the times, and the times belong to their rounds.
func summary(v []float64) benchmath.Summary {
	return benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(v), &benchmath.DefaultThresholds), 0.95)
}

// meter measures cells.
type meter struct {
	buffers
	pace
	runs     int        // first runs of a plan; 0: the default
	wanted   []string   // contenders of this process; nil is all
	peers    *process   // Python, for the peers there; nil: none
	inC      []*peerInC // peers in C
	chosen   []string   // the peers that take part; nil: those that are there
	calls    bool       // whether each slice of a peer in C is a call from Go; else C repeats it
	home     *process   // where this library's choice runs, like baseline's; nil: in this process
	baseline *process   // where the other checkout's choice runs; nil: there is no other checkout
}

// wants reports whether the peer of this name is to take part.
func (m *meter) wants(name string) bool { return m.chosen == nil || slices.Contains(m.chosen, name) }

// measure checks and times the contenders wanted.
func (m *meter) measure(c cell) (*row, error) {
	s, err := newSlicing(c.desc, &m.buffers)
	if err != nil {
		return nil, err
	}
	r := &row{cell: c, bytes: s.bytes()}
	n := roofBytes(c.desc, len(s.src), len(s.dst))
	m.reach(n, n)
	if s, err = newSlicing(c.desc, &m.buffers); err != nil { // reach may have moved the arenas
		return nil, err
	}
	cs, err := s.contenders(func(name string) bool {
		return (m.wanted == nil || slices.Contains(m.wanted, name)) && (m.home == nil || name != dml)
	})
	if err != nil {
		return nil, err
	}
	peers, err := m.rivals(s)
	if err != nil {
		return nil, err
	}
	cs = append(cs, peers...)
	firstRun, err := settle(cs, m.runs)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(cs, func(c contender) bool { return c.name == dml }); m.calls && i >= 0 {
		twin := cs[i]
		twin.name = self
		cs, firstRun = append(cs, twin), append(firstRun, 0)
	}
	if err := checkOutputs(cs, s.want()); err != nil {
		return nil, err
	}
	// The roofline leaves other memory in the caches than a slice. So it counts as another process:
	// contenders warm up after it.
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
		r.results = append(r.results, result{c.name, "", reps[i+1], ns[i+1], firstRun[i]})
		if c.chosen != nil {
			r.results[i].chosen = c.chosen()
		}
	}
	return r, nil
}

// settle runs each plan and Copy so many times, for about a second at most. 0 means as often as a
// plan needs to learn. It returns the nanoseconds per slice of each contender, and 0 for contenders
// that it does not run.
func settle(cs []contender, runs int) (firstRun []float64, err error) {
	firstRun = make([]float64, len(cs))
	for i, c := range cs {
		if c.name == naive || isPeer(c.name) {
			continue
		}
		took, err := c.run(turn{Reps: 1})
		if err != nil {
			return nil, err
		}
		reps := min(firstRuns, int(time.Second/max(1, took)))
		if runs > 0 {
			reps = runs - 1
		}
		total, err := c.run(turn{Reps: reps})
		if err != nil {
			return nil, err
		}
		firstRun[i] = float64((took + total).Nanoseconds()) / float64(1+reps)
	}
	return firstRun, nil
}

// checkOutputs makes every contender slice once. It returns an error if the CRC-32 of a destination
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

// pace says how long measuring takes.
type pace struct {
	rounds int // of each row, unless its time passes the limit
	// sample is about the time that a contender is timed for in a round: half of it to all of
	// it, or one slice if that takes longer.
	sample time.Duration
	// limit bounds the time of a row. Another round begins if the row has had none, if its time
	// is below limit, or if it has had one or two and its time is below four times limit.
	limit time.Duration
	// warm is how long a contender slices before it is timed, if the turn before belonged to
	// another process. By then the caches do not change any more.
	warm time.Duration
}

var (
	tablePace  = pace{10, 2 * time.Millisecond, 5 * time.Second, time.Millisecond}
	regretPace = pace{21, 400 * time.Microsecond, 300 * time.Millisecond, time.Millisecond}
	// firstPass looks for the best candidate. The race at regretPace follows.
	firstPass = pace{4, 200 * time.Microsecond, time.Second, time.Millisecond}
)

// A slice that takes longer than tooLong is timed without a slice before it. In the caches it finds
// nothing that an earlier slice left there.
const tooLong = 10 * time.Millisecond

// turn returns a contender's turn of reps slices that take about duration. afterOther says whether
// the turn before belonged to another process.
func (p pace) turn(reps int, duration time.Duration, afterOther bool) turn {
	switch {
	case reps == 1 && duration > tooLong:
		return turn{Reps: 1}
	case afterOther:
		return turn{1 + int(p.warm/max(duration, 1)), reps}
	}
	return turn{1, reps}
}

// interleave finds out how many repetitions each contender needs for p.sample. Then all take turns
// in every round. Each round begins with the next contender. It returns the repetitions of each
// contender per round, and its nanoseconds per slice in each round.
func interleave(cs []contender, p pace) (reps []int, ns [][]float64, err error) {
	var spent time.Duration
	times := make([]time.Duration, len(cs)) // the time of a slice in each contender's last turn
	run := func(i int, t turn) (time.Duration, error) {
		took, err := cs[i].run(t)
		times[i] = took / time.Duration(t.Reps)
		spent += took + times[i]*time.Duration(t.Warm)
		return took, err
	}
	reps, ns = make([]int, len(cs)), make([][]float64, len(cs))
	for i := range cs {
		reps[i] = 1
		for {
			took, err := run(i, turn{Reps: reps[i]})
			if err != nil {
				return nil, nil, err
			}
			if took >= p.sample/2 {
				break
			}
			reps[i] *= 2
		}
	}
	proc := cs[len(cs)-1].home
	for r := 0; r < p.rounds && (r < 1 || spent < p.limit || r < 3 && spent < 4*p.limit); r++ {
		for k := range cs {
			i := (r + k) % len(cs)
			took, err := run(i, p.turn(reps[i], times[i], cs[i].home != proc))
			if err != nil {
				return nil, nil, err
			}
			ns[i] = append(ns[i], float64(took.Nanoseconds())/float64(reps[i]))
			proc = cs[i].home
		}
	}
	return reps, ns, nil
}

// The table's columns are of fixed width, since rows are printed as they come.
const (
	tableHead = "%-11s %5s %4s %9s  %-14s %11s %7s %5s %5s %5s %7s  %s\n"
	tableLine = "%-11s %5d %4s %9d  %-14s %11.1f %7.2f %5s %5s %5.2f %7s  %s\n"
)

func printHead(w io.Writer) {
	fmt.Fprintf(w, tableHead, "work", "width", "size", "bytes", "contender", "ns", "GB/s", "±", "first", "roof", "x naive", "x peer")
}

// printRow prints a line for each contender of a row, then an empty line.
func printRow(w io.Writer, r *row) {
	peer := r.best()
	for _, c := range r.results {
		name := c.name
		if c.chosen != "" {
			name += " (" + c.chosen + ")"
		}
		s := summary(c.ns)
		firstRun, loop, versus := "", "", ""
		if c.firstRun > 0 {
			firstRun = fmt.Sprintf("%.2f", c.firstRun/s.Center)
		}
		if base := r.find(naive); base != nil {
			loop = fmt.Sprintf("%.2f", ratio(base.ns, c.ns))
		}
		if peer != nil {
			versus = fmt.Sprintf("%.2f %s", ratio(peer.ns, c.ns), peer.name)
		}
		fmt.Fprintf(w, tableLine, r.work, r.width, r.size, r.bytes, name, s.Center, r.rate(s.Center),
			s.PctRangeString(), firstRun, ratio(r.roof, c.ns), loop, versus)
	}
	fmt.Fprintln(w)
}

// printMeans prints, for each contender, geometric means of its speed divided by the speed of the
// other contenders, of the fastest peer of each row, of the roofline and of its own first runs. A
// mean is over the rows that have both. printMeans also prints how many of the ratios are below 1
// and far below 1. A ratio is surely below 1 if the confidence interval of its median is.
func printMeans(w io.Writer, rows []*row) {
	const bestPeer, memcpy, firstOnes = "the best peer", "memcpy", "its first runs"
	names := append(allContenders(), baseline)
	for _, name := range names {
		speeds, slower := map[string][]float64{}, map[string]int{}
		for _, r := range rows {
			c := r.find(name)
			if c == nil {
				continue
			}
			add := func(rival string, ns []float64) {
				r := ratios(ns, c.ns)
				speeds[rival] = append(speeds[rival], r.Center)
				if r.Lo > 0 && r.Hi < 1 { // of fewer than six rounds Lo is -Inf
					slower[rival]++
				}
			}
			for _, rival := range r.results {
				add(rival.name, rival.ns)
			}
			if best := r.best(); best != nil && !isPeer(name) {
				add(bestPeer, best.ns)
			}
			add(memcpy, r.roof)
			if c.firstRun > 0 {
				add(firstOnes, slices.Repeat([]float64{c.firstRun}, len(c.ns)))
			}
		}
		for _, rival := range append(names, self, bestPeer, memcpy, firstOnes) {
			v := speeds[rival]
			if v == nil || rival == name {
				continue
			}
			slices.Sort(v)
			fmt.Fprintf(w, "%s: %.3f x %s by geometric mean of %d rows; %.2f to %.2f", name, geomean(v), rival, len(v), v[0], v[len(v)-1])
			for _, limit := range []float64{1, .9, .8, .7, .5} {
				count, _ := slices.BinarySearch(v, limit)
				fmt.Fprintf(w, ", %d below %g", count, limit)
			}
			fmt.Fprintf(w, ", %d surely below 1\n", slower[rival])
		}
	}
}

// writeRaw writes a line in Go's benchmark format for each contender and round.
func writeRaw(w io.Writer, machine string, rows []*row) error {
	// The format knows ns/op and MB/s, but must be told that a higher "roof" is better.
	lines := []string{"pkg: github.com/seed2e45c115/dml/bench", "cpu: " + machine, "cc: " + compiler, fmt.Sprint("large: ", sizes["L"]), "Unit roof better=higher"}
	for _, r := range rows {
		for _, c := range r.results {
			for i, ns := range c.ns {
				lines = append(lines, fmt.Sprintf("BenchmarkSlice/work=%s/width=%d/size=%s/kernel=%s %d %.2f ns/op %.2f MB/s %.4f roof",
					dashed(r.work), r.width, r.size, c.name, c.reps, ns, 1000*r.rate(ns), r.roof[i]/ns))
			}
		}
	}
	_, err := fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}
