package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sync"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/slice1"
)

// A planter plants faults of the tree at root. It writes to the folder work.
type planter struct {
	root, work string
	host       host
	shared     map[string]*shared // by the build of a kernel
	confirmed  sync.Map           // functions that find out once whether tests pass without a fault, by build and tests
}

// A host describes the machine with an x86-64 processor that the planter runs on.
type host struct {
	usable map[string]bool // whether it can run a kernel, by name
	simd   string          // the version of Go that package vector is written for
}

func thisHost() host {
	h := host{map[string]bool{}, os.Getenv("simd")}
	for _, k := range slice1.Kernels() {
		h.usable[k.Name] = k.Usable
	}
	if !cpuid.Host().AVX512VNNI { // else no test would run csrc/vnni.h
		delete(h.usable, "avx512")
	}
	return h
}

// A kernel is how the source of a fault is compiled and tested.
type kernel struct {
	missing string   // what the host lacks to run it; empty if nothing
	build   string   // a name for how it is compiled, which kernels may share
	sets    string   // GOARCH of the sets that it has in C; empty without C
	c       string   // the C compiler with the flags for their loops
	env     []string // more variables for the environment of the go command
	tags    string
	exec    []string // the program that runs its tests, with arguments; empty for none
}

// kernel returns how the faults of a kernel are compiled and tested. "go" is Go without vectors,
// "simd" and "simd-arm64" are Go's vectors on amd64 and on arm64, "csrc" is C for all sets of the
// host. "plan" is the code that plans, for all sets, without running C. It has package vector,
// since it may also choose vector's loops.
func (h host) kernel(name string) kernel {
	// The first tag compiles C with -O1, which takes half the time, and with the other two, builds
	// share most of the standard library. Users' builds have no assertions, so tests must see a
	// fault without assertions.
	k := kernel{build: "c", sets: "amd64", env: []string{"CGO_ENABLED=1", "CGO_CFLAGS=-w -DNDEBUG"}, tags: "s1_sanitize,netgo,osusergo"}
	k.c = cmp.Or(os.Getenv("CC"), "gcc") + " -w -DNDEBUG"
	pure := kernel{build: "go", env: []string{"CGO_ENABLED=0"}}
	vectors := kernel{build: "simd", env: append(pure.env, "GOEXPERIMENT=simd", "GOTOOLCHAIN="+h.simd)}
	switch name {
	case "csrc":
	case "go":
		return pure
	case "plan":
		return vectors
	case "simd":
		k = vectors
	case "simd-arm64":
		return kernel{build: name, env: append(vectors.env, "GOARCH=arm64"), exec: []string{"qemu-aarch64"}}
	case "neon":
		k.build, k.sets, k.c = "c-arm64", "arm64", "aarch64-linux-gnu-gcc -w -DNDEBUG"
		k.env = append(k.env, "GOARCH=arm64", "CC=aarch64-linux-gnu-gcc")
		k.exec = []string{"qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"}
		return k
	case "avx2":
	case "avx512":
		if !h.usable[name] {
			k.build, k.c = "c-emulated", k.c+" -DS1_EMULATE_AVX512"
			k.tags += ",s1_emulate_avx512"
		}
	default:
		k.missing = "kernel " + name
	}
	if k.missing == "" && name != "csrc" && !h.usable["avx2"] {
		k.missing = "avx2"
	}
	return k
}

// command runs a command, and returns what it printed.
func command(ctx context.Context, dir string, env []string, words ...string) (string, error) {
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	output, err := c.CombinedOutput()
	return string(output), err
}

// overlay writes files, and an overlay that replaces the files of the repository by them. It
// returns the overlay's path.
func (p *planter) overlay(name string, files map[string][]byte) (string, error) {
	dir := filepath.Join(p.work, name)
	replace := map[string]string{}
	for file, data := range files {
		replace[filepath.Join(p.root, file)] = filepath.Join(dir, file)
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(file)), 0o777); err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, file), data, 0o666); err != nil {
			return "", err
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	return dir + ".json", os.WriteFile(dir+".json", data, 0o666)
}

// build compiles the tests of a package with an overlay. Its error is the first message of the
// compiler.
func (p *planter) build(ctx context.Context, k kernel, overlay, pkg, binary string) error {
	log, err := command(ctx, p.root, k.env, cmp.Or(os.Getenv("GO"), "go"), "test", "-c", "-vet=off", "-ldflags=-s -w", "-tags="+k.tags, "-overlay="+overlay, "-o", binary, "./"+pkg)
	if err != nil {
		return fmt.Errorf("%s", cmp.Or(comment.FindString(log), err.Error()))
	}
	return nil
}

// run runs compiled tests with a fault, or with none, up to the first test that fails. It leaves
// out tests named EverySmall, which take long. libraries are the libraries of the sets. run returns
// what the tests printed, and reports whether they passed.
func (p *planter) run(ctx context.Context, k kernel, binary string, t tests, f *fault, libraries map[string]string) (log string, passed bool) {
	var env []string
	if f != nil {
		env = append(env, fmt.Sprint(faultVariable, "=", f.number))
	}
	for set, path := range libraries {
		env = append(env, "PLANTER_"+set+"="+path)
	}
	words := append(slices.Clone(k.exec), binary, "-test.v", "-test.short", "-test.failfast", "-test.timeout", "300s", "-test.run", t.pattern, "-test.skip", "EverySmall")
	log, err := command(ctx, filepath.Join(p.root, t.pkg), env, words...)
	return log, err == nil
}

