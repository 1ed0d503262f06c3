// Package tune finds the fastest of several ways to do the same work. Its caller tells it how long
// each run took. It has no clock and knows nothing of the work. The idea is micro-adaptivity
// (Răducanu, Boncz and Żukowski, SIGMOD 2013): every run of a primitive is a chance to learn which
// of its equal implementations is the fastest here and now.
//
// Ways take turns. A turn is a few runs of one way in a row. The first run is not counted, since it
// finds the caches as another way left them. The time of a turn is the least time of its counted
// runs. A round is one turn of each way. The time of a way is the median of the times of its turns.
// So a slow or a fast phase of the machine does not decide if it hits one way in one round.
package tune

import (
	"cmp"
	"math"
	"slices"
	"unsafe"
)

// All times are in nanoseconds. The numbers of rounds and runs come from a prototype. With them it
// found the fastest ways of 200 slices best. Fewer rounds, or turns of one run, were worse than no
// learning.
const (
	Rounds      = 6 // the most rounds of a State, and enough to settle it well
	RetryRounds = 2 // rounds that are enough to find out later whether the best way is still the best

	Turn      = 4 // the runs of a turn, if they are short
	ShortTurn = 2 // the runs of a turn, if each takes longRun or more

	longRun       = 3_000_000  // three milliseconds
	budget        = 50_000_000 // the most time that a State spends on ways that are not the best
	learningShare = 6          // learning takes at most 1/learningShare of the time
	warmUp        = 10_000     // how long the first way runs before the first turn: the widest vectors of some processors start slowly
)

// The ratio of the times of two ways decides between them. A way replaces the first way if the
// first way takes 1.03 times as long. If it alone uses non-temporal stores, the first way has to
// take 1.10 times as long. Non-temporal stores leave the output out of the caches, and the next
// reader of the output pays for that.
//
// A way other than the first drops out at 4 times the best time, or at twice the best time in two
// turns. After three rounds each way except the best also drops out if none of its turns was faster
// than the best time by the margin.
const (
	dropRatioOnce  = 4
	dropRatioTwice = 2
	minRounds      = 3
	margin         = 1.03
	nonTemporal    = 1.07
)

// State has what is known about the ways of one kind of work. The ways have numbers from 0 on. Way
// 0 is the first choice. A State is not safe for concurrent use. Begin makes the zero State ready.
type State struct {
	ways      []way // empty if there is only one way, since there is nothing to learn
	done      bool  // whether Best is final
	turn      int   // the runs of a turn; one run counts
	rest      bool  // whether the next run takes the best way, since that one warms up or learning has cost too much so far
	rounds    int   // how many rounds there are in all
	round     int   // how many rounds have ended
	way       int   // the way that has the turn
	best      int   // the fastest way so far
	run       int   // how many runs the turn had that is going on
	shortest  int64 // the least time of the counted runs of the turn; 0 before
	lastTime  int64 // the time of the last run
	spent     int64 // how long learning took: by how much runs were slower than the best way, and what Spend and Prepared were told
	preparing int64 // the least time that it took to prepare a way; 0 before
	total     int64 // how long all runs took
	count     int   // how many runs there were
}

// way has what is known about one way.
type way struct {
	weight  float64       // by how much its times count
	dropped bool          // whether it has dropped out
	late    bool          // whether it was far behind once
	turns   int           // how many turns it had
	times   [Rounds]int64 // the least times of its turns, the shortest first
	time    int64         // the median of times; 0 before its first turn ends
}

// weighted returns a time of w that may be compared with those of other ways.
func (w *way) weighted(time int64) float64 { return w.weight * float64(time) }

// Begin makes s compare so many ways, at least 1, in at most so many rounds. `streams` reports
// whether a way uses non-temporal stores. A turn is at most `turn` runs: Turn, ShortTurn, or 1 if
// it does not matter how a run finds the caches.
func (s *State) Begin(ways int, streams func(way int) bool, rounds, turn int) {
	*s = State{ways: s.ways[:0], rounds: min(rounds, Rounds), turn: turn, done: ways == 1}
	if s.done {
		return
	}
	s.ways = slices.Grow(s.ways, ways)
	for i := range ways {
		w := way{weight: 1}
		if i != 0 {
			w.weight *= margin
		}
		if streams(i) {
			w.weight *= nonTemporal
		}
		s.ways = append(s.ways, w)
	}
}

// Bytes returns how many bytes s holds outside the State itself.
func (s *State) Bytes() int64 { return int64(cap(s.ways)) * int64(unsafe.Sizeof(way{})) }

// timeOf returns the time of a way, or 0 if it is not known.
func (s *State) timeOf(w int) int64 {
	if w >= len(s.ways) {
		return 0
	}
	return s.ways[w].time
}

// Settled reports whether there is nothing more to learn. Best is then final.
func (s *State) Settled() bool { return s.done }

// Told returns how many runs s was told about.
func (s *State) Told() int { return s.count }

