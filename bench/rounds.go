package main

import "time"

// pace is how long measuring takes.
type pace struct {
	rounds int           // per row
	sample time.Duration // that a contender runs in a round, at least about half of it
	limit  time.Duration // on the time of a row: beyond it, no round follows the third, and beyond four times the limit, none the first
	// settle is how long a contender slices before it is timed, if the turn before was of
	// another process. By then the caches hold what they will hold.
	settle time.Duration
}

// tooLong is the time above which a slice is timed without a run before it. So long a slice
// finds nothing in the caches that an earlier one left there.
const tooLong = 10 * time.Millisecond

// turn returns a contender's turn.
func (p pace) turn(reps int, each time.Duration, afterOther bool) turn {
	switch {
	case reps == 1 && each > tooLong:
		return turn{Reps: 1}
	case afterOther:
		return turn{1 + int(p.settle/max(each, 1)), reps}
	}
	return turn{1, reps}
}

// interleave has all contenders take turns in every round, each round beginning
// with the next one. It returns each one's repetitions per round and its
// nanoseconds per slice by round.
func interleave(cs []contender, p pace) (reps []int, ns [][]float64, err error) {
	var spent time.Duration
	each := make([]time.Duration, len(cs)) // about
	run := func(i int, t turn) (time.Duration, error) {
		took, err := cs[i].run(t)
		each[i] = took / time.Duration(t.Reps)
		spent += took + each[i]*time.Duration(t.Warm)
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
	last := cs[len(cs)-1].home
	for r := 0; r < p.rounds && (r < 1 || spent < p.limit || r < 3 && spent < 4*p.limit); r++ {
		for k := range cs {
			i := (r + k) % len(cs)
			took, err := run(i, p.turn(reps[i], each[i], cs[i].home != last))
			if err != nil {
				return nil, nil, err
			}
			ns[i] = append(ns[i], float64(took.Nanoseconds())/float64(reps[i]))
			last = cs[i].home
		}
	}
	return reps, ns, nil
}
