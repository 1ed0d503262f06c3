package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed2e45c115/dml/csrc"
)

// tests is a package, as a path in the repository, and a pattern of its tests for go test -run.
type tests struct{ pkg, pattern string }

// emulation is the build tag with which C emulates AVX-512 by AVX2, masked bytes one by one.
const emulation = "s1_emulate_avx512"

// foreign holds, by architecture, how C for another one than the host's is compiled, and by which
// program its tests are run.
var foreign = map[string]struct{ cc, exec string }{
	"arm64": {"aarch64-linux-gnu-gcc", "qemu-aarch64 -L /usr/aarch64-linux-gnu"},
}

// A kernel is how a fault of its source is compiled and tested.
type kernel struct {
	name    string
	missing string                       // what this host lacks to run it; empty if nothing
	env     []string                     // what the environment of the go command has in addition
	arch    string                       // of its C; empty if it has none
	cc      string                       // the compiler of its C
	c       struct{ CgoCFLAGS []string } // the flags of its C
	exec    string                       // the program that runs tests of another architecture; empty if none is needed
	emulate bool                         // whether AVX-512 is done byte by byte
	runs    []string                     // files in csrc of the sets that its tests run
	all     []tests                      // its tests
}

// A host is what the planter runs on.
type host struct {
	arch, cc string
	usable   map[string]bool // whether it can run a kernel, by name
	emulate  bool            // whether to do AVX-512 byte by byte even if it is usable
	simd     string          // the version of Go that package vector is written for
}

var (
	ofSlice1   = tests{"slice1", "^TestKernels|Streaming"}
	ofC        = tests{"csrc", "."}
	ofPrograms = tests{"slice1/internal/plan", "KindsThatFit|RowsUnderLoops|NestsAtRandom|Streaming"}
	ofPortable = tests{"slice1/internal/portable", "."}
)

// toolchain returns the version of Go that .ci/toolchains has for a name. It fails if there is none.
func toolchain(root, name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, ".ci", "toolchains"))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if version, ok := strings.CutPrefix(line, name+"="); ok {
			return strings.TrimSpace(version), nil
		}
	}
	return "", fmt.Errorf(".ci/toolchains names no %s", name)
}

// kernelsOf returns, by name, how the faults of each kernel are compiled and tested on a host. "go" is
// package portable and what else is Go without vectors; "simd" and "simd-arm64" are Go's vectors on
// amd64 and on arm64; "csrc" is C for all instruction sets that the host can run; and each set in C is
// a kernel of its name. "plan" is the code in Go that plans, and `planning` lists its packages. Its
// tests plan for all sets without running C. They are built with package vector, since planning
// chooses that package's loops, too.
func kernelsOf(h host, planning []string) map[string]*kernel {
	withoutC := []string{"CGO_ENABLED=0"}
	withoutCVector := []string{"CGO_ENABLED=0", "GOEXPERIMENT=simd", "GOTOOLCHAIN=" + h.simd}
	of := map[string]*kernel{
		"go":         {env: withoutC, all: []tests{ofPortable, ofSlice1}},
		"simd":       {env: withoutCVector, all: []tests{ofPrograms, ofSlice1}},
		"csrc":       {env: []string{"CGO_ENABLED=1"}, arch: h.arch, cc: h.cc, all: []tests{ofC, ofPrograms, ofSlice1}},
		"plan":       {env: withoutCVector},
		"simd-arm64": {env: append(slices.Clone(withoutCVector), "GOARCH=arm64"), all: []tests{ofPrograms, ofSlice1}},
	}
	for _, pkg := range planning {
		of["plan"].all = append(of["plan"].all, tests{path.Clean(pkg), "."})
	}
	for _, s := range setsInC() {
		of[s.Name] = kernelOf(*s, h, *of["csrc"])
		if h.usable[s.Name] {
			of["csrc"].runs = append(of["csrc"].runs, loops(s))
		}
	}
	if len(of["csrc"].runs) == 0 {
		of["csrc"].missing = "kernel in C"
	}
	if h.arch != "amd64" {
		of["plan"].missing = "amd64"
	}
	if h.arch != "amd64" || !h.usable["avx2"] {
		of["simd"].missing = "avx2"
	}
	switch h.arch {
	case "arm64":
	case "amd64":
		of["simd-arm64"].exec = "qemu-aarch64"
	default:
		of["simd-arm64"].missing = "arm64"
	}
	for name, k := range of {
		k.name = name
	}
	return of
}

// kernelOf returns how the faults of C for set s are compiled and tested on a host. k is kernel
// "csrc".
func kernelOf(s csrc.Set, h host, k kernel) *kernel {
	k.runs = []string{loops(&s)}
	if s.Arch != h.arch {
		f, ok := foreign[s.Arch]
		if !ok || h.arch != "amd64" {
			k.missing = s.Arch
		}
		k.env = []string{"CGO_ENABLED=1", "GOARCH=" + s.Arch, "CC=" + f.cc}
		k.arch, k.cc, k.exec = s.Arch, f.cc, f.exec
		return &k
	}
	k.emulate = s.Name == "avx512" && (h.emulate || !h.usable[s.Name])
	switch {
	case k.emulate && !h.usable["avx2"]:
		k.missing = "avx2"
	case !k.emulate && !h.usable[s.Name]:
		k.missing = s.Name
	}
	return &k
}

// tags returns the argument that gives the go command the build tags of a kernel, which may be none.
func (k *kernel) tags() string {
	if k.emulate {
		return "-tags=" + emulation
	}
	return "-tags="
}

// environment returns a text that is the same for kernels whose tests, without a fault, do the same.
func (k *kernel) environment() string {
	return fmt.Sprint(k.env, k.arch, k.exec, k.emulate)
}
