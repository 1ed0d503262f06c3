package main

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// top is the module's root, from the folder of this package.
const top = "../.."

func TestEveryFaultFitsTheSource(t *testing.T) {
	c, err := load(top)
	if err != nil {
		t.Fatal(err)
	}
	kernels := kernelsOf(host{arch: "amd64"}, c.negated)
	for _, f := range c.faults {
		if kernels[f.kernel] == nil {
			t.Errorf("%s: there is no kernel %q", f.name, f.kernel)
		}
		if f.number > 0 {
			continue
		}
		source, err := os.ReadFile(filepath.Join(top, f.file))
		if err != nil {
			t.Fatal(err)
		}
		planted, err := f.plant(source)
		if err != nil {
			t.Errorf("%s: %v", f.name, err)
		} else if string(planted) == string(source) {
			t.Errorf("%s changes nothing", f.name)
		}
	}
	if len(c.faults)-c.negations < 100 || c.negations < 300 {
		t.Errorf("%d faults, %d of them negations", len(c.faults), c.negations)
	}
}

const source = `int first(int n) {
	if (n < 3) return 0;
	return 1;
}
int second(int n);
int second(int n) {
	if (n < 3) return n < 3;
	return 2; /* two */
}
int third(int n) { return 2; }
`

func TestPlant(t *testing.T) {
	for _, c := range []struct {
		name string
		f    fault
		want string // the line as the fault leaves it, or the error
	}{
		{"in one line", fault{find: "/* two */", put: "/**/"}, "\treturn 2; /**/"},
		{"in a function", fault{function: "second", find: "n < 3", put: "n"}, "\tif (n) return n < 3;"},
		{"in a function of one line", fault{function: "third", find: "2", put: "3"}, "int third(int n) { return 3; }"},
		{"in two lines", fault{file: "f", find: "n < 3"}, "2 lines of f have n < 3"},
		{"in no line", fault{file: "f", find: "n < 4"}, "0 lines of f have n < 4"},
		{"in another function", fault{file: "f", function: "first", find: "return 2"}, "0 lines of first of f have return 2"},
		{"after a function of one line", fault{file: "f", function: "irst", find: "return 1"}, "0 lines of irst of f have return 1"},
	} {
		got, err := c.f.plant([]byte(source))
		if err != nil {
			if err.Error() != c.want {
				t.Errorf("%s: %v, want %s", c.name, err, c.want)
			}
			continue
		}
		before, after := strings.Split(source, "\n"), strings.Split(string(got), "\n")
		if len(before) != len(after) {
			t.Fatalf("%s: %q", c.name, got)
		}
		var changed []string
		for i := range before {
			if before[i] != after[i] {
				changed = append(changed, after[i])
			}
		}
		if !reflect.DeepEqual(changed, []string{c.want}) {
			t.Errorf("%s changes %q, want %q", c.name, changed, c.want)
		}
	}
}

