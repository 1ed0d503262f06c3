package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
)

const (
	caseHead = "%4s %10s %12s %7s %5s %6s %8s %8s %8s %9s  %s\n"
	caseLine = "%4d %10d %12.0f %7.2f %5s %6.2f %8s %8s %8s %9s  %s\n"
	meanHead = "%4s %6s %8s %8s %8s %8s %9s\n"
	meanLine = "%4s %6d %8s %8s %8s %8s %9s\n"
)

// runCases measures the permutations of a list, and prints a line for each and means by rank.
func runCases(o *options, m *meter, stdout io.Writer) error {
	file, err := os.Open(o.cases)
	if err != nil {
		return err
	}
	defer file.Close()
	list, err := parsePermutations(file)
	if err != nil {
		return fmt.Errorf("%s: %w", o.cases, err)
	}
	bar := newProgress(len(list))
	fmt.Fprintf(stdout, caseHead, "rank", "bytes", "ns", "GB/s", "±", "memcpy", "x numpy", "x fftw", "x naive", "x against", "case")
	ratios := map[int]map[string][]float64{} // by rank and name; rank 0 has those of all ranks
	for _, p := range list {
		bar.Add(1)
		d, err := p.desc()
		if err != nil {
			return err
		}
		r, err := m.measureDesc(d, nil)
		if err != nil {
			return fmt.Errorf("%s: %w", p.text, err)
		}
		bar.Clear()
		printCase(stdout, &p, r)
		for _, rank := range []int{0, p.rank()} {
			if ratios[rank] == nil {
				ratios[rank] = map[string][]float64{}
			}
			for name, times := range r.caseRatios() {
				ratios[rank][name] = append(ratios[rank][name], times)
			}
		}
	}
	bar.Finish()
	fmt.Fprintf(stdout, "\ngeometric means\n"+meanHead, "rank", "cases", memcpy, "x numpy", "x fftw", "x naive", "x against")
	for _, rank := range append(slices.Sorted(maps.Keys(ratios))[1:], 0) {
		name := fmt.Sprint(rank)
		if rank == 0 {
			name = "all"
		}
		found := ratios[rank]
		fmt.Fprintf(stdout, meanLine, name, len(found[memcpy]), meanOf(found[memcpy]), meanOf(found[numpy]), meanOf(found[fftw]), meanOf(found[naive]), meanOf(found[against]))
	}
	return nil
}

const memcpy = "memcpy"

// caseRatios returns how many times as fast the choice is as memcpy and as each of the others
// that the row has.
func (r *row) caseRatios() map[string]float64 {
	chosen := r.find(dml)
	ratios := map[string]float64{memcpy: ratio(r.roof, chosen.ns)}
	for _, name := range []string{naive, numpy, fftw, against} {
		if c := r.find(name); c != nil {
			ratios[name] = ratio(c.ns, chosen.ns)
		}
	}
	return ratios
}

func printCase(w io.Writer, p *permutation, r *row) {
	c := r.find(dml)
	s := summary(c.ns)
	fmt.Fprintf(w, caseLine, p.rank(), r.bytes, s.Center, r.rate(s.Center), s.PctRangeString(), ratio(r.roof, c.ns),
		r.versus(numpy, c), r.versus(fftw, c), r.versus(naive, c), r.versus(against, c), p.text)
}

// meanOf returns the geometric mean as text, or "" if there are no ratios.
func meanOf(ratios []float64) string {
	if len(ratios) == 0 {
		return ""
	}
	return fmt.Sprintf("%.3f", geomean(ratios))
}
