package main

import "time"

// pace says how long measuring takes.
type pace struct {
	rounds int // of each row, unless its time passes the limit
	// sample is about the time that a contender is timed for in a round: half of it to all of
	// it, or one slice if that takes longer.
	sample time.Duration
	// limit bounds the time of a row. Another round begins if the row has had none, if its time
	// is below limit, or if it has had one or two and its time is below four times limit.
	limit time.Duration
	// settle is how long a contender slices before it is timed, if the turn before was of
	// another process. By then the caches hold what they will hold.
	settle time.Duration
}

// tooLong is the time of a slice above which it is timed without a slice before it. So long a
// slice finds nothing in the caches that an earlier one left there.
const tooLong = 10 * time.Millisecond

// turn returns a contender's turn of reps slices that take about `each`. afterOther says whether
// the turn before was of another process.
func (p pace) turn(reps int, each time.Duration, afterOther bool) turn {
	switch {
	case reps == 1 && each > tooLong:
		return turn{Reps: 1}
	case afterOther:
		return turn{1 + int(p.settle/max(each, 1)), reps}
	}
	return turn{1, reps}
}

// interleave finds out how many repetitions each contender needs for p.sample, then has all take
// turns in every round, each round beginning with the next contender. It returns the repetitions
// of each contender per round, and its nanoseconds per slice in each round.
func interleave(cs []contender, p pace) (reps []int, ns [][]float64, err error) {
	var spent time.Duration
	each := make([]time.Duration, len(cs)) // the time of a slice in each contender's last turn
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