func TestNegationsOf(t *testing.T) {
	faults, err := negationsOf("a/b/c.go", []byte(`package b

var v = 1 == 2

func f(ok bool, a, b int) bool {
	for i := 0; i < a; i++ {
		if ok && !(a <= b || g()) {
			return a <=
				b
		}
	}
	switch {
	case ok, a == b && b != 3:
	}
	switch a {
	case 1:
	}
	return ok && a > 1
}

func (p *T[K]) m() { if p.ok { _ = p.x >= 0 } }
`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"b/c.go: 1 == 2",
		"b/c.go f: i < a",
		"b/c.go f: ok",
		"b/c.go f: a <= b",
		"b/c.go f: g()",
		"b/c.go f: a <= b (2)",
		"b/c.go f: ok (2)",
		"b/c.go f: a == b",
		"b/c.go f: b != 3",
		"b/c.go f: a > 1",
		"b/c.go T.m: p.ok",
		"b/c.go T.m: p.x >= 0",
	}
	var got []string
	for _, f := range faults {
		got = append(got, f.name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestInstrumented(t *testing.T) {
	const source = "package b\n\nfunc f(a, b int, ok bool) bool { return !ok && a == b != (b < 3) }\n"
	faults, err := negationsOf("a/b/c.go", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	for i := range faults {
		faults[i].number = i + 5
	}
	want := "package b\n\nfunc f(a, b int, ok bool) bool { return !ok && ((((a == b) != (negation == 5)) != (((b < 3) != (negation == 7)))) != (negation == 6)) }\n"
	if got := string(instrumented([]byte(source), faults)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// interpreted makes the catalog of data as if they were a file called rows.txt.
func interpreted(t *testing.T, data string) (*catalog, error) {
	t.Helper()
	found, err := blocks("rows.txt", data)
	if err != nil {
		return nil, err
	}
	return interpret(top, found)
}

const whole = "fault: a\nkernel: go\nfile: f.go\nfind: x: y\nput:\ntest: nest Order|Widen\n"

func TestInterpret(t *testing.T) {
	c, err := interpreted(t, "# A comment.\n\n"+whole+"\n\nfault: b\nin: g\nfind: x: y\nput:\n")
	if err != nil {
		t.Fatal(err)
	}
	first := tests{"slice1/internal/nest", "Order|Widen"}
	want := []fault{
		{name: "a", kernel: "go", file: "f.go", find: "x: y", first: first, area: "rows"},
		{name: "b", kernel: "go", file: "f.go", function: "g", find: "x: y", first: first, area: "rows"},
	}
	if !reflect.DeepEqual(c.faults, want) {
		t.Errorf("got  %+v\nwant %+v", c.faults, want)
	}
}

func TestInterpretMarksEquivalents(t *testing.T) {
	c, err := interpreted(t, "negate: slice1/internal/nest\nkernel: plan\ntest: nest .\n\n"+
		"equivalent: nest/nest.go Order: j > 0\nreason: none\n")
	if err != nil {
		t.Fatal(err)
	}
	var marked []string
	for _, f := range c.faults {
		if f.kernel != "plan" || f.end <= f.start || f.number == 0 {
			t.Errorf("%+v is no negation of kernel plan", f)
		}
		if f.equivalent != "" {
			marked = append(marked, f.name+", "+f.equivalent)
		}
	}
	if want := []string{"nest/nest.go Order: j > 0, none"}; !slices.Equal(marked, want) {
		t.Errorf("marked %q, want %q", marked, want)
	}
}

func TestInterpretComplains(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{"fault\n", "rows.txt:1: a line must be a key, a colon and a value"},
		{"fault: a\nfault: b\n", `rows.txt:2: a second "fault:" in one block`},
		{strings.Replace(whole, "kernel: go\n", "", 1), `rows.txt:1: there is no "kernel:"`},
		{whole + "by: x\n", `rows.txt:1: "by:" is no field of this block`},
		{strings.Replace(whole, "find: x: y", "find:", 1), "rows.txt:1: the text to find is empty"},
		{strings.Replace(whole, "nest", "nowhere", 1), `rows.txt:1: "nowhere Order|Widen" is not a package and a pattern of its tests`},
		{whole + "\n" + whole, `two faults of kernel go are called "a"`},
		{whole + "\nequivalent: a\nreason: none\n", `rows.txt:8: no condition is called "a"`},
		{"negate: slice1/internal/nest\nkernel: plan\ntest: nest .\n\nequivalent: nest/nest.go Order: j > 0\n", `rows.txt:5: there is no "reason:"`},
	} {
		if _, err := interpreted(t, c.data); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.data, err, c.want)
		}
	}
}

func TestJudged(t *testing.T) {
	for _, c := range []struct {
		log  string
		want verdict
	}{
		{"# p\n./f.go:1: undefined: x\nFAIL\tp [build failed]\n", verdict{failed, "DOES NOT COMPILE: ./f.go:1: undefined: x", ""}},
		{"=== RUN   TestA\n--- PASS: TestA\n=== RUN   TestB\n=== RUN   TestB/x\n    --- FAIL: TestB/x\n--- FAIL: TestB (0.1s)\nFAIL\n", verdict{caught, "caught by TestB", "TestB"}},
		{"=== RUN   TestA\n--- PASS: TestA\n=== RUN   TestB\n=== RUN   TestB/x\nSIGSEGV: segmentation violation\n", verdict{caught, "caught by TestB, which ended the run", "TestB"}},
		{"=== RUN   TestA\npanic: test timed out after 5m0s\n", verdict{caught, "caught by TestA, which did not end", "TestA"}},
	} {
		if got := judged(c.log); got != c.want {
			t.Errorf("%q: %+v, want %+v", c.log, got, c.want)
		}
	}
}

func TestSampledTakesEachFaultInTurn(t *testing.T) {
	all := make([]fault, 7)
	for i := range all {
		all[i].name = string(rune('a' + i))
	}
	names := func(faults []fault) (s string) {
		for _, f := range faults {
			s += f.name
		}
		return s
	}
	for seed, want := range []string{"ace", "bdf", "ceg", "dfa"} {
		if got := names(sampled(all, 3, uint64(seed))); got != want {
			t.Errorf("seed %d: %s, want %s", seed, got, want)
		}
	}
	if got := names(sampled(all, 8, 3)); got != "abcdefg" {
		t.Errorf("more than there are: %s", got)
	}
}

func TestChoose(t *testing.T) {
	p := &planter{root: top, kernels: kernelsOf(host{arch: "amd64", usable: map[string]bool{"go": true}}, nil)}
	c := &catalog{faults: []fault{{name: "a", kernel: "go"}, {name: "b", kernel: "avx2"}, {name: "c", kernel: "go", equivalent: "yes"}, {name: "d", kernel: "go"}}}
	for _, k := range []struct {
		pattern string
		sample  int
		want    string
	}{{"", 0, "abcd"}, {"avx2", 0, "b"}, {"^[cd] ", 0, "cd"}, {"", 9, "ad"}, {"", 1, "d"}} {
		chosen, err := p.choose(context.Background(), c, k.pattern, k.sample, "1")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range chosen {
			got += f.name
		}
		if got != k.want {
			t.Errorf("%q, %d: %s, want %s", k.pattern, k.sample, got, k.want)
		}
	}
	if _, err := p.choose(context.Background(), c, "nothing", 0, ""); err == nil || err.Error() != `no fault matches "nothing"` {
		t.Errorf("a pattern of nothing: %v", err)
	}
}

func TestToolchain(t *testing.T) {
	version, err := toolchain(top, "simd")
	if err != nil || !strings.HasPrefix(version, "go1.") {
		t.Errorf("%q, %v", version, err)
	}
	if _, err := toolchain(top, "none"); err == nil {
		t.Error("a Go that is not named")
	}
}

func TestKernelsOf(t *testing.T) {
	missing := func(h host) map[string]string {
		m := map[string]string{}
		for name, k := range kernelsOf(h, []string{"slice1/internal/nest"}) {
			switch {
			case k.missing != "":
				m[name] = "no " + k.missing
			case k.emulate:
				m[name] = "byte by byte"
			case k.exec != "":
				m[name] = "qemu"
			}
		}
		return m
	}
	for _, c := range []struct {
		name string
		h    host
		want map[string]string
	}{
		{"amd64 with everything", host{arch: "amd64", usable: map[string]bool{"avx2": true, "avx512": true}},
			map[string]string{"neon": "qemu", "simd-arm64": "qemu"}},
		{"the same, emulated", host{arch: "amd64", usable: map[string]bool{"avx2": true, "avx512": true}, emulate: true},
			map[string]string{"neon": "qemu", "simd-arm64": "qemu", "avx512": "byte by byte"}},
		{"amd64 without AVX-512", host{arch: "amd64", usable: map[string]bool{"avx2": true}},
			map[string]string{"neon": "qemu", "simd-arm64": "qemu", "avx512": "byte by byte"}},
		{"amd64 without AVX2", host{arch: "amd64"},
			map[string]string{"neon": "qemu", "simd-arm64": "qemu", "avx512": "no avx2", "avx2": "no avx2", "simd": "no avx2", "csrc": "no kernel in C"}},
		{"arm64", host{arch: "arm64", usable: map[string]bool{"neon": true}},
			map[string]string{"avx2": "no amd64", "avx512": "no amd64", "simd": "no avx2", "plan": "no amd64"}},
	} {
		if got := missing(c.h); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestReport(t *testing.T) {
	chosen := []fault{{name: "a", kernel: "go", area: "x"}, {name: "b", kernel: "go", area: "x"}}
	if err := report(chosen, []verdict{{caught, "caught by T", "T"}, {notRun, "not run", ""}}, 0); err != nil {
		t.Error(err)
	}
	if err := report(chosen, []verdict{{caught, "caught by T", "T"}, {failed, "NOT CAUGHT", ""}}, 0); err == nil || !strings.Contains(err.Error(), "b ") {
		t.Errorf("a fault that got away: %v", err)
	}
}

func TestIncludes(t *testing.T) {
	rule := filepath.Join(t.TempDir(), "a.d")
	if err := os.WriteFile(rule, []byte("a.o: csrc/sources/a.h csrc/vec.h \\\n csrc/rows.h\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]bool{"csrc/sources/a.h": true, "csrc/rows.h": true, "csrc/sources/b.h": false, "csrc/row.h": false} {
		if got := includes(rule, file); got != want {
			t.Errorf("%s: %t", file, got)
		}
	}
}
