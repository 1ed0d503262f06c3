// Planter plants faults, one at a time in a copy of the tree, and fails unless a test of the fault's
// kernel catches each and passes without the fault. Several copies are tested at once. It runs the
// tests first that the fault names, then all tests of the kernel, until one fails, and prints which
// test caught which fault. Some faults must be caught by the compiler instead, and some negations
// are listed in the data as ones that no test can notice. The faults of a kernel that this host cannot run are
// named as not run. On amd64, what is for arm64 runs under qemu, and AVX-512, where the host lacks it,
// is done byte by byte.
//
// The faults are those of .ci/faults.d. An argument is a pattern of those to plant.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/seed2e45c115/dml/slice1"
)

// A planter plants faults of the tree at root in trees under work.
type planter struct {
	root, work string
	goCommand  string
	kernels    map[string]*kernel
	confirming sync.Mutex
	confirmed  map[string]bool // whether tests pass without a fault, by what confirm makes the key of
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := plantAll(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1)
	}
}

func plantAll(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("planter", flag.ContinueOnError)
	pattern := flags.String("run", "", "plant the faults whose name, kernel, file or test matches this `pattern`")
	sample := flags.Int("sample", 0, "plant `n` faults, chosen evenly over the list; 0 plants all")
	seed := flags.String("seed", "", "which faults a sample has, a `number`; the commit's hash if empty")
	list := flags.Bool("list", false, "print the faults and plant none")
	jobs := flags.Int("jobs", 2, "plant this `number` of faults at a time")
	emulate := flags.Bool("emulate", false, "do AVX-512 byte by byte even if this host has it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 1 || flags.NArg() == 1 && *pattern != "" || *jobs < 1 || *sample < 0 {
		return errors.New("planter takes one pattern, jobs from 1 and a sample from 0")
	}
	if flags.NArg() == 1 {
		*pattern = flags.Arg(0)
	}
	root, err := os.Getwd()
	if err != nil {
		return err
	}
	c, err := load(root)
	if err != nil {
		return err
	}
	p := &planter{root: root, goCommand: "go", confirmed: map[string]bool{}}
	if g := os.Getenv("GO"); g != "" {
		p.goCommand = g
	}
	if err := p.look(ctx, c.negated, *emulate); err != nil {
		return err
	}
	chosen, err := p.choose(ctx, c, *pattern, *sample, *seed)
	if err != nil {
		return err
	}
	if *list {
		for _, f := range chosen {
			fmt.Printf("%-10s %-40s %s\n", f.kernel, f.name, f.file)
		}
		return nil
	}
	if p.work, err = os.MkdirTemp("", "faults"); err != nil {
		return err
	}
	defer os.RemoveAll(p.work)
	begin := time.Now()
	if err := p.prepare(ctx, c, chosen); err != nil {
		return err
	}
	verdicts := p.all(ctx, chosen, *jobs)
	return report(chosen, verdicts, time.Since(begin))
}

// look sets p.kernels by what this host has and can run.
func (p *planter) look(ctx context.Context, planning []string, emulate bool) error {
	cc, err := command(ctx, p.root, nil, p.goCommand, "env", "CC").Output()
	if err != nil {
		return fmt.Errorf("%s env CC: %w", p.goCommand, err)
	}
	simd, err := toolchain(p.root, "simd")
	if err != nil {
		return err
	}
	h := host{arch: runtime.GOARCH, cc: strings.TrimSpace(string(cc)), usable: map[string]bool{}, emulate: emulate, simd: simd}
	for _, k := range slice1.Kernels() {
		h.usable[k.Name] = k.Usable
	}
	p.kernels = kernelsOf(h, planning)
	return nil
}

// sound returns the folder of the tree without a fault for a kernel.
func (p *planter) sound(k *kernel) string {
	return filepath.Join(p.work, fmt.Sprintf("sound-%t", k.emulate))
}

// prepare makes the trees without a fault that the chosen faults need and compiles their C. If
// negations are chosen, it builds the tests that have all negations.
func (p *planter) prepare(ctx context.Context, c *catalog, chosen []fault) error {
	ready := map[string]bool{}
	once := func(what string, do func() error) error {
		if ready[what] {
			return nil
		}
		ready[what] = true
		return do()
	}
	for _, f := range chosen {
		k := p.kernels[f.kernel]
		if k.missing != "" {
			continue
		}
		tree := p.sound(k)
		if err := once(tree, func() error { return soundTree(p.root, tree) }); err != nil {
			return err
		}
		if k.c.CgoCFLAGS == nil {
			if err := p.findFlags(ctx, k); err != nil {
				return err
			}
		}
		if err := once(tree+k.arch, func() error { return p.compile(ctx, tree, k, "") }); err != nil {
			return err
		}
		if f.number > 0 {
			if err := once("negations", func() error { return p.buildNegations(ctx, k, c) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// all plants the chosen faults, `jobs` at a time, prints what became of each, and returns their
// verdicts in order.
func (p *planter) all(ctx context.Context, chosen []fault, jobs int) []verdict {
	verdicts := make([]verdict, len(chosen))
	next := make(chan int)
	var planting sync.WaitGroup
	for range jobs {
		planting.Add(1)
		go func() {
			defer planting.Done()
			for i := range next {
				verdicts[i] = p.try(ctx, &chosen[i])
				fmt.Printf("%-40s %-10s %s\n", chosen[i].name, chosen[i].kernel, verdicts[i].text)
			}
		}()
	}
	for i := range chosen {
		next <- i
	}
	close(next)
	planting.Wait()
	return verdicts
}
