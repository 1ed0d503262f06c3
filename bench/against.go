package main

import (
	"embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// sources are the source files of this program, so that the library of another checkout is
// measured by the same code however old that checkout is.
//
//go:embed *.go peer.py go.mod go.sum
var sources embed.FS

const library = "github.com/seed2e45c115/dml"

// startAgainst builds this program with the library of the checkout in dir and starts what it has
// built. Closing the process removes that.
func startAgainst(dir string) (p *process, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, "slice1")); err != nil {
		return nil, fmt.Errorf("no checkout of the library: %w", err)
	}
	work, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	remove := func() error { return os.RemoveAll(work) }
	program := filepath.Join(work, "against")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	if err := build(work, dir, program); err != nil {
		return nil, errors.Join(fmt.Errorf("building with the library of %s: %w", dir, err), remove())
	}
	if p, err = start(exec.Command(program, "-serve")); err != nil {
		return nil, errors.Join(err, remove())
	}
	p.versions, p.clean = map[string]string{against: revision(dir)}, remove
	return p, nil
}

// startHere starts this program once more as a process that slices on order, with this library.
// A choice that is measured in the process that gives the orders appears a few percent slower
// than one that is measured in a process that takes them, as that of startAgainst is.
func startHere(measure time.Duration) (*process, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return start(exec.Command(program, "-serve", "-measure", measure.String()))
}

// build writes the sources to work and builds them with the library in dir.
func build(work, dir, program string) error {
	if err := os.CopyFS(work, sources); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"mod", "edit", "-replace", library + "=" + dir},
		// The other library may need other versions, and lack what candidates.go uses.
		{"build", "-mod=mod", "-tags", "nocandidates", "-o", program, "."},
	} {
		cmd := exec.Command(or(os.Getenv("GO"), "go"), args...)
		cmd.Dir = work
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		if text, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go %s: %w\n%s", args[0], err, text)
		}
	}
	return nil
}

// revision returns the commit of a checkout as git describes it, or the name of its folder if
// git knows none.
func revision(dir string) string {
	text, err := exec.Command("git", "-C", dir, "describe", "--always", "--dirty").Output()
	if err != nil {
		return filepath.Base(dir)
	}
	return strings.TrimSpace(string(text))
}
