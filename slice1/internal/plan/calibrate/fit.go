package main

import (
	"maps"
	"math"
	"slices"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// quantities returns where every quantity of a row is but Streams, which costs nothing.
func quantities(row *plan.Costs) (all []*int64) {
	of := row.Quantities()
	for i := range of {
		if &of[i] != &row.Streams {
			all = append(all, &of[i])
		}
	}
	return all
}

// A point is what was measured of one candidate: it takes ns, and its cost is the sum of
// quantities, each times its count.
type point struct {
	name   string
	ns     float64
	counts map[int]float64
	cost   float64 // nanoseconds, by the quantities as they are
	weight float64
}

// unit is the value of a quantity when its count is found. Costs are rounded to a small
// fraction of it.
const unit = 1 << 10

// pointsOf returns the points of each record. Costs are linear in the quantities, so the
// count of a quantity is the cost by a row in which all others are 0, divided by unit.
func pointsOf(all []record) (points [][]*point) {
	here, other := plan.Here(), *plan.Here()
	other.Costs = &plan.Costs{Streams: here.Costs.Streams}
	columns := quantities(other.Costs)
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
		points = append(points, of)
	}
	return points
}

// cost returns the picoseconds that a way takes by the costs of another host, with the program that
// h makes.
func (x *way) cost(h, other *plan.Host, n *nest.Nest) int64 {
	w := plan.Work{Lines: plan.Here().LinesOf(n), Storing: x.storing}
	if x.pieces == nil {
		return h.PriceBy(other, x.Candidate, n, w)
	}
	return x.pieces.Count * h.PriceBy(other, x.Candidate, &x.pieces.Shapes[0], w)
}

// A fit makes this number of passes over all quantities. The first ones minimize the squares of the
// errors, which comes close from any start. The others minimize the absolute errors, which
// outliers do not move. Errors are relative, and none counts as less than leastError.
const (
	passes        = 60
	squaredPasses = 5
	leastError    = .03
)

// Refinements are passes that minimize the time lost by what is chosen, plus errorShare of
// the errors. One slice loses mostLoss at most.
const (
	refinements = 12
	mostLoss    = 1
	errorShare  = .02
)

// fit returns the row of costs closest to the times measured, refined so that less time is
// lost by what it chooses.
func fit(all []record) *plan.Costs {
	row := *plan.Here().Costs
	columns := quantities(&row)
	f := newFitting(pointsOf(all), len(columns))
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
	return &row
}

// A fitting is a row that is being fitted.
type fitting struct {
	slices [][]*point // by record
	values []float64  // of quantities
	by     [][]*point // those that a quantity counts for
	in     [][]int    // the records that it counts for
}

func newFitting(records [][]*point, columns int) *fitting {
	f := &fitting{records, make([]float64, columns), make([][]*point, columns), make([][]int, columns)}
	for i, points := range records {
		for _, p := range points {
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

// set gives a quantity a value.
func (f *fitting) set(k int, value float64) {
	for _, p := range f.by[k] {
		p.cost += p.counts[k] * (value - f.values[k])
	}
	f.values[k] = value
}

// approach moves each quantity to where the errors are least while the others stay.
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

// refine changes each quantity by a factor if that lowers its loss.
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

// loss sums over the records that a quantity counts for. It adds the time that the candidate
// of the least cost takes more than the fastest, as a share of the fastest's time, and
// errorShare of the error of its cost.
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
