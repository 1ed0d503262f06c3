package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// spread says how far ratios of at least 1 lie above 1: their geometric mean, and the percentage above slowFrom.
type spread struct{ mean, slow float64 }

const slowFrom = 1.15

// spreadOf returns the spread of ratios, those below 1 taken as 1: what is
// faster does not make up for what is slower.
func spreadOf(ratios []float64) spread {
	raised := make([]float64, len(ratios))
	for i, r := range ratios {
		raised[i] = max(1, r)
	}
	return spread{geomean(raised), 100 * share(raised, func(r float64) bool { return r > slowFrom })}
}

// above returns what is left of a spread once the noise, floor, is taken off.
func (s spread) above(floor spread) spread { return spread{s.mean / floor.mean, s.slow - floor.slow} }

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
func percentile[T cmp.Ordered](v []T, p float64) T {
	sorted := slices.Sorted(slices.Values(v))
	return sorted[max(0, int(math.Ceil(p/100*float64(len(sorted))))-1)]
}

// bins are ranges of the time of a run, up to `to` nanoseconds. The last takes all slices.
var bins = []struct {
	name     string
	from, to float64
}{
	{"to-2us", 0, 2e3}, {"to-10us", 2e3, 10e3}, {"to-100us", 10e3, 100e3}, {"to-1ms", 100e3, 1e6}, {"above-1ms", 1e6, math.Inf(1)}, {"all", 0, math.Inf(1)},
}

// printRegrets prints two lines in Go's benchmark format for the slices of each time of a run, with hot and
// with cold buffers. The iterations of a line are its slices.
func printRegrets(w io.Writer, all []*outcome) {
	for _, cold := range []bool{false, true} {
		for _, bin := range bins {
			var some []*outcome
			for _, o := range all {
				if o.cold == cold && bin.from <= o.ns && o.ns < bin.to {
					some = append(some, o)
				}
			}
			if len(some) > 0 {
				printBin(w, fmt.Sprintf("buffers=%s/run=%s", temperature(cold), bin.name), some)
			}
		}
	}
}

func temperature(cold bool) string {
	if cold {
		return "cold"
	}
	return "hot"
}

func printBin(w io.Writer, key string, some []*outcome) {
	each := func(of func(*outcome) float64) (v []float64) {
		for _, o := range some {
			v = append(v, of(o))
		}
		return v
	}
	noise := spreadOf(each(func(o *outcome) float64 { return o.floor }))
	best := spreadOf(each(func(o *outcome) float64 { return o.regret }))
	above := best.above(noise)
	fmt.Fprintf(w, "BenchmarkRegret/%-29s %4d %7.4f best-x %5.1f best-slow-%% %7.4f noise-x %5.1f noise-slow-%% %7.4f above-x %5.1f above-slow-%%",
		key, len(some), best.mean, best.slow, noise.mean, noise.slow, above.mean, above.slow)
	if some[0].against > 0 {
		old := each(func(o *outcome) float64 { return o.against })
		above := spreadOf(old).above(noise)
		fmt.Fprintf(w, " %7.4f against-x %7.4f against-above-x %5.1f against-above-slow-%%", geomean(old), above.mean, above.slow)
	}
	fmt.Fprintln(w)
	if some[0].learned == nil {
		return
	}
	first := each(func(o *outcome) float64 { return float64(sum(o.learned)) / float64(sum(o.fixed)) })
	var learned, fixed []float64 // single runs, as multiples of the slice's usual one without learning
	for _, o := range some {
		usual := percentile(o.fixed, 50)
		for i := range o.learned {
			learned, fixed = append(learned, float64(o.learned[i])/float64(usual)), append(fixed, float64(o.fixed[i])/float64(usual))
		}
	}
	more := share(each(func(o *outcome) float64 { return float64(o.more) }), func(n float64) bool { return n > 0 })
	fmt.Fprintf(w, "BenchmarkFirst/%-30s %4d %7.4f first-x %7.3f first-p99-x %7.3f fixed-p99-x %5.1f unsettled-%%\n",
		key, len(some), geomean(first), percentile(learned, 99), percentile(fixed, 99), 100*more)
}

func sum(v []int64) (total int64) {
	for _, x := range v {
		total += x
	}
	return total
}

// printWorst prints the n slices of the greatest regret.
func printWorst(w io.Writer, all []*outcome, n int) {
	sorted := slices.SortedStableFunc(slices.Values(all), func(a, b *outcome) int { return cmp.Compare(b.regret, a.regret) })
	for _, o := range sorted[:min(n, len(sorted))] {
		fmt.Fprintf(w, "# %.3f (noise %.3f) slice %d-%d %s, %.0f ns: %s instead of %s\n",
			o.regret, o.floor, o.seed, o.number, temperature(o.cold), o.ns, o.chosen, o.winner)
	}
}

// writeOutcomes writes a line in Go's benchmark format for each slice.
func writeOutcomes(w io.Writer, all []*outcome) error {
	for _, o := range all {
		first := 0.0
		if o.learned != nil {
			first = float64(sum(o.learned)) / float64(sum(o.fixed))
		}
		if _, err := fmt.Fprintf(w, "BenchmarkSlice/seed=%d/slice=%d/buffers=%s/chosen=%s/best=%s 1 %.1f ns/op %.4f best-x %.4f noise-x %.4f against-x %.4f first-x %d unsettled-runs\n",
			o.seed, o.number, temperature(o.cold), dashed(o.chosen), dashed(o.winner), o.ns, o.regret, o.floor, o.against, first, o.more); err != nil {
			return err
		}
	}
	return nil
}

// dashed returns the name of a candidate as a word.
func dashed(name string) string { return strings.ReplaceAll(name, " ", "-") }
