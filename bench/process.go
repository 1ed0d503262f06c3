package main

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/seed2e45c115/dml/slice1"
)

// process is another process that slices: Python with peers, this program built with the library of
// another checkout, or this program once more. It takes orders as lines of JSON and answers each
// order with one line. It waits while others are timed.
type process struct {
	cmd      *exec.Cmd
	ask      *json.Encoder
	stdin    io.Closer
	answers  *json.Decoder
	versions map[string]string
}

// order is one line to a process. Op "setup" prepares a slice. Op "sum" and "run" call the
// contender with this Name: its field sum, or its field run with the turn. A process in Go also
// knows "want", which returns the sum of slicing.want, and "learn", which makes the first
// runs of the choice.
type order struct {
	Op         string       `json:"op"`
	Name       string       `json:"name,omitempty"`
	Desc       *slice1.Desc `json:"desc,omitempty"`
	Cold       bool         `json:"cold,omitempty"` // buffers in rotation
	Runs       int          `json:"runs,omitempty"` // first runs
	SettleRuns int          `json:"more,omitempty"` // the most runs to settle, after the first ones
	turn
	SrcBytes int `json:"src_bytes,omitempty"` // bytes of buffers for Python
	DstBytes int `json:"dst_bytes,omitempty"`
}

// answer is one line from a process: its first line, or the result of an order.
type answer struct {
	Error      string            `json:"error,omitempty"`
	Versions   map[string]string `json:"versions,omitempty"`
	Names      []string          `json:"names,omitempty"`
	Sum        uint32            `json:"sum,omitempty"`
	NS         int64             `json:"ns,omitempty"`
	Learned    []int64           `json:"learned,omitempty"` // ns of the first runs
	Fixed      []int64           `json:"fixed,omitempty"`   // ns of as many runs without learning
	Settled    []int64           `json:"settled,omitempty"` // ns of as many runs after it has settled
	Chosen     string            `json:"chosen,omitempty"`  // the candidate that it has settled on
	SettleRuns int               `json:"more,omitempty"`    // runs that the plan took to settle, after the first ones
}

// start starts the command as a process and reads its first line. The line has the versions of
// peers, or an error. start returns that error.
func start(cmd *exec.Cmd) (*process, error) {
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, ask: json.NewEncoder(stdin), stdin: stdin, answers: json.NewDecoder(stdout)}
	hello, err := p.answer()
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	p.versions = hello.Versions
	return p, nil
}

// startGo starts a build of this program as a process. "" means this build. A choice appears a few
// percent slower in the process that gives the orders than in a process that takes them. So two
// libraries are compared in two processes that take orders.
func startGo(program string) (_ *process, err error) {
	env := os.Environ()
	if program != "" {
		env = append(env, "DML_CPU=") // the other library may not know words that this one knows
	} else if program, err = os.Executable(); err != nil {
		return nil, err
	}
	cmd := exec.Command(program, "-serve")
	cmd.Env = env
	return start(cmd)
}

// Close ends the process and waits for its end.
func (p *process) Close() error {
	p.stdin.Close()
	return p.cmd.Wait()
}

func (p *process) answer() (reply answer, err error) {
	if err := p.answers.Decode(&reply); err != nil {
		return reply, fmt.Errorf("the other process: %w", err)
	}
	if reply.Error != "" {
		return reply, errors.New(reply.Error)
	}
	return reply, nil
}

func (p *process) send(o order) (answer, error) {
	if err := p.ask.Encode(o); err != nil {
		return answer{}, fmt.Errorf("the other process: %w", err)
	}
	return p.answer()
}

// contenders makes the process set up the slice of an order, and returns its contenders that can do
// the slice.
func (p *process) contenders(setup order) (cs []contender, err error) {
	setup.Op = "setup"
	able, err := p.send(setup)
	if err != nil {
		return nil, err
	}
	for _, name := range able.Names {
		cs = append(cs, p.contender(name))
	}
	return cs, nil
}

// contender returns the contender with this name in the process.
func (p *process) contender(name string) contender {
	return contender{
		name: name,
		home: p,
		run: func(t turn) (time.Duration, error) {
			reply, err := p.send(order{Op: "run", Name: name, turn: t})
			return time.Duration(reply.NS), err
		},
		sum: func() (uint32, error) {
			reply, err := p.send(order{Op: "sum", Name: name})
			return reply.Sum, err
		},
	}
}

//go:embed peer.py
var peerScript string

// startPeers starts or loads the peers that take part. It returns a text with the names and
// versions of the peers that are there, and the names of the missing ones. It writes to stderr why
// they are missing. A missing peer that the flag -peers names is an error.
func (m *meter) startPeers(python string, stderr io.Writer) (peers string, err error) {
	var failed error
	if slices.ContainsFunc(peersInPython, m.wants) {
		m.peers, failed = startPython(python)
	}
	var present, missing []string
	for _, name := range peerNames() {
		if !m.wants(name) {
			continue
		}
		version, err := "", failed
		if slices.Contains(peersInC, name) {
			version, err = m.load(name)
		} else if err == nil {
			if version = m.peers.versions[name]; version == "" {
				err = fmt.Errorf("%s has none", python)
			}
		}
		switch {
		case err == nil:
			present = append(present, name+" "+version)
		case m.chosen != nil:
			return "", fmt.Errorf("no peer %s: %w", name, err)
		default:
			missing = append(missing, name)
			fmt.Fprintf(stderr, "bench: no peer %s: %v\n", name, err)
		}
	}
	peers = cmp.Or(strings.Join(present, ", "), "none")
	if missing != nil {
		peers += "; missing: " + strings.Join(missing, ", ")
	}
	return peers, nil
}

// load loads a peer in C and returns its version.
func (m *meter) load(name string) (version string, err error) {
	load := loaders[name]
	if load == nil {
		return "", errors.New("this build has no libraries in C")
	}
	l, err := load()
	if err != nil {
		return "", err
	}
	m.inC = append(m.inC, l)
	return l.version, nil
}

// startPython starts Python with NumPy and, if it is there, ONNX Runtime. The error says why Python
// or NumPy is missing.
func startPython(python string) (*process, error) {
	cmd := exec.Command(python, "-c", peerScript)
	// All contenders run on one thread, so NumPy's libraries must not start more.
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	return start(cmd)
}
