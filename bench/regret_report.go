package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
)

// spread says how far ratios of at least 1 lie above 1: their mean, the share above slowFrom, their
// 99th percentile, and the largest, which is NaN if it means nothing.
type spread struct {
	mean, slow, p99, worst float64
}

const slowFrom = 1.15

// spreadOf returns the spread of ratios, those below 1 taken as 1: what is
// faster does not make up for what is slower.
func spreadOf(ratios []float64) (s spread) {
	raised := make([]float64, len(ratios))
	for i, r := range ratios {
		raised[i] = max(1, r)
	}
	return spread{mean(raised), share(raised, func(r float64) bool { return r > slowFrom }), percentile(raised, 99), slices.Max(raised)}
}

// above returns what is left of a spread once the noise, floor, is taken off: 1 plus the
// difference of the means, the difference of the shares, the quotient of the percentiles, and
// no worst.
func (s spread) above(floor spread) spread {
	return spread{1 + s.mean - floor.mean, s.slow - floor.slow, s.p99 / floor.p99, math.NaN()}
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

func geomean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += math.Log(x)
	}
	return math.Exp(sum / float64(len(v)))
}

func share(v []float64, is func(float64) bool) float64 {
	n := 0
	for _, x := range v {
		if is(x) {
			n++
		}
	}
	return float64(n) / float64(len(v))
}

// percentile returns the least of v that at least p percent of v are not larger than.
func percentile(v []float64, p float64) float64 {
	sorted := slices.Sorted(slices.Values(v))
	return sorted[max(0, int(math.Ceil(p/100*float64(len(sorted))))-1)]
}

func printRegrets(w io.Writer, title string, all []*outcome) {
	raw, floor := spreadOf(regrets(all)), spreadOf(floors(all))
	fmt.Fprintf(w, "%-28s %7s %8s %7s %7s\n", fmt.Sprintf("%s, %d slices", title, len(all)), "mean", "> 1.15", "p99", "worst")
	for _, line := range []struct {
		name string
		spread
	}{{"choice / best reference", raw}, {"choice / itself: the floor", floor}, {"above the floor", raw.above(floor)}} {
		worst := ""
		if !math.IsNaN(line.worst) {
			worst = fmt.Sprintf("%7.3f", line.worst)
		}
		fmt.Fprintf(w, "%-28s %7.4f %6.2f %% %7.3f %s\n", line.name, line.mean, 100*line.slow, line.p99, worst)
	}
	fmt.Fprintln(w)
}

func regrets(all []*outcome) (v []float64) {
	for _, o := range all {
		v = append(v, o.regret)
	}
	return v
}

func floors(all []*outcome) (v []float64) {
	for _, o := range all {
		v = append(v, o.floor)
	}
	return v
}

// printOthers prints how fast the choice is beside each peer and the other checkout.
func printOthers(w io.Writer, all []*outcome) {
	names := map[string]bool{}
	for _, o := range all {
		for name := range o.others {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		var speeds []float64 // of the choice, as multiples of the other's
		worst := math.Inf(1)
		where := ""
		for _, o := range all {
			slower, ok := o.others[name]
			if !ok {
				continue
			}
			speeds = append(speeds, 1/slower)
			if 1/slower < worst {
				worst, where = 1/slower, o.name
			}
		}
		fmt.Fprintf(w, "%s: %d slices; choice faster by %.2f on geometric average, behind in %.2f %%, by more than 5 %% in %.2f %%, at worst %.3f times as fast (%s)\n",
			name, len(speeds), geomean(speeds), 100*share(speeds, func(r float64) bool { return r < 1 }),
			100*share(speeds, func(r float64) bool { return r < 1/1.05 }), worst, where)
	}
	if len(names) > 0 {
		fmt.Fprintln(w)
	}
}

// printWorst prints in how many slices with a regret above slowFrom each reference won, then the
// n slices of the greatest regret.
func printWorst(w io.Writer, all []*outcome, n int) {
	sorted := slices.SortedStableFunc(slices.Values(all), func(a, b *outcome) int { return cmp.Compare(b.regret, a.regret) })
	won := map[string]int{}
	for _, o := range sorted {
		if o.regret > slowFrom {
			won[o.winner]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(won)) {
		fmt.Fprintf(w, "%s is more than %.2f times as fast in %d\n", name, slowFrom, won[name])
	}
	for _, o := range sorted[:min(n, len(sorted))] {
		fmt.Fprintf(w, "\n%.3f: %s is faster; slice %s, %d bytes in %.0f ns, floor %.3f\n", o.regret, o.winner, o.name, o.bytes, o.ns, o.floor)
		fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(o.nest, "\n", "\n  "))
	}
}

// writeOutcomes writes a line of names, then one for each slice, with tabs between fields.
func writeOutcomes(w io.Writer, all []*outcome) error {
	if _, err := fmt.Fprintln(w, "slice\tbytes\tns\tregret\tfloor\twinner\tagainst\tnumpy\tonnxruntime\tnest"); err != nil {
		return err
	}
	for _, o := range all {
		_, err := fmt.Fprintf(w, "%s\t%d\t%.1f\t%.4f\t%.4f\t%s\t%s\t%s\t%s\t%s\n", o.name, o.bytes, o.ns, o.regret, o.floor, o.winner,
			o.other(against), o.other(numpy), o.other(onnxRuntime), strings.Join(strings.Fields(o.nest), " "))
		if err != nil {
			return err
		}
	}
	return nil
}

// other returns the time of the choice as a multiple of that of a peer or of the other checkout, as
// text, or "" if that was not measured on the slice.
func (o *outcome) other(name string) string {
	if r, ok := o.others[name]; ok {
		return fmt.Sprintf("%.4f", r)
	}
	return ""
}
