package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"
)

// choose returns the faults of the catalog that match a pattern or, if sample is not 0, at most that
// many of them. The pattern is matched with the fault's name, kernel and file and with the package and pattern
// of its first tests. choose fails if no fault matches.
func (p *planter) choose(ctx context.Context, c *catalog, pattern string, sample int, seed string) ([]fault, error) {
	match, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	var chosen []fault
	for _, f := range c.faults {
		k, ok := p.kernels[f.kernel]
		if !ok {
			return nil, fmt.Errorf("%s: there is no kernel %q", f.name, f.kernel)
		}
		// A sample leaves out faults that cannot be planted here, and those that no test
		// can notice.
		if sample > 0 && (k.missing != "" || f.equivalent != "") {
			continue
		}
		if match.MatchString(strings.Join([]string{f.name, f.kernel, f.file, f.first.pkg, f.first.pattern}, " | ")) {
			chosen = append(chosen, f)
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("no fault matches %q", pattern)
	}
	if sample == 0 {
		return chosen, nil
	}
	number, err := p.number(ctx, seed)
	if err != nil {
		return nil, err
	}
	fmt.Printf("a sample of %d of %d faults, -seed %d\n", min(sample, len(chosen)), len(chosen), number)
	return sampled(chosen, sample, number), nil
}

// number returns the number of a seed. If the seed is empty, the number is made from the hash of the
// commit, or is 0 outside a repository.
func (p *planter) number(ctx context.Context, seed string) (uint64, error) {
	if seed != "" {
		return strconv.ParseUint(seed, 10, 64)
	}
	commit, err := command(ctx, p.root, nil, "git", "rev-parse", "HEAD").Output()
	if err != nil {
		return 0, nil
	}
	h := fnv.New64a()
	h.Write(commit)
	return h.Sum64() % 1_000_000, nil
}

// sampled returns n of the faults at even distances in the list, each moved on by as many places as
// the seed says, past the end to the beginning. It returns all if there are no more than n.
func sampled(all []fault, n int, seed uint64) []fault {
	if n >= len(all) {
		return all
	}
	chosen := make([]fault, n)
	for i := range chosen {
		chosen[i] = all[(uint64(i*len(all)/n)+seed)%uint64(len(all))]
	}
	return chosen
}

// report prints, for each area and in all, how many faults were caught, run and not run. It fails if
// there is a fault that ran and was not caught, with an error that lists these.
func report(chosen []fault, verdicts []verdict, took time.Duration) error {
	type count struct{ caught, run, not int }
	counts := map[string]*count{}
	var all count
	var bad []string
	for i, v := range verdicts {
		f := chosen[i]
		c := counts[f.area]
		if c == nil {
			c = &count{}
			counts[f.area] = c
		}
		for _, c := range []*count{c, &all} {
			switch v.state {
			case caught:
				c.caught++
				c.run++
			case failed:
				c.run++
			case notRun:
				c.not++
			}
		}
		if v.state == failed {
			bad = append(bad, fmt.Sprintf("%-40s %-10s %s", f.name, f.kernel, v.text))
		}
	}
	areas := make([]string, 0, len(counts))
	for area := range counts {
		areas = append(areas, area)
	}
	sort.Strings(areas)
	fmt.Println()
	for _, area := range areas {
		c := counts[area]
		fmt.Printf("%-24s %4d caught of %4d run, %4d not run\n", area, c.caught, c.run, c.not)
	}
	fmt.Printf("%d faults caught of %d run, %d not run, %.0f s\n", all.caught, all.run, all.not, took.Seconds())
	if len(bad) > 0 {
		return errors.New("\n" + strings.Join(bad, "\n"))
	}
	return nil
}
