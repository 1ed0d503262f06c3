package main

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// top is the module's root, from the folder of this package.
const top = "../.."

func TestEveryFaultFitsTheSource(t *testing.T) {
	all, err := load(top)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if k := (host{usable: map[string]bool{"avx2": true}}).kernel(f.kernel); k.missing != "" {
			t.Errorf("%s: no %s", f.name, k.missing)
		}
		if _, err := regexp.Compile(f.tests.pattern); err != nil || f.tests.pattern == "" {
			t.Errorf("%s: %q is no pattern of tests", f.name, f.tests.pattern)
		}
		if _, err := os.Stat(filepath.Join(top, f.tests.pkg)); err != nil {
			t.Errorf("%s: %v", f.name, err)
		}
		if f.err != nil {
			t.Errorf("%s: %v", f.name, f.err)
		} else if string(f.faulty) == string(f.source) {
			t.Errorf("%s changes nothing", f.name)
		}
	}
	if len(all) < 200 {
		t.Errorf("%d faults", len(all))
	}
}

func TestPlant(t *testing.T) {
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
	root := t.TempDir()
	for name, text := range map[string]string{"a.go": source, "b.h": "int fourth(int n) {\n\treturn 1;\n}\n", "a_test.go": source} {
		err := errors.Join(os.MkdirAll(filepath.Join(root, "f"), 0o777), os.WriteFile(filepath.Join(root, "f", name), []byte(text), 0o666))
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		f    fault
		want string // the line with the fault, or the error
	}{
		{"in one line", fault{find: "/* two */", put: "/**/"}, "\treturn 2; /**/"},
		{"in a function", fault{function: "second", find: "n < 3", put: "n"}, "\tif (n) return n < 3;"},
		{"in a function of one line", fault{function: "third", find: "2", put: "3"}, "int third(int n) { return 3; }"},
		{"in two lines", fault{find: "n < 3"}, "2 lines of f/a.go have n < 3"},
		{"in no line", fault{find: "n < 4"}, "0 lines of f/a.go have n < 4"},
		{"in another function", fault{function: "first", find: "return 2"}, "0 lines of first f/a.go have return 2"},
		{"after a function of one line", fault{function: "irst", find: "return 1"}, "0 lines of irst f/a.go have return 1"},
		{"in a file of a folder", fault{file: "f", find: "/* two */", put: "/**/"}, "\treturn 2; /**/"},
		{"in two files of a folder", fault{file: "f", find: "return 1"}, "2 lines of f have return 1"},
		{"in no file of a folder", fault{file: "f", find: "n < 4"}, "0 lines of f have n < 4"},
	} {
		c.f.file = cmp.Or(c.f.file, "f/a.go")
		c.f.read(root)
		if c.f.err != nil {
			if c.f.err.Error() != c.want {
				t.Errorf("%s: %v, want %s", c.name, c.f.err, c.want)
			}
			continue
		}
		before, after := strings.Split(source, "\n"), strings.Split(string(c.f.faulty), "\n")
		if len(before) != len(after) || c.f.file != "f/a.go" {
			t.Fatalf("%s: %s: %q", c.name, c.f.file, c.f.faulty)
		}
		var changed []string
		for i := range before {
			if before[i] != after[i] {
				changed = append(changed, after[i])
			}
		}
		if !slices.Equal(changed, []string{c.want}) {
			t.Errorf("%s changes %q, want %q", c.name, changed, c.want)
		}
	}
}

