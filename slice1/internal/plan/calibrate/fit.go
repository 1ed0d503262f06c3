package main

import (
	"maps"
	"math"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// A point is what was measured of one way to run a nest. Its cost is the sum of the quantities,
// each times its count.
type point struct {
	name   string
	ns     float64         // the time measured
	counts map[int]float64 // by the index of a quantity, how often it counts, divided by 1000: quantities are picoseconds
	cost   float64         // nanoseconds, by the values that the quantities have at the time
	weight float64         // what an error of a nanosecond counts
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
		for _, x := range waysOf(here, &r.Nest) {
			ns, measured := r.NS[x.String()]
			if !measured {
				continue
			}
			p := &point{name: x.String(), ns: ns, counts: map[int]float64{}, weight: min(1, 1.5*best/ns) / ns}
			for k, v := range columns {
				*v = unit
				if cost := x.cost(here, &other, &r.Nest); cost > 0 {
					p.counts[k] = float64(cost) / unit / 1000
				}
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

// cost returns what a way to run n costs by the costs of another host, in picoseconds, with the
// program that h makes. Of a nest in parts it is the cost of the first part times the number of
// parts.
func (x *way) cost(h, other *plan.Host, n *nest.Nest) int64 {
	w := plan.Work{Lines: plan.Here().LinesOf(n), Storing: x.storing}
	if x.pieces == nil {
		return h.PriceBy(other, x.Candidate, n, w)
	}
	return x.pieces.Count * h.PriceBy(other, x.Candidate, &x.pieces.Shapes[0], w)
}

// A fit makes `passes` passes over all quantities. The first squaredPasses of them minimize the sum
// of the squares of the errors, which comes close from any start. The others minimize the sum of
// the absolute errors, on which outliers have less influence. Errors are relative to the time
// measured. Where absolute errors are minimized, an error below leastError is taken for leastError
// when it is weighed.
const (
	passes        = 60
	squaredPasses = 5
	leastError    = .03
)

// After these passes a fit makes `refinements` passes that lower the loss: the time lost by
// choosing the cheapest way and not the fastest, as a share of the fastest's time, plus errorShare
// of the error of the cheapest way's cost. The time lost for one slice counts as mostLoss at most.
const (
	refinements = 12
	mostLoss    = 1
	errorShare  = .02
)

// fit returns costs that are fitted to the times of all points. Quantities that no point counts are those by
// which this machine plans.
func fit(points [][]*point) *plan.Costs {
	costs := *plan.Here().Costs
	columns := costs.Quantities()
	f := newFitting(points, len(columns))
	for pass := range passes {
		f.approach(pass >= squaredPasses)
	}
	for range refinements {
		f.refine()
	}
	for k, v := range columns {
		if len(f.by[k]) > 0 {
			*v = int64(math.Round(f.values[k]))
		}
	}
	return &costs
}

// A fitting is a table that is being fitted. Quantities go by their indices in what plan.Costs.Quantities
// returns.
type fitting struct {
	slices [][]*point // the points of each record
	values []float64  // of each quantity, in picoseconds
	by     [][]*point // for each quantity, the points that count it
	in     [][]int    // for each quantity, the indices of the records that have such points, ascending
}

func newFitting(records [][]*point, columns int) *fitting {
	f := &fitting{records, make([]float64, columns), make([][]*point, columns), make([][]int, columns)}
	for i, points := range records {
		for _, p := range points {
			p.cost = 0
			for k := range p.counts {
				f.by[k] = append(f.by[k], p)
				if n := len(f.in[k]); n == 0 || f.in[k][n-1] != i {
					f.in[k] = append(f.in[k], i)
				}
			}
		}
	}
	for k := range f.values {
		f.set(k, 500)
	}
	return f
}

// set gives quantity k a value and updates the cost of each point that counts it.
func (f *fitting) set(k int, value float64) {
	for _, p := range f.by[k] {
		p.cost += p.counts[k] * (value - f.values[k])
	}
	f.values[k] = value
}

// approach moves each quantity in turn to the value at which the errors are least if the others
// stay, or to 0 if that value is negative. If absolute is true, it takes a step towards the least
// sum of absolute errors, else it minimizes the sum of their squares.
func (f *fitting) approach(absolute bool) {
	for k := range f.values {
		slope, curve := 0., 1e-12
		for _, p := range f.by[k] {
			e, x := (p.ns-p.cost)*p.weight, p.counts[k]*p.weight
			by := 1.
			if absolute {
				by = max(leastError, math.Abs(e))
			}
			slope, curve = slope+e*x/by, curve+x*x/by
		}
		f.set(k, max(0, f.values[k]+slope/curve))
	}
}

// refine multiplies each quantity in turn by each of several factors, and keeps each product that
// lowers the quantity's loss.
func (f *fitting) refine() {
	for k := range f.values {
		for _, by := range [...]float64{.7, .85, .95, 1.05, 1.2, 1.4} {
			before, value := f.loss(k), f.values[k]
			if f.set(k, value*by); f.loss(k) >= before {
				f.set(k, value)
			}
		}
	}
}

// loss returns the sum of the losses of all records that count quantity k. The loss of a record has
// two summands. One is the time that the way of the lowest cost takes more than the fastest way, as
// a share of the fastest's time, mostLoss at most. The other is errorShare of the relative error of
// that lowest cost.
func (f *fitting) loss(k int) (sum float64) {
	for _, i := range f.in[k] {
		var chosen *point
		fastest := math.Inf(1)
		for _, p := range f.slices[i] {
			if chosen == nil || p.cost < chosen.cost {
				chosen = p
			}
			fastest = min(fastest, p.ns)
		}
		sum += min(mostLoss, chosen.ns/fastest-1) + errorShare*math.Abs(chosen.cost/chosen.ns-1)
	}
	return sum
}
