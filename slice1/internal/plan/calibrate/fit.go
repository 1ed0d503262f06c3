package main

import (
	"maps"
	"math"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// A point is what was measured of one way to run a nest. Its cost is the sum of the quantities,
// each times its count.
type point struct {
	ns     float64   // the time measured
	counts []float64 // of each quantity, how often it counts, divided by 1000: quantities are picoseconds
	cost   float64   // nanoseconds, by the values that the quantities have at the time
	weight float64   // what an error of a nanosecond counts
}

// unit is the value, in picoseconds, that a quantity has while its counts are found. It is large
// compared with what a cost loses by rounding.
const unit = 1 << 10

// pointsOf returns the points of each record: one for each way that was measured. Costs are linear
// in the quantities. So the count of a quantity is the cost by a table in which it has the value unit
// and all others are 0, divided by unit.
func pointsOf(all []record) (points [][]*point) {
	here, other := plan.Here(), *plan.Here()
	other.Costs = new(plan.Costs)
	columns := other.Costs.Quantities()
	for i := range all {
		r := &all[i]
		best := slices.Min(slices.Collect(maps.Values(r.NS)))
		var of []*point
		pieces, ways := waysOf(here, r)
		for _, c := range ways {
			ns, measured := r.NS[c.String()]
			if !measured {
				continue
			}
			p := &point{ns: ns, counts: make([]float64, len(columns)), weight: min(1, 1.5*best/ns) / ns}
			for k, v := range columns {
				*v = unit
				p.counts[k] = float64(pieces.Count*here.PriceBy(&other, c, &pieces.Shapes[0])) / unit / 1000
				*v = 0
			}
			of = append(of, p)
		}
		if len(of) > 0 {
			points = append(points, of)
		}
	}
	return points
}

// A fit makes `approaches` passes that lower the absolute errors, which are relative to the time measured, then
// `refinements` passes that lower the loss: the time lost by choosing the cheapest way and not the
// fastest, as a share of the fastest's time, mostLoss at most, plus errorShare of the error of the cheapest
// way's cost. An error below leastError is taken for leastError when it is weighed.
const (
	approaches  = 60
	refinements = 12
	leastError  = .03
	mostLoss    = 1
	errorShare  = .02
)

// fit returns costs that are fitted to the times of all points, from those by which this machine plans.
func fit(points [][]*point) *plan.Costs {
	costs := *plan.Here().Costs
	columns := costs.Quantities()
	f := fitting{points, make([]float64, len(columns))}
	for _, p := range slices.Concat(points...) {
		p.cost = 0
	}
	for k, v := range columns {
		f.set(k, float64(*v))
	}
	for range approaches {
		for k := range columns {
			f.approach(k)
		}
	}
	for range refinements {
		for k := range columns {
			f.refine(k)
		}
	}
	for k, v := range columns {
		*v = int64(math.Round(f.values[k]))
	}
	return &costs
}

// A fitting is a table that is being fitted. Quantities go by their indices in what plan.Costs.Quantities
// returns.
type fitting struct {
	slices [][]*point // the points of each record
	values []float64  // of each quantity, in picoseconds
}

// set gives quantity k a value and updates the costs.
func (f *fitting) set(k int, value float64) {
	for _, points := range f.slices {
		for _, p := range points {
			p.cost += p.counts[k] * (value - f.values[k])
		}
	}
	f.values[k] = value
}

// approach moves quantity k a step towards the value at which the sum of the absolute errors is least if the
// others stay, or to 0 if that value is negative.
func (f *fitting) approach(k int) {
	slope, curve := 0., 1e-12
	for _, points := range f.slices {
		for _, p := range points {
			e, x := (p.ns-p.cost)*p.weight, p.counts[k]*p.weight
			by := max(leastError, math.Abs(e))
			slope, curve = slope+e*x/by, curve+x*x/by
		}
	}
	f.set(k, max(0, f.values[k]+slope/curve))
}

// refine multiplies quantity k by each of several factors, and keeps each product that lowers the loss.
func (f *fitting) refine(k int) {
	if f.values[k] == 0 {
		return
	}
	least := f.loss()
	for _, by := range [...]float64{.7, .85, .95, 1.05, 1.2, 1.4} {
		value := f.values[k]
		f.set(k, value*by)
		if loss := f.loss(); loss < least {
			least = loss
		} else {
			f.set(k, value)
		}
	}
}

// loss returns the sum of the losses of all records.
func (f *fitting) loss() (sum float64) {
	for _, points := range f.slices {
		chosen, fastest := points[0], math.Inf(1)
		for _, p := range points {
			if p.cost < chosen.cost {
				chosen = p
			}
			fastest = min(fastest, p.ns)
		}
		sum += min(mostLoss, chosen.ns/fastest-1) + errorShare*math.Abs(chosen.cost/chosen.ns-1)
	}
	return sum
}
