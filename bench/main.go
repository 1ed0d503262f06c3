package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

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
	case o.serve:
		return serve(os.Stdin, stdout)
	}
	m := &meter{pace: tablePace, runs: o.runs, wanted: o.kernels, chosen: o.peers, calls: o.calls}
	if o.regret {
		m.pace, m.chosen = regretPace, []string{}
	}
	m.rounds = cmp.Or(o.rounds, m.rounds)
	defer func() { err = errors.Join(err, m.Close()) }()
	peers, err := m.startOthers(o, stderr)
	if err != nil {
		return err
	}
	machine := fmt.Sprintf("%s, %s/%s, %s", cmp.Or(cpuid.Host().Brand, "unknown processor"), runtime.GOOS, runtime.GOARCH, runtime.Version())
	fmt.Fprintf(stdout, "%s; %s; C compiler: %s; peers: %s\n", machine, aboutLarge, compiler, peers)
	if o.regret {
		return runRegret(o, m, stdout)
	}
	return runTable(o, m, machine, stdout)
}

// startOthers starts the other processes and loads the libraries that the options ask for, and pins
// this thread. It returns the names of the peers, with versions for the peers that are there.
func (m *meter) startOthers(o *options, stderr io.Writer) (peers string, err error) {
	// Start processes in Go before pin. They have more threads than the one that measures, and pin
	// that one themselves.
	for _, p := range []struct {
		needed  bool
		target  **process
		program string
	}{{o.baseline != "", &m.baseline, o.baseline}, {o.baseline != "" || o.regret, &m.home, ""}} {
		if p.needed {
			if *p.target, err = startGo(p.program); err != nil {
				return "", err
			}
		}
	}
	runtime.LockOSThread()
	if err := pin(); err != nil {
		return "", err
	}
	return m.startPeers(o.python, stderr)
}

// Close ends the other processes.
func (m *meter) Close() (err error) {
	for _, p := range []*process{m.peers, m.home, m.baseline} {
		if p != nil {
			err = errors.Join(err, p.Close())
		}
	}
	return err
}

// runTable measures the table's cells and prints them. If the options name a directory, it
// writes raw lines there.
func runTable(o *options, m *meter, machine string, stdout io.Writer) (err error) {
	cells, err := o.cells()
	if err != nil {
		return err
	}
	var rows []*row
	fmt.Fprintln(stdout)
	printHead(stdout)
	for _, c := range cells {
		r, err := m.measure(c)
		if err != nil {
			return fmt.Errorf("%s, width %d, size %s: %w", c.work, c.width, c.size, err)
		}
		printRow(stdout, r)
		rows = append(rows, r)
	}
	printMeans(stdout, rows)
	if o.dir == "" {
		return nil
	}
	return errors.Join(
		writeFile(filepath.Join(o.dir, "bench.txt"), func(w io.Writer) error { return writeRaw(w, machine, rows) }),
		writeFile(filepath.Join(o.dir, "slices.txt"), func(w io.Writer) error { return writeDrive(w, rows) }))
}

// writeFile creates a file, and its directory if that does not exist. write writes the file's
// bytes.
func writeFile(name string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// rivals returns the contenders of other processes that can do the slicing, and the peers in C that
// can. The contender of a process in Go is its choice.
func (m *meter) rivals(s *slicing) (cs []contender, err error) {
	for _, proc := range []struct {
		name string
		*process
	}{{dml, m.home}, {baseline, m.baseline}, {"", m.peers}} {
		if proc.process == nil {
			continue
		}
		served, err := proc.contenders(order{Desc: s.desc, SrcBytes: len(s.src), DstBytes: len(s.dst)})
		if err != nil {
			return nil, err
		}
		if proc.name != "" {
			served = served[:1]
			served[0].name = proc.name
		}
		for _, c := range served {
			if !isPeer(c.name) || m.wants(c.name) {
				cs = append(cs, c)
			}
		}
	}
	for _, l := range m.inC {
		if c, ok := l.contender(s, m.calls); ok {
			cs = append(cs, c)
		}
	}
	return cs, nil
}
