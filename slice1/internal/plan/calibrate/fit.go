package main

import (
	"math"

	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

// A point is what was measured of one way to run a nest. Its cost is the sum of the quantities,
// each times its count.
type point struct {
	ns     float64   // the time measured
	counts []float64 // of each quantity, how often it counts, divided by 1000: quantities are picoseconds
}

// unit is the value, in picoseconds, that a quantity has while its counts are found. It is large
// compared with what a cost loses by rounding.
const unit = 1 << 10

// pointsOf returns the points of each record: one for each way that was measured. Costs are linear
// in the quantities. So the count of a quantity is the cost by a table in which it has the value
// unit and all others are 0, divided by unit.
func pointsOf(records []record) (points [][]point) {
	host, changed := plan.ThisHost(), *plan.ThisHost()
	changed.Costs = new(plan.Costs)
	columns := changed.Costs.Quantities()
	for i := range records {
		r := &records[i]
		pieces, ways := waysOf(r)
		var priced []point
		for _, c := range ways {
			ns, measured := r.NS[c.String()]
			if !measured {
				continue
			}
			p := point{ns, make([]float64, len(columns))}
			for k, v := range columns {
				*v = unit
				p.counts[k] = float64(pieces.Count*host.PriceBy(&changed, c, &pieces.Shapes[0])) / unit / 1000
				*v = 0
			}
			priced = append(priced, p)
		}
		if len(priced) > 0 {
			points = append(points, priced)
		}
	}
	return points
}

// fit returns costs by which the first choices are good. It begins with this machine's costs. It
// multiplies one quantity after the other by each of several factors, and keeps what lowers the
// loss. It ends when a pass over all quantities lowers nothing, or after `passes` of them.
func fit(points [][]point, passes int) *plan.Costs {
	costs := *plan.ThisHost().Costs
	smallest := loss(points, &costs)
	for previous := math.Inf(1); smallest < previous && passes > 0; passes-- {
		previous = smallest
		for _, v := range costs.Quantities() {
			for _, factor := range [...]float64{.7, .85, .95, 1.05, 1.2, 1.4} {
				value := *v
				*v = int64(math.Round(float64(value) * factor))
				if lost := loss(points, &costs); lost < smallest {
					smallest = lost
				} else {
					*v = value
				}
			}
		}
	}
	return &costs
}

// The loss of all records is what losses returns: the time lost, plus errorShare of the errors. A
// record loses mostLoss at most.
const (
	mostLoss   = 1
	errorShare = .02
)

func loss(points [][]point, costs *plan.Costs) float64 {
	time, errors := losses(points, costs)
	return time + errorShare*errors
}

// losses returns two sums over all records: of the time lost by choosing the cheapest way by these
// costs instead of the fastest, as a share of the fastest's time; and of the error of the cheapest
// way's cost.
func losses(points [][]point, costs *plan.Costs) (time, errors float64) {
	var values []float64
	for _, v := range costs.Quantities() {
		values = append(values, float64(*v))
	}
	for _, ways := range points {
		smallest, chosen, fastest := math.Inf(1), 0.0, math.Inf(1)
		for _, p := range ways {
			cost := 0.0
			for k, n := range p.counts {
				cost += n * values[k]
			}
			if cost < smallest {
				smallest, chosen = cost, p.ns
			}
			fastest = min(fastest, p.ns)
		}
		time += min(mostLoss, chosen/fastest-1)
		errors += math.Abs(smallest/chosen - 1)
	}
	return time, errors
}