func TestInstrument(t *testing.T) {
	source := []byte("package b\n\nfunc f(a, b int, ok bool) bool { return !ok && a == b }\n")
	texts := map[int]string{}
	for i, f := range []fault{{find: "a, b int", put: "b, a int"}, {find: "a ==", put: "b =="}, {find: "!ok", put: "ok"}} {
		f.number, f.source = i, source
		_, f.faulty = f.plant(source)
		if f.insert(texts); f.inBody != (i > 0) {
			t.Errorf("%+v", f)
		}
	}
	want := "package b\n\nfunc f(a, b int, ok bool) bool { if plantedFault == 1 { return func() bool { return !ok && b == b }() };  " +
		"if plantedFault == 2 { return func() bool { return ok && a == b }() };  return !ok && a == b }\n"
	if got := string(instrumented(source, texts)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestOtherBody(t *testing.T) {
	const source = "package b\n\nvar v = 1\n\nfunc (p *T) f(n int) { p.n = n }\n\nfunc g() (n int, err error) { return 1, nil }\n"
	for _, c := range []struct{ find, put, want string }{
		{"p.n = n", "", "func() {  }(); return"},
		{"(n int) { p.n = n }", "(n int) {}", "func() {}(); return"},
		{"return 1,", "n = 2; return n,", "return func() (n int, err error) { n = 2; return n, nil }()"},
		{"v = 1", "v = 2", ""},
		{"(n int, err", "(n int32, err", ""},
		{"p.n = n", "if", ""},
	} {
		at, text := otherBody([]byte(source), []byte(strings.Replace(source, c.find, c.put, 1)))
		if text != c.want || (at > 0) != (c.want != "") || at > 0 && source[at-1] != '{' {
			t.Errorf("%s => %s: %q at %d, want %q", c.find, c.put, text, at, c.want)
		}
	}
}

func TestParse(t *testing.T) {
	all, err := parse(`# A comment.
[go f.go slice1 Order|Widen]
a: x: y =>
tail, 1 byte in g(): x => y => z

[csrc f.h csrc Order]
a: x[0] => x[1]
`)
	if err != nil {
		t.Fatal(err)
	}
	want := []fault{
		{number: 1, name: "a", kernel: "go", file: "f.go", find: "x: y", tests: tests{"slice1", "Order|Widen"}},
		{number: 2, name: "tail, 1 byte", kernel: "go", file: "f.go", function: "g", find: "x", put: "y => z", tests: tests{"slice1", "Order|Widen"}},
		{number: 3, name: "a", kernel: "csrc", file: "f.h", find: "x[0]", put: "x[1]", tests: tests{"csrc", "Order"}},
	}
	if !reflect.DeepEqual(all, want) {
		t.Errorf("got  %+v\nwant %+v", all, want)
	}
}

func TestParseComplains(t *testing.T) {
	for text, want := range map[string]string{
		"a: x => y":                       "not a section and not a fault: a: x => y",
		"[go f.go slice1]":                "not a section and not a fault: [go f.go slice1]",
		"[go f.go slice1 .]\na: x":        "not a section and not a fault: a: x",
		"[go f.go s .]\na: x =>\na: y =>": `a second fault of f.go and kernel go is called "a"`,
	} {
		if _, err := parse(text); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func TestCatcher(t *testing.T) {
	for log, want := range map[string]string{
		"testing: warning: no tests to run\nPASS\n": "",
		"=== RUN   TestA\n--- PASS: TestA\n=== RUN   TestB\n=== RUN   TestB/x\n    --- FAIL: TestB/x\n--- FAIL: TestB (0.1s)\nFAIL": "TestB",
		"=== RUN   TestA\n--- PASS: TestA\n=== RUN   TestB\n=== RUN   TestB/x\nSIGSEGV: segmentation violation\n":                   "TestB, which ended the run",
		"=== RUN   TestA\npanic: test timed out after 5m0s\n":                                                                       "TestA, which did not end",
	} {
		if test, how := catcher(log); test+how != want {
			t.Errorf("%q: %s%s, want %s", log, test, how, want)
		}
	}
}

func TestChoose(t *testing.T) {
	p := &planter{host: host{}}
	all := []fault{{name: "a", kernel: "go"}, {name: "b", kernel: "avx2"}, {name: "c", kernel: "none"}, {name: "d", kernel: "go"}}
	for _, c := range []struct {
		pattern string
		sample  int
		want    string
	}{{"", 0, "abcd"}, {"avx2", 0, "b"}, {"^[cd] ", 0, "cd"}, {"", 9, "ad"}, {"^[bcd] ", 2, "d"}, {"nothing", 0, ""}} {
		if got := strings.Join(names(p.choose(all, regexp.MustCompile(c.pattern), c.sample, 1)), ""); got != c.want {
			t.Errorf("%q, %d: %s, want %s", c.pattern, c.sample, got, c.want)
		}
	}
	all = []fault{{name: "a", kernel: "go"}, {name: "b", kernel: "go"}, {name: "c", kernel: "go"}, {name: "d", kernel: "go"}, {name: "e", kernel: "go"}}
	for seed, want := range []string{"ac", "bd", "ce", "da"} {
		if got := strings.Join(names(p.choose(all, regexp.MustCompile(""), 2, uint64(seed))), ""); got != want {
			t.Errorf("seed %d: %s, want %s", seed, got, want)
		}
	}
}

func names(faults []fault) (all []string) {
	for _, f := range faults {
		all = append(all, f.name)
	}
	return all
}

func TestKernel(t *testing.T) {
	for _, c := range []struct {
		name string
		h    host
		want map[string]string
	}{
		{"amd64 with everything", host{usable: map[string]bool{"avx2": true, "avx512": true}},
			map[string]string{"neon": "qemu-aarch64", "simd-arm64": "qemu-aarch64"}},
		{"amd64 without AVX-512", host{usable: map[string]bool{"avx2": true}},
			map[string]string{"neon": "qemu-aarch64", "simd-arm64": "qemu-aarch64", "avx512": "emulated"}},
		{"amd64 without AVX2", host{},
			map[string]string{"neon": "qemu-aarch64", "simd-arm64": "qemu-aarch64", "avx512": "no avx2", "avx2": "no avx2", "simd": "no avx2"}},
	} {
		got := map[string]string{}
		for _, name := range []string{"go", "simd", "simd-arm64", "csrc", "plan", "avx2", "avx512", "neon"} {
			switch k := c.h.kernel(name); {
			case k.missing != "":
				got[name] = "no " + k.missing
			case strings.Contains(k.tags, "emulate"):
				got[name] = "emulated"
			case k.exec != nil:
				got[name] = k.exec[0]
			}
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestTry(t *testing.T) {
	root, err := filepath.Abs(top)
	if err != nil {
		t.Fatal(err)
	}
	const loop = "return int32(form)*variants + int32(variant), Sets[s].loops[form]>>variant&1 != 0"
	cases := []struct {
		kernel, find, put, pattern string
		state                      state
		want                       string
	}{
		{"go", loop, "return 1, true", "EveryLoopHasItsNumber", caught, "caught by TestEveryLoopHasItsNumberAndForm"},
		{"go", "int32(form)*variants + int32(variant)", "int32(variant) + int32(form)*variants", "EveryLoopHasItsNumber", failed, "NOT CAUGHT"},
		{"go", loop, "panic(form)", "EveryLoopHasItsNumber", caught, "caught by TestEveryLoopHasItsNumberAndForm"},
		{"go", loop, "panic(form)", "NoSuchTest", failed, "NOT TESTED: slice1/internal/program has no test NoSuchTest"},
		{"go", "return n - 1", "", "EveryLoopHasItsNumber", failed, "NOT PLANTED: 0 lines of slice1/internal/program/program.go"},
		{"go", "const variants = MaxWindows + 1", "const variants = MaxWindows", "EveryLoopHasItsNumber", caught, "caught by"},
		{"avx2", loop, "", "EveryLoopHasItsNumber", notRun, "not run: no avx2 here"},
		// From here on, faults do not share a build, since a build with all of them does not
		// compile.
		{"go", loop, "return 1", "EveryLoopHasItsNumber", failed, "DOES NOT COMPILE: "},
		{"go", loop, "return 1, true", "EveryLoopHasItsNumber", caught, "caught by TestEveryLoopHasItsNumberAndForm"},
	}
	var faults []fault
	for i, c := range cases {
		f := fault{number: i + 1, kernel: c.kernel, file: "slice1/internal/program/program.go", find: c.find, put: c.put, tests: tests{"slice1/internal/program", c.pattern}}
		f.read(root)
		faults = append(faults, f)
	}
	for first, last := range map[int]int{0: 7, 7: len(cases)} {
		p := &planter{root: root, work: t.TempDir(), host: host{}, shared: map[string]*shared{}}
		if err := p.prepare(t.Context(), faults[first:last]); err != nil {
			t.Fatal(err)
		}
		for i := first; i < last; i++ {
			if got := p.try(t.Context(), &faults[i]); got.state != cases[i].state || !strings.HasPrefix(got.text, cases[i].want) {
				t.Errorf("%+v: %+v", cases[i], got)
			}
		}
	}
}

func TestReport(t *testing.T) {
	chosen := []fault{{name: "a", kernel: "go"}, {name: "b", kernel: "go"}}
	if err := report(chosen, []verdict{{caught, "caught by T"}, {notRun, "not run"}}); err != nil {
		t.Error(err)
	}
	if err := report(chosen, []verdict{{caught, "caught by T"}, {failed, "NOT CAUGHT"}}); err == nil || !strings.HasPrefix(err.Error(), "b ") {
		t.Errorf("a fault that got away: %v", err)
	}
}
