package main

import (
	"slices"
	"time"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// planning returns how many picoseconds it takes to choose and make a program without windows, and
// how many more one with windows takes. Both are from medians over the nests of the records that
// run whole, by all usable kernels but plain Go. Either is 0 if no nest has such a program.
func planning(all []record, now func() time.Time) (make, find int64) {
	h := plan.Here()
	var plain, searched []float64
	for i := range all {
		n := &all[i].Nest
		work := plan.Work{Kernels: usable() &^ plan.Only(plan.Go), Lines: h.LinesOf(n)}
		if work.Kernels == 0 || nest.Bytes(n) > plan.PartBytes {
			continue
		}
		var p csrc.Program
		least := time.Hour
		for range rounds {
			least = min(least, spent(func() { h.Choose(&p, n, work) }, 10, now)/10)
		}
		if p.Kind <= csrc.Tiled {
			plain = append(plain, float64(least))
		} else {
			searched = append(searched, float64(least))
		}
	}
	make = 1000 * int64(median(plain))
	return make, max(0, 1000*int64(median(searched))-make)
}

// median returns the median of v, or 0 if v is empty. It sorts v.
func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return v[len(v)/2]
}
