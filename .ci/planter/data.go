package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// dataFolder holds the faults, as blocks of "key: value" lines.
const dataFolder = ".ci/faults.d"

// A fault is one change of one source file that a test, or the compiler, must notice.
type fault struct {
	name     string
	kernel   string // whose tests must notice it
	file     string
	function string // that has the text; empty for the whole file
	find     string // text on exactly one line
	put      string // what stands in its place
	first    tests  // run before all others
	compiler bool   // whether the compiler must catch it, and no test

	number     int    // of a negation, from 1 on; 0 for other faults
	start, end int    // offsets of the condition that a negation has instead of find and put
	equivalent string // why no test can notice the negation; empty if one must
	area       string // what it counts for in the report: a file of faults, or a package of negations
}

// A catalog is what the data folder says.
type catalog struct {
	faults    []fault  // negations included
	negated   []string // packages whose conditions are negated
	negations int      // how many of the faults are negations
}

// A block is the fields of some consecutive lines.
type block struct {
	where  string            // the file and the number of its first line
	fields map[string]string // values by key
}

// inherit gives a block the file, the kernel and the tests of the block before it in the same file of
// faults, where it has none of its own.
func (b *block) inherit(before block) {
	name, _, _ := strings.Cut(b.where, ":")
	if last, _, _ := strings.Cut(before.where, ":"); last != name {
		return
	}
	for _, key := range []string{"file", "kernel", "test"} {
		if value, ok := before.fields[key]; ok && b.fields[key] == "" {
			b.fields[key] = value
		}
	}
}

// take returns a field and removes it.
func (b *block) take(key string) string {
	v := b.fields[key]
	delete(b.fields, key)
	return v
}

// must returns a field and removes it. If there is none, it adds an error.
func (b *block) must(key string, errs *[]error) string {
	if _, ok := b.fields[key]; !ok {
		*errs = append(*errs, fmt.Errorf("%s: there is no %q", b.where, key+":"))
	}
	return b.take(key)
}

// end adds an error for each field that was not taken.
func (b *block) end(errs *[]error) {
	for key := range b.fields {
		*errs = append(*errs, fmt.Errorf("%s: %q is no field of this block", b.where, key+":"))
	}
}

// blocks splits the data of a file at empty lines. A line that begins with # is left out.
func blocks(name, data string) ([]block, error) {
	var found []block
	inside := false
	for i, line := range strings.Split(data, "\n") {
		line = strings.TrimSpace(line)
		if line == "" {
			inside = false
		}
		if line == "" || line[0] == '#' {
			continue
		}
		where := fmt.Sprintf("%s:%d", name, i+1)
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("%s: a line must be a key, a colon and a value", where)
		}
		if !inside {
			found, inside = append(found, block{where, map[string]string{}}), true
		}
		b := &found[len(found)-1]
		if _, twice := b.fields[key]; twice {
			return nil, fmt.Errorf("%s: a second %q in one block", where, key+":")
		}
		b.fields[key] = strings.TrimSpace(value)
	}
	return found, nil
}

// load reads the catalog of the tree at root.
func load(root string) (*catalog, error) {
	files, err := filepath.Glob(filepath.Join(root, dataFolder, "*.txt"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("there is no file of faults in %s", dataFolder)
	}
	sort.Strings(files)
	var all []block
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		found, err := blocks(filepath.Base(file), string(data))
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return interpret(root, all)
}

// interpret makes the catalog of all blocks: those that spell out a fault, those that negate the
// conditions of a package, and those that say why a negation is equivalent to the source. The error
// joins all that is wrong.
func interpret(root string, all []block) (*catalog, error) {
	c := &catalog{}
	var errs []error
	equivalents := map[string]block{}
	before := block{}
	for _, b := range all {
		switch {
		case b.fields["negate"] != "":
			c.negate(root, b, &errs)
		case b.fields["equivalent"] != "":
			if _, twice := equivalents[b.fields["equivalent"]]; twice {
				errs = append(errs, fmt.Errorf("%s: %q is equivalent already", b.where, b.fields["equivalent"]))
			}
			equivalents[b.fields["equivalent"]] = b
		default:
			b.inherit(before)
			before = block{b.where, maps.Clone(b.fields)}
			c.faults = append(c.faults, written(root, b, &errs))
		}
	}
	c.mark(equivalents, &errs)
	errs = append(errs, c.duplicates()...)
	return c, errors.Join(errs...)
}

// written returns the fault of a block that spells it out.
func written(root string, b block, errs *[]error) fault {
	area, _, _ := strings.Cut(b.where, ".")
	f := fault{name: b.must("fault", errs), kernel: b.must("kernel", errs), file: b.must("file", errs),
		function: b.take("in"), find: b.must("find", errs), put: b.must("put", errs),
		first: testsOf(root, b.must("test", errs), b.where, errs), area: area}
	f.compiler = b.take("compiler") == "catches"
	b.end(errs)
	if f.find == "" {
		*errs = append(*errs, fmt.Errorf("%s: the text to find is empty", b.where))
	}
	return f
}

// testsOf parses a package and a pattern of its tests, a space between them. The package is a path in
// the repository, or one in slice1/internal.
func testsOf(root, s, where string, errs *[]error) tests {
	pkg, pattern, ok := strings.Cut(s, " ")
	for _, path := range []string{pkg, "slice1/internal/" + pkg} {
		if info, err := os.Stat(filepath.Join(root, path)); ok && err == nil && info.IsDir() {
			return tests{path, strings.TrimSpace(pattern)}
		}
	}
	*errs = append(*errs, fmt.Errorf("%s: %q is not a package and a pattern of its tests", where, s))
	return tests{}
}

// negate adds a fault for each condition of the package that a block names.
func (c *catalog) negate(root string, b block, errs *[]error) {
	pkg, kernel := b.must("negate", errs), b.must("kernel", errs)
	first := testsOf(root, b.must("test", errs), b.where, errs)
	b.end(errs)
	faults, err := negations(root, pkg)
	if err != nil {
		*errs = append(*errs, fmt.Errorf("%s: %w", b.where, err))
	}
	for _, f := range faults {
		c.negations++
		f.kernel, f.first, f.area, f.number = kernel, first, pkg, c.negations
		c.faults = append(c.faults, f)
	}
	c.negated = append(c.negated, pkg)
}

// mark sets the field equivalent of each negation that a block calls equivalent to the source, to the
// reason that the block gives. It adds an error for a block whose name no negation has.
func (c *catalog) mark(equivalents map[string]block, errs *[]error) {
	for i := range c.faults {
		f := &c.faults[i]
		if b, ok := equivalents[f.name]; ok && f.number > 0 {
			b.take("equivalent")
			f.equivalent = b.must("reason", errs)
			b.end(errs)
			delete(equivalents, f.name)
		}
	}
	for name, b := range equivalents {
		*errs = append(*errs, fmt.Errorf("%s: no condition is called %q", b.where, name))
	}
}

// duplicates returns an error for each fault whose kernel has an earlier one of its name.
func (c *catalog) duplicates() (errs []error) {
	seen := map[[2]string]bool{}
	for _, f := range c.faults {
		if seen[[2]string{f.name, f.kernel}] {
			errs = append(errs, fmt.Errorf("two faults of kernel %s are called %q", f.kernel, f.name))
		}
		seen[[2]string{f.name, f.kernel}] = true
	}
	return errs
}