// A verdict says what became of a fault. Its text is for people.
type verdict struct {
	state state
	text  string
}

type state int

const (
	caught state = iota
	notRun       // this host cannot run the kernel
	failed       // anything else: not caught, not planted, caught by a test that fails without it
)

var (
	failure = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)
	started = regexp.MustCompile(`(?m)^=== RUN +(\w+)`)
	endless = regexp.MustCompile(`(?m)^panic: test timed out`)
	comment = regexp.MustCompile(`(?m)^[^#\n].*`)
)

// catcher returns the test that failed, from the output of tests. If it did not fail like tests do,
// catcher also returns the reason: for example a panic, or an access to an inaccessible page.
func catcher(log string) (test, reason string) {
	if fails := failure.FindAllStringSubmatch(log, -1); len(fails) > 0 && !endless.MatchString(log) {
		return fails[len(fails)-1][1], ""
	}
	runs := started.FindAllStringSubmatch(log, -1)
	if len(runs) == 0 {
		return "", ""
	}
	if test = runs[len(runs)-1][1]; endless.MatchString(log) {
		return test, ", which did not end"
	}
	return test, ", which ended the run"
}

// try plants a fault, runs the tests that it names, and returns the verdict.
func (p *planter) try(ctx context.Context, f *fault) verdict {
	k := p.host.kernel(f.kernel)
	if k.missing != "" {
		return verdict{notRun, "not run: no " + k.missing + " here"}
	}
	if f.err != nil {
		return verdict{failed, "NOT PLANTED: " + f.err.Error()}
	}
	libraries := maps.Clone(p.shared[k.build].libraries)
	for set := range libraries {
		if f.loops() && (f.kernel == set || f.kernel == "csrc") {
			path, err := p.library(ctx, k, set, f.file, f.faulty)
			if ctx.Err() != nil {
				return verdict{failed, "INTERRUPTED"}
			}
			if err != nil {
				return verdict{failed, "DOES NOT COMPILE: " + err.Error()}
			}
			libraries[set] = path
			defer os.RemoveAll(filepath.Dir(path))
		}
	}
	binary, err := p.binary(ctx, k, f.tests.pkg)
	if err != nil || !f.inBody && !f.loops() {
		binary, err = p.alone(ctx, k, f, f.tests.pkg)
		defer os.Remove(binary)
	}
	if ctx.Err() != nil {
		return verdict{failed, "INTERRUPTED"}
	}
	if err != nil {
		return verdict{failed, "DOES NOT COMPILE: " + err.Error()}
	}
	log, passed := p.run(ctx, k, binary, f.tests, f, libraries)
	test, reason := catcher(log)
	switch {
	case ctx.Err() != nil:
		return verdict{failed, "INTERRUPTED"}
	case test == "" && passed:
		return verdict{failed, fmt.Sprintf("NOT TESTED: %s has no test %s", f.tests.pkg, f.tests.pattern)}
	case test == "":
		return verdict{failed, "NOT RUN: " + log}
	case passed:
		return verdict{failed, "NOT CAUGHT"}
	case !p.sound(ctx, k, tests{f.tests.pkg, "^" + test + "$"}):
		return verdict{failed, "NOT SOUND: " + test + " fails without the fault, too"}
	}
	return verdict{caught, "caught by " + test + reason}
}

// alone compiles the tests of a package with one fault, or with none, in a build of its own.
func (p *planter) alone(ctx context.Context, k kernel, f *fault, pkg string) (string, error) {
	files := maps.Clone(p.shared[k.build].loaders)
	if f != nil {
		files[f.file] = f.faulty
	}
	dir, err := os.MkdirTemp(p.work, "alone")
	if err != nil {
		return "", err
	}
	overlay, err := p.overlay(filepath.Base(dir), files)
	if err != nil {
		return "", err
	}
	return dir + ".test", p.build(ctx, k, overlay, pkg, dir+".test")
}

// sound reports whether tests pass without a fault. It finds out each answer only once.
func (p *planter) sound(ctx context.Context, k kernel, t tests) bool {
	passes, _ := p.confirmed.LoadOrStore(fmt.Sprint(k.build, t), sync.OnceValue(func() bool {
		binary, err := p.binary(ctx, k, t.pkg)
		if err != nil {
			binary, err = p.alone(ctx, k, nil, t.pkg)
		}
		log, passes := fmt.Sprint(err), false
		if err == nil {
			log, passes = p.run(ctx, k, binary, t, nil, p.shared[k.build].libraries)
		}
		if !passes {
			fmt.Printf("%s\nwithout a fault, %s %s fails in build %s\n", log, t.pkg, t.pattern, k.build)
		}
		return passes
	}))
	return passes.(func() bool)()
}
