package main

import (
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
)

//go:embed peer.py
var peerScript string

// peers is a Python process that has NumPy and perhaps ONNX Runtime. It waits
// while others are timed.
type peers struct {
	cmd      *exec.Cmd
	ask      *json.Encoder
	in       io.Closer
	answers  *json.Decoder
	versions map[string]string
}

// order is one line to the process.
type order struct {
	Op   string `json:"op"`
	Name string `json:"name,omitempty"`
	Reps int    `json:"reps,omitempty"`
	*task
}

type task struct {
	Width      int   `json:"width"`
	Shape      []int `json:"shape"`
	Start      []int `json:"start"`
	Step       []int `json:"step"`
	Out        []int `json:"out"`
	InStrides  []int `json:"in_strides"`
	OutStrides []int `json:"out_strides"`
	Packed     bool  `json:"packed"` // both
	SrcBytes   int   `json:"src_bytes"`
	DstBytes   int   `json:"dst_bytes"`
}

// answer is one line from it.
type answer struct {
	Error    string
	Versions map[string]string
	Names    []string
	Sum      uint32
	NS       int64
}

// startPeers starts the process; the error says why there are no peers.
func startPeers(python string) (*peers, error) {
	cmd := exec.Command(python, "-c", peerScript)
	// NumPy's and the others' own threads would not be one goroutine's equal.
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &peers{cmd: cmd, ask: json.NewEncoder(in), in: in, answers: json.NewDecoder(out)}
	hello, err := p.answer()
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	p.versions = hello.Versions
	return p, nil
}

// Close ends the process.
func (p *peers) Close() error {
	p.in.Close()
	return p.cmd.Wait()
}

// String names the peers and their versions.
func (p *peers) String() string {
	var names []string
	for name, version := range p.versions {
		names = append(names, name+" "+version)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

func (p *peers) answer() (a answer, err error) {
	if err := p.answers.Decode(&a); err != nil {
		return a, fmt.Errorf("the peers' process: %w", err)
	}
	if a.Error != "" {
		return a, errors.New(a.Error)
	}
	return a, nil
}

func (p *peers) do(o order) (answer, error) {
	if err := p.ask.Encode(o); err != nil {
		return answer{}, fmt.Errorf("the peers' process: %w", err)
	}
	return p.answer()
}

// contenders returns one for each peer that can do the slicing.
func (p *peers) contenders(s *slicing) (cs []contender, err error) {
	t := &task{
		Width: s.width, Shape: s.desc.Input.Sizes, Step: s.desc.WindowStrides, Out: s.desc.Output.Sizes,
		InStrides: strides(s.desc.Input), OutStrides: strides(s.desc.Output),
		Packed:   s.desc.Input.Strides == nil && s.desc.Output.Strides == nil,
		SrcBytes: len(s.src), DstBytes: len(s.dst),
	}
	for i, step := range t.Step {
		start := s.desc.WindowOffsets[i]
		if step < 0 {
			start += s.desc.WindowSizes[i] - 1
		}
		t.Start = append(t.Start, start)
	}
	able, err := p.do(order{Op: "setup", task: t})
	if err != nil {
		return nil, err
	}
	for _, name := range able.Names {
		cs = append(cs, contender{
			name: name,
			run: func(reps int) (time.Duration, error) {
				a, err := p.do(order{Op: "run", Name: name, Reps: reps})
				return time.Duration(a.NS), err
			},
			sum: func() (uint32, error) {
				a, err := p.do(order{Op: "sum", Name: name})
				return a.Sum, err
			},
		})
	}
	return cs, nil
}
