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

// tests is a package and a pattern of its tests.
type tests struct{ pkg, pattern string }

// emulation is the build tag that makes C do AVX-512 byte by byte.
const emulation = "s1_emulate_avx512"

// foreign holds how C of another architecture is compiled, and how its tests are
// run.
var foreign = map[string]struct{ cc, exec string }{
	"arm64": {"aarch64-linux-gnu-gcc", "qemu-aarch64 -L /usr/aarch64-linux-gnu"},
}

// A kernel is how a fault of its source is compiled and tested.
type kernel struct {
	name    string
	missing string   // what this host lacks to run it, or empty
	env     []string // of the go command
	arch    string   // of its C, or empty: it has none
	cc      string
	c       struct{ CgoCFLAGS []string } // the flags of its C
	exec    string                       // runs a test of another architecture, or empty
	emulate bool                         // AVX-512, byte by byte
	runs    []string                     // files of the sets that its tests run
	all     []tests
}

// A host is what the planter runs on.
type host struct {
	arch, cc string
	usable   map[string]bool // kernels
	emulate  bool            // AVX-512 even if it is usable
	simd     string          // the Go that package vector is written for
}

var (
	ofSlice1   = tests{"slice1", "^TestKernels|Streaming"}
	ofC        = tests{"csrc", "."}
	ofPrograms = tests{"slice1/internal/plan", "KindsThatFit|RowsUnderLoops|NestsAtRandom|Streaming"}
	ofPortable = tests{"slice1/internal/portable", "."}
)

// toolchain returns the Go that .ci/toolchains names so.
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

// kernelsOf returns how each kernel is tested on a host, by name. "go" is in Go, and so are "simd"
// and "simd-arm64", Go's vectors on amd64 and on arm64. "csrc" is C for any instruction set of the
// host, and each set in C has a kernel of its name. "plan" is the code in Go that plans, and
// planning lists its packages. Their tests plan for all sets without running C. They are built
// with package vector, since planning chooses its loops, too.
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

// kernelOf returns how C for a set is tested on a host, k being how it is for one of
// the host's.
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

// tags returns the go command's argument for the build tags of a kernel.
func (k *kernel) tags() string {
	if k.emulate {
		return "-tags=" + emulation
	}
	return "-tags="
}

// environment names what decides how the tests of a kernel without a fault end.
func (k *kernel) environment() string {
	return fmt.Sprint(k.env, k.arch, k.exec, k.emulate)
}
