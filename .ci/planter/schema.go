package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
)

// All negations are built at once. Each condition is negated if the environment variable has its
// number, so that one build of the tests can run with any one of them.
const (
	negationVariable = "PLANTER_NEGATION"
	negationFile     = "zz_negation.go"
	negationSource   = `package %s

import (
	"os"
	"strconv"
)

var negation, _ = strconv.Atoi(os.Getenv("` + negationVariable + `"))
`
)

// Limits of a test with a negation, which can make a loop endless or an array huge.
const (
	negationTime      = "30s" // many times what the tests take
	negationKilobytes = 8 << 20
)

// instrumented returns a Go file with the conditions of faults written so that each is negated if the
// variable `negation` is its number. A condition may contain others.
func instrumented(source []byte, faults []fault) []byte {
	inserted := map[int]string{}
	inside := append([]fault(nil), faults...)
	sort.SliceStable(inside, func(i, j int) bool { return inside[i].start > inside[j].start })
	for _, f := range inside {
		inserted[f.end] += fmt.Sprintf(") != (negation == %d))", f.number)
	}
	for _, f := range faults {
		inserted[f.start] += "(("
	}
	var b bytes.Buffer
	for i, c := range source {
		b.WriteString(inserted[i])
		b.WriteByte(c)
	}
	b.WriteString(inserted[len(source)])
	return b.Bytes()
}

// instrument replaces the files of a tree that have negations by instrumented ones, and adds the
// variable `negation` to their packages.
func instrument(tree string, c *catalog) error {
	of := map[string][]fault{}
	for _, f := range c.faults {
		if f.number > 0 {
			of[f.file] = append(of[f.file], f)
		}
	}
	for file, faults := range of {
		path := filepath.Join(tree, file)
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := overwrite(path, instrumented(source, faults)); err != nil {
			return err
		}
		own := fmt.Sprintf(negationSource, filepath.Base(filepath.Dir(file)))
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), negationFile), []byte(own), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// buildNegations makes the tree of the negations and builds the tests of a kernel in it.
func (p *planter) buildNegations(ctx context.Context, k *kernel, c *catalog) error {
	tree := p.negations()
	if err := linkTree(p.sound(k), tree, k); err != nil {
		return err
	}
	if err := instrument(tree, c); err != nil {
		return err
	}
	for _, t := range k.all {
		build := command(ctx, tree, k.env, p.goCommand, "test", k.tags(), "-c", "-trimpath", "-vet=off", "-o", binary(t.pkg), "./"+t.pkg)
		if _, err := said(build); err != nil {
			return err
		}
	}
	return nil
}

// negations returns the folder of the tree of the negations.
func (p *planter) negations() string { return filepath.Join(p.work, "negations") }

// binary returns the path of the compiled tests of a package in the tree of the negations.
func binary(pkg string) string { return pkg + "/negated.test" }

// runNegated runs tests with the negation of that number, or with none if it is 0, up to the first
// test that fails. It returns what they printed, and reports whether they passed.
func (p *planter) runNegated(ctx context.Context, t tests, number int) (log string, passed bool) {
	args := []string{"-c", `ulimit -v "$0" && exec "$@"`, strconv.Itoa(negationKilobytes),
		"./negated.test", "-test.timeout", negationTime, "-test.short", "-test.failfast", "-test.v", "-test.run", t.pattern}
	env := []string{negationVariable + "=" + strconv.Itoa(number)}
	log, err := said(command(ctx, filepath.Join(p.negations(), t.pkg), env, "sh", args...))
	return log, err == nil
}
