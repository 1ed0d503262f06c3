package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"sync"

	"github.com/seed2e45c115/dml/slice1"
)

// A planter plants faults of the tree at root. It writes to the folder work.
type planter struct {
	root, work string
	host       host
	confirming sync.Mutex
	confirmed  map[string]bool // whether a test passes without a fault
}

// A host is what the planter runs on.
type host struct {
	arch   string
	usable map[string]bool // whether it can run a kernel, by name
	simd   string          // the version of Go that package vector is written for
}

func thisHost() host {
	h := host{runtime.GOARCH, map[string]bool{}, os.Getenv("simd")}
	for _, k := range slice1.Kernels() {
		h.usable[k.Name] = k.Usable
	}
	return h
}

// A kernel is how the source of a fault is compiled and tested.
type kernel struct {
	missing string   // what the host lacks to run it; empty if nothing
	env     []string // what the environment of the go command has in addition
	tags    string
	exec    []string // the program that runs its tests, with arguments; empty for none
}

// kernel returns how the faults of a kernel are compiled and tested. "go" is Go without vectors,
// "simd" and "simd-arm64" are Go's vectors on amd64 and on arm64, "csrc" is C for all sets of the
// host. "plan" is the code that plans, for all sets without running C, with package vector, whose
// loops it may choose, too.
func (h host) kernel(name string) kernel {
	// The tag compiles C with -O1, which takes half the time. Users' builds have no assertions, so
	// tests must see a fault without these.
	k := kernel{env: []string{"CGO_ENABLED=1", "CGO_CFLAGS=-w -DNDEBUG"}, tags: "s1_sanitize"}
	arch := ""
	switch name {
	case "csrc":
	case "avx2":
		arch = "amd64"
	case "avx512":
		if arch = "amd64"; !h.usable[name] {
			k.tags += ",s1_emulate_avx512"
		}
	case "neon":
		if arch = "arm64"; h.arch != arch {
			k.env = append(k.env, "GOARCH=arm64", "CC=aarch64-linux-gnu-gcc")
			k.exec = []string{"qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"}
		}
	case "go", "plan", "simd", "simd-arm64":
		k = kernel{env: []string{"CGO_ENABLED=0"}}
		if name != "go" {
			k.env = append(k.env, "GOEXPERIMENT=simd", "GOTOOLCHAIN="+h.simd)
			arch = "amd64"
		}
		if name == "simd-arm64" {
			if arch = "arm64"; h.arch != arch {
				k.env, k.exec = append(k.env, "GOARCH=arm64"), []string{"qemu-aarch64"}
			}
		}
	default:
		k.missing = "kernel " + name
	}
	switch {
	case arch != "" && arch != h.arch && (k.exec == nil || h.arch != "amd64"):
		k.missing = arch
	case (name == "avx2" || name == "avx512" || name == "simd") && !h.usable["avx2"]:
		k.missing = "avx2"
	}
	return k
}

// command runs a command, and returns what it printed.
func command(ctx context.Context, dir string, env []string, words ...string) (string, error) {
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	return string(out), err
}

// overlay writes files and an overlay that replaces those of the repository by them, and returns
// its path.
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

// build compiles the tests of a package with an overlay, which may be empty. It returns what the
// compiler printed.
func (p *planter) build(ctx context.Context, k kernel, overlay, pkg, binary string) (string, error) {
	return command(ctx, p.root, k.env, cmp.Or(os.Getenv("GO"), "go"), "test", "-c", "-vet=off", "-tags="+k.tags, "-overlay="+overlay, "-o", binary, "./"+pkg)
}

// run runs compiled tests up to the first one that fails, but for those named EverySmall, which
// take long. number is that of a negation, which can make a loop endless or an array huge, or 0.
// run returns what the tests printed, and reports whether they passed.
func (p *planter) run(ctx context.Context, k kernel, binary string, t tests, number int) (log string, passed bool) {
	seconds, kilobytes := "300s", "unlimited"
	if number > 0 {
		seconds, kilobytes = "30s", fmt.Sprint(8<<20)
	}
	words := append([]string{"sh", "-c", `ulimit -v "$0" && exec "$@"`, kilobytes}, k.exec...)
	words = append(words, binary, "-test.v", "-test.short", "-test.failfast", "-test.timeout", seconds, "-test.run", t.pattern, "-test.skip", "EverySmall")
	log, err := command(ctx, filepath.Join(p.root, t.pkg), []string{fmt.Sprint(negationVariable, "=", number)}, words...)
	return log, err == nil
}