// NextWay returns the way of the next run that is told to Add. It may be called any number of
// times.
func (s *State) NextWay() int {
	if s.done || s.rest {
		return s.best
	}
	return s.way
}

// Drop says that the run of the way that NextWay returned failed or was cut short. The turn begins
// anew.
func (s *State) Drop() { s.run, s.shortest = 0, 0 }

// Stop ends the comparison, if the times cannot be trusted or no more runs will come. The best way
// so far is final.
func (s *State) Stop() { s.done = true }

// Add tells s how long a run of the way that NextWay returned took.
func (s *State) Add(took int64) {
	if s.done {
		return
	}
	took = max(took, 1)
	s.count++
	s.total += took
	if best := s.timeOf(s.best); best > 0 && s.NextWay() != s.best {
		s.spent += max(0, took-best)
	}
	if !s.rest && s.total >= warmUp {
		s.add(took)
	}
	s.lastTime = took
	s.rest = s.run == 0 && s.count > 1 && s.due() > 0 // a turn is not interrupted, and the first run is slow
	if s.spent > budget {
		s.done = true
	}
}

// due returns how long the best way has to run until it is warm and learning took no more than its
// share of the time.
func (s *State) due() int64 {
	if s.timeOf(s.best) == 0 {
		return warmUp - s.total
	}
	ahead := int64(0)
	if s.ways[s.way].turns == 0 {
		ahead = s.preparing
	}
	return learningShare*(s.spent+ahead) - s.total
}

// Spend tells s that learning took so long beside runs.
func (s *State) Spend(took int64) { s.spent += took }

// Prepared tells s how long it took to prepare a way that now has its first turn. The ways that
// follow are expected to take at least the least of these times.
func (s *State) Prepared(took int64) {
	s.spent += took
	s.preparing = min(took, cmp.Or(s.preparing, took))
}

// Rest returns how many runs must take the best way before the next turn, so that learning takes no
// more than its share of the time. It counts these runs at once, so they need not be timed.
func (s *State) Rest() (count int64) {
	if !s.rest {
		return 0
	}
	best := cmp.Or(s.timeOf(s.best), s.lastTime)
	count = s.due()/best + 1
	s.total += count * best
	s.count += int(count)
	s.rest = false
	return count
}

// add counts a run of the way that has the turn.
func (s *State) add(took int64) {
	s.run++
	if s.run == 1 && s.turn > 1 {
		return
	}
	if s.shortest == 0 || took < s.shortest {
		s.shortest = took
	}
	best, w := s.bestTime(), &s.ways[s.way]
	known := min(took, cmp.Or(w.time, took)) // a slow run does not put out a way that was fast in other turns
	if s.run <= 2 && best > 0 && known > dropRatioTwice*best && s.way != 0 {
		w.dropped = w.dropped || w.late || known > dropRatioOnce*best
		w.late = true
		s.endTurn()
		return
	}
	if s.run == s.turn || s.run >= ShortTurn && s.shortest >= longRun {
		s.endTurn()
	}
}

// endTurn notes the time of the turn and passes the turn on.
func (s *State) endTurn() {
	w := &s.ways[s.way]
	w.times[w.turns] = s.shortest
	w.turns++
	slices.Sort(w.times[:w.turns])
	w.time = w.times[(w.turns-1)/2]
	s.best = s.fastest()
	s.Drop()
	for {
		if s.way = (s.way + 1) % len(s.ways); s.way == 0 {
			s.endRound()
		}
		if s.done || !s.ways[s.way].dropped {
			return
		}
	}
}

// endRound drops the ways that are too slow, and settles after the last round or if one way is
// left.
func (s *State) endRound() {
	s.round++
	best, left := &s.ways[s.best], 0
	for i := range s.ways {
		w := &s.ways[i]
		if i != s.best && s.round >= minRounds && margin*w.weighted(w.times[0]) >= best.weighted(best.time) {
			w.dropped = true
		}
		if !w.dropped {
			left++
		}
	}
	s.done = s.round >= s.rounds || left == 1
}

// bestTime returns the least time of all ways, or 0 before the first turn ends.
func (s *State) bestTime() (best int64) {
	for i := range s.ways {
		if t := s.ways[i].time; t > 0 && (best == 0 || t < best) {
			best = t
		}
	}
	return best
}

// Best returns the fastest way so far: the first one, unless another one is faster by the margin.
func (s *State) Best() int { return s.best }

// fastest computes Best.
func (s *State) fastest() int {
	best, lowest := 0, math.Inf(1)
	for i := range s.ways {
		if w := &s.ways[i]; w.time > 0 && !w.dropped && w.weighted(w.time) < lowest {
			best, lowest = i, w.weighted(w.time)
		}
	}
	return best
}

// Time returns the time of a way in nanoseconds, and whether it is known.
func (s *State) Time(w int) (took int64, known bool) {
	took = s.timeOf(w)
	return took, took > 0
}
