package main

import (
	"slices"
	"time"
)

// sample is how long one contender runs in one round.
const sample = 2 * time.Millisecond

// interleave runs each function for a sample in every round, in turn, and
// returns nanoseconds per call by function and round. A nil function takes
// no time.
func interleave(rounds int, fs [contenders]func()) (times [contenders][]float64) {
	var reps [contenders]int
	for i, f := range fs {
		if f == nil {
			continue
		}
		f()
		for reps[i] = 1; timed(f, reps[i]) < sample/2; reps[i] *= 2 {
		}
	}
	for i := range fs {
		times[i] = make([]float64, rounds)
	}
	for r := range rounds {
		for i, f := range fs {
			if f != nil {
				times[i][r] = float64(timed(f, reps[i]).Nanoseconds()) / float64(reps[i])
			}
		}
	}
	return times
}

func timed(f func(), reps int) time.Duration {
	start := time.Now()
	for range reps {
		f()
	}
	return time.Since(start)
}

func median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}
