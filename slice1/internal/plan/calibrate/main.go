// Command calibrate says how well the planner's estimates choose, and what values of the quantities would choose
// well. Its arguments are files of what slices took by every candidate, on one machine or on several:
//
//	go -C bench run . -regret -slices 1000 -o ../out/regret
//	go run ./slice1/internal/plan/calibrate out/regret/hot.jsonl
//
// It prints the regret of the first choice and of the best of the listed ways, by the time that slices take, then fits
// the quantities of the kernels that ran and prints all, with two digits.
package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/seed2e45c115/dml/slice1/internal/plan"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "calibrate:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout io.Writer) error {
	if len(args) == 0 {
		return errors.New("no files of records")
	}
	var all []record
	for _, name := range args {
		some, err := load(name)
		if err != nil {
			return err
		}
		all = append(all, some...)
	}
	points := pointsOf(all)
	report(stdout, "the table", points, plan.Here().Costs)
	fitted := fit(points, 12)
	report(stdout, "fitted", points, fitted)
	for _, v := range fitted.Quantities() {
		*v = twoDigits(*v)
	}
	fmt.Fprintln(stdout, strings.ReplaceAll(fmt.Sprintf("%+v", *fitted), "{Call", "\n{Call")) // a line for each set
	return nil
}

// report prints, for slices that take up to so many microseconds, how many there are, how many times as long as
// the fastest way the first choice takes and the best of those that are listed, by geometric mean, and the
// share of slices for which that is above 1.15.
func report(w io.Writer, name string, all [][]*point, costs *plan.Costs) {
	price(all, costs)
	fmt.Fprintln(w, name)
	edges := []float64{0, 2, 10, 100, 1000, math.Inf(1)}
	for i, most := range edges[1:] {
		var first, listed regret
		for _, points := range all {
			fastest := slices.MinFunc(points, func(a, b *point) int { return sign(a.ns - b.ns) }).ns
			if fastest < 1000*edges[i] || fastest >= 1000*most {
				continue
			}
			slices.SortStableFunc(points, func(a, b *point) int { return sign(a.cost - b.cost) })
			best := math.Inf(1)
			for _, p := range points[:min(plan.MaxWays, len(points))] {
				best = min(best, p.ns)
			}
			first.add(points[0].ns / fastest)
			listed.add(best / fastest)
		}
		fmt.Fprintf(w, "  to %5.0f us: %5d slices, first choice %s, best listed %s\n", most, first.count, &first, &listed)
	}
}

func sign(v float64) int { return int(math.Copysign(1, v)) }

// A regret is a distribution of ratios of times.
type regret struct {
	logs        float64
	count, slow int
}

func (r *regret) add(ratio float64) {
	r.logs += math.Log(ratio)
	r.count++
	if ratio > 1.15 {
		r.slow++
	}
}

func (r *regret) String() string {
	n := max(1, float64(r.count))
	return fmt.Sprintf("%.3f, %4.1f %% above 1.15", math.Exp(r.logs/n), 100*float64(r.slow)/n)
}

func twoDigits(v int64) int64 {
	unit := int64(1)
	for v/unit >= 100 {
		unit *= 10
	}
	return (v + unit/2) / unit * unit
}
