package main

import "time"

// pace says how long measuring takes.
type pace struct {
	rounds int           // per row
	sample time.Duration // that a contender runs in a round, at least about half of it
	limit  time.Duration // for a row: it has fewer rounds, but at least 3, if they take longer
}

// interleave has all contenders take turns in every round. It returns each
// one's repetitions per round and its nanoseconds per slice by round.
func interleave(cs []contender, p pace) (reps []int, ns [][]float64, err error) {
	start := time.Now()
	reps, ns = make([]int, len(cs)), make([][]float64, len(cs))
	for i, c := range cs {
		reps[i] = 1
		for {
			took, err := c.run(reps[i])
			if err != nil {
				return nil, nil, err
			}
			if took >= p.sample/2 {
				break
			}
			reps[i] *= 2
		}
	}
	for r := 0; r < p.rounds && (r < 3 || time.Since(start) < p.limit); r++ {
		for i, c := range cs {
			if reps[i] > 1 { // the others had the caches
				if _, err := c.run(1); err != nil {
					return nil, nil, err
				}
			}
			took, err := c.run(reps[i])
			if err != nil {
				return nil, nil, err
			}
			ns[i] = append(ns[i], float64(took.Nanoseconds())/float64(reps[i]))
		}
	}
	return reps, ns, nil
}