// A verdict is what became of a fault: its text is for people.
type verdict struct {
	state state
	text  string
}

type state int

const (
	caught state = iota // or a negation that no test can see, and none sees
	notRun              // this host cannot run the kernel
	failed              // anything else: not caught, not planted, caught by a test that fails without it
)

var (
	failure = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)
	started = regexp.MustCompile(`(?m)^=== RUN +(\w+)`)
	endless = regexp.MustCompile(`(?m)^panic: test timed out`)
	comment = regexp.MustCompile(`(?m)^[^#\n].*`)
)

// catcher returns the test that failed, from what tests printed of which one failed, and how if
// that was not as tests fail: by a panic, for example, or an access to an inaccessible page.
func catcher(log string) (test, how string) {
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

// try plants a fault, runs the tests that it names until some fail, and returns the verdict. number
// is that of the fault among the chosen.
func (p *planter) try(ctx context.Context, f *fault, number int) verdict {
	k := p.host.kernel(f.kernel)
	if k.missing != "" {
		return verdict{notRun, "not run: no " + k.missing + " here"}
	}
	overlay, binary := "", filepath.Join(p.work, fmt.Sprint(number, ".test"))
	if f.number == 0 {
		source, err := os.ReadFile(filepath.Join(p.root, f.file))
		if err == nil {
			source, err = f.plant(source)
		}
		if err == nil {
			overlay, err = p.overlay(fmt.Sprint(number), map[string][]byte{f.file: source})
		}
		if err != nil {
			return verdict{failed, "NOT PLANTED: " + err.Error()}
		}
		defer os.Remove(binary)
	}
	for _, t := range f.tests {
		if f.number > 0 {
			binary = p.negated(t)
		} else if log, err := p.build(ctx, k, overlay, t.pkg, binary); err != nil {
			return verdict{failed, "DOES NOT COMPILE: " + comment.FindString(log)}
		}
		log, passed := p.run(ctx, k, binary, t, f.number)
		test, how := catcher(log)
		switch {
		case ctx.Err() != nil:
			return verdict{failed, "INTERRUPTED"}
		case test == "" && passed:
			return verdict{failed, fmt.Sprintf("NOT TESTED: %s has no test %s", t.pkg, t.pattern)}
		case test == "":
			return verdict{failed, "NOT RUN: " + log}
		case passed:
			continue
		case f.unseen != "":
			return verdict{failed, "NOT UNSEEN: caught by " + test}
		case !p.sound(ctx, k, tests{t.pkg, "^" + test + "$"}, f):
			return verdict{failed, "NOT SOUND: " + test + " fails without the fault, too"}
		}
		return verdict{caught, "caught by " + test + how}
	}
	if f.unseen != "" {
		return verdict{caught, "caught by none, as it must be: " + f.unseen}
	}
	return verdict{failed, "NOT CAUGHT"}
}

// sound reports whether tests pass without a fault. Each answer is found once.
func (p *planter) sound(ctx context.Context, k kernel, t tests, f *fault) bool {
	p.confirming.Lock()
	defer p.confirming.Unlock()
	key := fmt.Sprint(f.kernel, t, f.number > 0)
	passes, known := p.confirmed[key]
	if known {
		return passes
	}
	binary, log, err := p.negated(t), "", error(nil)
	if f.number == 0 {
		binary = filepath.Join(p.work, "sound.test")
		log, err = p.build(ctx, k, "", t.pkg, binary)
	}
	if passes = err == nil; passes {
		log, passes = p.run(ctx, k, binary, t, 0)
	}
	p.confirmed[key] = passes
	if !passes {
		fmt.Printf("%s\nwithout a fault, %s %s fails for kernel %s\n", log, t.pkg, t.pattern, f.kernel)
	}
	return passes
}
