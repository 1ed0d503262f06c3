package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A verdict is what became of a fault.
type verdict struct {
	state state
	text  string // for people
	test  string // the test that caught it; empty if none did
}

type state int

const (
	caught state = iota // or equivalent to the source, as the data says and no test disproves
	notRun              // this host cannot run the kernel
	failed              // anything else: not caught, not planted, caught by a test that fails without it
)

var (
	failure = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)
	started = regexp.MustCompile(`(?m)^=== RUN +(\w+)`)
	endless = regexp.MustCompile(`(?m)^panic: test timed out`)
	comment = regexp.MustCompile(`(?m)^[^#\n].*`)
)

// judged returns the verdict on a fault with which tests failed, from what they printed: which test
// caught it, or that the tests do not compile.
func judged(log string) verdict {
	runs := started.FindAllStringSubmatch(log, -1)
	if len(runs) == 0 {
		return verdict{failed, "DOES NOT COMPILE: " + comment.FindString(log), ""}
	}
	last := runs[len(runs)-1][1]
	if endless.MatchString(log) {
		return verdict{caught, "caught by " + last + ", which did not end", last}
	}
	if fails := failure.FindAllStringSubmatch(log, -1); len(fails) > 0 {
		last = fails[len(fails)-1][1]
		return verdict{caught, "caught by " + last, last}
	}
	// The run ended before the test did: by a panic, or an access to an inaccessible page.
	return verdict{caught, "caught by " + last + ", which ended the run", last}
}

// run runs tests in a tree up to the first one that fails. It leaves out those named EverySmall, which
// take long. It returns what they printed, and reports whether they passed.
func (p *planter) run(ctx context.Context, tree string, k *kernel, t tests) (log string, passed bool) {
	limit := "2m"
	if k.exec != "" || k.emulate {
		limit = "5m"
	}
	args := []string{"test", k.tags(), "-p", "1", "-trimpath", "-vet=off", "-count=1", "-short", "-failfast", "-timeout", limit, "-v",
		"-run", t.pattern, "-skip", "EverySmall"}
	if k.exec != "" {
		args = append(args, "-exec", k.exec)
	}
	log, err := said(command(ctx, tree, k.env, p.goCommand, append(args, "./"+t.pkg)...))
	return log, err == nil
}

// confirm reports whether tests pass without a fault, and prints the answer. negation is true if the
// tests are those that buildNegations built. Each answer is found once.
func (p *planter) confirm(ctx context.Context, k *kernel, t tests, negation bool) bool {
	p.confirming.Lock()
	defer p.confirming.Unlock()
	key := fmt.Sprint(k.environment(), t, negation)
	passes, known := p.confirmed[key]
	if known {
		return passes
	}
	begin := time.Now()
	log := ""
	if negation {
		log, passes = p.runNegated(ctx, t, 0)
	} else {
		tree := filepath.Join(p.work, "without-"+k.name)
		_, err := os.Stat(tree)
		if err != nil {
			err = linkTree(p.sound(k), tree, k)
		}
		log, passes = p.run(ctx, tree, k, t)
		passes = passes && err == nil
	}
	passes = passes && started.MatchString(log)
	p.confirmed[key] = passes
	if passes {
		fmt.Printf("%-40s %-10s passes without a fault, %.0f s\n", t.pkg+" "+t.pattern, k.name, time.Since(begin).Seconds())
	} else {
		lines := strings.Split(strings.TrimSpace(log), "\n")
		fmt.Printf("%s\nwithout a fault, %s %s fails for kernel %s\n", strings.Join(lines[max(0, len(lines)-50):], "\n"), t.pkg, t.pattern, k.name)
	}
	return passes
}

// try plants a fault, runs the tests of its kernel, and returns the verdict.
func (p *planter) try(ctx context.Context, f *fault) verdict {
	k := p.kernels[f.kernel]
	if k.missing != "" {
		return verdict{notRun, "not run: no " + k.missing + " here", ""}
	}
	run := func(t tests) (string, bool) { return p.runNegated(ctx, t, f.number) }
	if f.number == 0 {
		work, err := os.MkdirTemp(p.work, "fault")
		if err != nil {
			return verdict{failed, "NOT PLANTED: " + err.Error(), ""}
		}
		defer os.RemoveAll(work)
		tree := filepath.Join(work, "tree")
		if err := p.plantIn(tree, k, f); err != nil {
			return verdict{failed, "NOT PLANTED: " + err.Error(), ""}
		}
		if err := p.compile(ctx, tree, k, place(f.file)); err != nil {
			_, why, _ := strings.Cut(err.Error(), "error: ")
			why, _, _ = strings.Cut(why, "\n")
			return verdict{failed, "DOES NOT COMPILE: " + why, ""}
		}
		run = func(t tests) (string, bool) { return p.run(ctx, tree, k, t) }
	}
	v := p.tested(ctx, k, f, run)
	if ctx.Err() != nil {
		return verdict{failed, "INTERRUPTED", ""}
	}
	return v
}

// plantIn makes a tree with the fault in it, from the one without a fault.
func (p *planter) plantIn(tree string, k *kernel, f *fault) error {
	if err := linkTree(p.sound(k), tree, k); err != nil {
		return err
	}
	file := filepath.Join(tree, place(f.file))
	source, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if source, err = f.plant(source); err != nil {
		return err
	}
	return overwrite(file, source)
}

// tested runs the first tests of a fault, which is planted, and then all tests of its kernel, until
// some fail, and returns the verdict. `run` runs tests with the fault. Tests that fail without the
// fault, too, have caught nothing.
func (p *planter) tested(ctx context.Context, k *kernel, f *fault, run func(tests) (string, bool)) verdict {
	pkg := f.first.pkg
	log, passed := run(f.first)
	if f.compiler {
		if passed || started.MatchString(log) {
			return verdict{failed, "COMPILES", ""}
		}
		if !p.confirm(ctx, k, f.first, false) {
			return verdict{failed, "NOT SOUND: it does not compile without the fault either", ""}
		}
		return verdict{caught, "caught by the compiler: " + comment.FindString(log), ""}
	}
	if passed && !started.MatchString(log) {
		return verdict{failed, fmt.Sprintf("NOT TESTED: %s has no test %s", f.first.pkg, f.first.pattern), ""}
	}
	all := k.all
	if f.number > 0 {
		// The packages before the one that has the negation do not import it, so that their tests
		// cannot notice it.
		all = all[slices.IndexFunc(all, func(t tests) bool { return t.pkg == f.area }):]
	}
	for _, t := range all {
		if passed && t != f.first {
			pkg = t.pkg
			log, passed = run(t)
		}
	}
	if passed && f.equivalent != "" {
		return verdict{caught, "equivalent: " + f.equivalent, ""}
	}
	if passed {
		return verdict{failed, "NOT CAUGHT", ""}
	}
	v := judged(log)
	switch {
	case v.state != caught:
	case f.equivalent != "":
		v = verdict{failed, "NOT EQUIVALENT: " + v.text, ""}
	case !p.confirm(ctx, k, tests{pkg, "^" + v.test + "$"}, f.number > 0):
		v = verdict{failed, "NOT SOUND: " + v.test + " fails without the fault too", ""}
	}
	return v
}
