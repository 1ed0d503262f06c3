package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/seed2e45c115/dml/cpuid"
)

func main() {
	o, err := parseOptions(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	if err := run(o, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(o *options, stdout, stderr io.Writer) (err error) {
	switch {
	case o.list:
		printWorks(stdout)
		return nil
	case o.crowd:
		return runCrowd(usualCrowd, stdout)
	case o.serve:
		return serve(os.Stdin, stdout, measuring(o.measure))
	}
	m := &meter{pace: o.pace, wanted: o.kernels, own: measuring(o.measure), which: o.peers}
	defer func() { err = errors.Join(err, m.Close()) }()
	peers, err := m.startOthers(o, stderr)
	if err != nil {
		return err
	}
	cpu := or(cpuid.Host().Brand, "unknown processor")
	fmt.Fprintf(stdout, "%s, %s/%s, %s; C compiler: %s; peers: %s", cpu, runtime.GOOS, runtime.GOARCH, runtime.Version(), compiler, peers)
	if m.against != nil {
		fmt.Fprintf(stdout, "; %s %s", against, m.against.versions[against])
	}
	fmt.Fprint(stdout, "\n\n")
	switch {
	case o.addresses:
		return runAddresses(o, m, stdout)
	case o.regret:
		return runRegret(o, m, stdout)
	case o.cases != "":
		return runCases(o, m, stdout)
	case o.duel():
		return runAgainst(o, m, stdout)
	}
	return runTable(o, m, cpu, peers, stdout)
}

// startOthers starts the other processes and loads the libraries that the options ask for,
// and pins this thread. It returns the names of the peers, with the versions of those that
// are there.
func (m *meter) startOthers(o *options, stderr io.Writer) (peers string, err error) {
	if o.against != "" {
		// This comes before pin: another process in Go has threads besides the one that
		// measures, and pins that one itself.
		if m.against, err = startAgainst(o.against); err != nil {
			return "", err
		}
	}
	if o.duel() {
		if m.here, err = startHere(o.measure); err != nil {
			return "", err
		}
		m.wanted = slices.DeleteFunc(slices.Clone(m.wanted), func(name string) bool { return name == dml })
	}
	runtime.LockOSThread()
	if err := pin(); err != nil {
		return "", err
	}
	return m.startPeers(o.python, stderr)
}

// Close ends the other processes.
func (m *meter) Close() (err error) {
	for _, p := range []*process{m.peers, m.here, m.against} {
		if p != nil {
			err = errors.Join(err, p.Close())
		}
	}
	return err
}

// runTable measures the table's cells and prints them. If the options name a directory, it
// writes raw lines and figures there.
func runTable(o *options, m *meter, cpu, peers string, stdout io.Writer) (err error) {
	cells := o.cells()
	var figures []figure
	if o.out != "" {
		figures = figuresOf(o)
	}
	total := len(cells)
	for _, f := range figures {
		total += len(f.cells)
	}
	s := &session{meter: m, progress: newProgress(total)}
	if o.out != "" {
		if err := os.MkdirAll(o.out, 0o777); err != nil {
			return err
		}
		file, err := os.Create(filepath.Join(o.out, "bench.txt"))
		if err != nil {
			return err
		}
		defer file.Close()
		if s.raw, err = newRawWriter(file, cpu, peers); err != nil {
			return err
		}
	}
	printHead(stdout)
	for _, c := range cells {
		r, err := s.row(c)
		if err != nil {
			return err
		}
		s.progress.Clear()
		printRow(stdout, r)
	}
	for _, f := range figures {
		if err := s.draw(f, cpu, o.out); err != nil {
			return err
		}
	}
	s.progress.Finish()
	return nil
}

func printWorks(w io.Writer) {
	for _, work := range works {
		v := work.view(1, sizeS.bytes)
		layout := ""
		if v.in != nil {
			layout += fmt.Sprint(", input strides ", v.in)
		}
		if v.out != nil {
			layout += fmt.Sprint(", output strides ", v.out)
		}
		fmt.Fprintf(w, "%-11s %s\n%11s at S, 1-byte elements: %v%s%s\n", work.name, work.about, "", v.shape, v.index, layout)
	}
}

// session measures each cell at most once and keeps its row.
type session struct {
	*meter
	raw      *rawWriter // writes each row; nil: none is written
	progress interface {
		Add(int) error
		Clear() error
		Finish() error
	}
	rows map[string]*row
}

func (s *session) row(c cell) (*row, error) {
	key := fmt.Sprint(c.work.name, c.width, c.size, c.parallel)
	s.progress.Add(1)
	if r := s.rows[key]; r != nil {
		return r, nil
	}
	r, err := s.measure(c)
	if err != nil {
		return nil, fmt.Errorf("%s, width %d, size %s: %w", c.work.name, c.width, c.size.label, err)
	}
	if s.rows == nil {
		s.rows = map[string]*row{}
	}
	s.rows[key] = r
	if s.raw != nil {
		err = s.raw.write(r)
	}
	return r, err
}
