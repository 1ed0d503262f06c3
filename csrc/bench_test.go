//go:build cgo && !purego && (amd64 || arm64)

package csrc

import (
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMain has `go test ./csrc -bench avx2_every2` time the loops of these names. The benchmark is
// in package exec: the planner makes programs for loops, and Go does not let this package import
// it.
func TestMain(m *testing.M) {
	flag.Parse()
	bench := flag.Lookup("test.bench").Value.String()
	if bench == "" {
		os.Exit(m.Run())
	}
	args := []string{"test", "../slice1/internal/exec", "-run=^$", "-bench=Loops/(" + bench + ")"}
	for _, name := range []string{"benchtime", "count", "cpu", "cpuprofile"} {
		if f := flag.Lookup("test." + name); f.Value.String() != f.DefValue {
			args = append(args, "-"+name+"="+strings.TrimSpace(f.Value.String()))
		}
	}
	run := exec.Command("go", args...)
	if run.Stdout, run.Stderr = os.Stdout, os.Stderr; run.Run() != nil {
		os.Exit(1)
	}
}
