// Planter plants the faults of .ci/faults.txt, one at a time. Each fault names tests. Planter fails
// unless these tests fail with the fault and pass without it. Faults are in overlays of the go
// command, or in libraries that tests load, so the tree stays as it is. Planter reports faults of a
// kernel that this host cannot run as not run. It runs on x86-64, where tests for arm64 run under
// qemu. If the host lacks AVX-512, csrc/emulate.h emulates its instructions.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"sync"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := plantAll(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func plantAll(ctx context.Context) error {
	pattern := flag.String("run", "", "plant the faults whose name, kernel, file or tests match this `pattern`")
	sample := flag.Int("sample", 0, "plant `n` faults, chosen evenly over the list; 0 plants all")
	seed := flag.Uint64("seed", rand.Uint64N(1e6), "which faults a sample has, a `number`")
	list := flag.Bool("list", false, "print the faults and plant none")
	flag.Parse()
	match, err := regexp.Compile(*pattern)
	if err != nil {
		return err
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	faults, err := load(root)
	if err != nil {
		return err
	}
	p := &planter{root: root, host: thisHost(), shared: map[string]*shared{}}
	chosen := p.choose(faults, match, *sample, *seed)
	if len(chosen) == 0 {
		return fmt.Errorf("no fault matches %q", *pattern)
	}
	if *list {
		for _, f := range chosen {
			fmt.Printf("%-10s %-40s %s\n", f.kernel, f.name, f.file)
		}
		return nil
	}
	if *sample > 0 {
		fmt.Printf("a sample of %d faults, -seed %d\n", len(chosen), *seed)
	}
	if p.work, err = os.MkdirTemp("", "faults"); err != nil {
		return err
	}
	defer os.RemoveAll(p.work)
	if err := p.prepare(ctx, chosen); err != nil {
		return err
	}
	return report(chosen, p.tryFaults(ctx, chosen))
}

// choose returns the faults that match, or a sample of them at even distances. The seed says by how
// many places the sample is moved. A sample leaves out faults that cannot be planted here.
func (p *planter) choose(faults []fault, match *regexp.Regexp, sample int, seed uint64) (chosen []fault) {
	for _, f := range faults {
		if match.MatchString(fmt.Sprint(f.name, " | ", f.kernel, " | ", f.file, " | ", f.tests)) &&
			(sample == 0 || p.host.kernel(f.kernel).missing == "") {
			chosen = append(chosen, f)
		}
	}
	if sample == 0 || sample >= len(chosen) {
		return chosen
	}
	even := make([]fault, sample)
	for i := range even {
		even[i] = chosen[(uint64(i*len(chosen)/sample)+seed)%uint64(len(chosen))]
	}
	return even
}

// tryFaults plants the chosen faults, two at a time, prints what became of each, and returns their
// verdicts.
func (p *planter) tryFaults(ctx context.Context, chosen []fault) []verdict {
	verdicts := make([]verdict, len(chosen))
	index := make(chan int)
	var planting sync.WaitGroup
	for range 2 {
		planting.Go(func() {
			for i := range index {
				verdicts[i] = p.try(ctx, &chosen[i])
				fmt.Printf("%-40s %-10s %s\n", chosen[i].name, chosen[i].kernel, verdicts[i].text)
			}
		})
	}
	for i := range chosen {
		index <- i
	}
	close(index)
	planting.Wait()
	return verdicts
}

// report prints how many faults were caught and how many were not run. If any other fault got away,
// it returns an error that lists them.
func report(chosen []fault, verdicts []verdict) error {
	var count [failed + 1]int
	bad := ""
	for i, v := range verdicts {
		if count[v.state]++; v.state == failed {
			bad += fmt.Sprintf("\n%-40s %-10s %s", chosen[i].name, chosen[i].kernel, v.text)
		}
	}
	fmt.Printf("\n%d faults caught of %d run, %d not run\n", count[caught], count[caught]+count[failed], count[notRun])
	if bad != "" {
		return fmt.Errorf("%s", strings.TrimPrefix(bad, "\n"))
	}
	return nil
}
