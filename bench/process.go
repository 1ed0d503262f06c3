package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// process is another process that slices: Python with peers, this program built with the
// library of another checkout, or this program once more. It takes orders as lines of JSON,
// answers each with one, and waits while others are timed.
type process struct {
	cmd      *exec.Cmd
	ask      *json.Encoder
	in       io.Closer
	answers  *json.Decoder
	versions map[string]string
	clean    func() error // what Close calls after its end; may be nil
}

// order is one line to a process. Op is "setup", which prepares a slice: Desc for a process in Go,
// task for one in Python. Or it is "sum" or "run": the contender of this Name does what its fields
// sum and run say, where run takes the turn.
type order struct {
	Op   string    `json:"op"`
	Name string    `json:"name,omitempty"`
	Desc *wireDesc `json:"desc,omitempty"`
	turn
	*task
}

// task is a slice as peer.py takes it. Strides, starts and steps count elements.
type task struct {
	Width      int   `json:"width"`
	Shape      []int `json:"shape"`
	Start      []int `json:"start"`
	Step       []int `json:"step"`
	Out        []int `json:"out"`
	InStrides  []int `json:"in_strides"`
	OutStrides []int `json:"out_strides"`
	Packed     bool  `json:"packed"` // whether input and output are
	SrcBytes   int   `json:"src_bytes"`
	DstBytes   int   `json:"dst_bytes"`
}

// answer is one line from a process: what it can tell first, or the result of an order.
type answer struct {
	Error    string            `json:"error,omitempty"`
	Versions map[string]string `json:"versions,omitempty"`
	Names    []string          `json:"names,omitempty"`
	Sum      uint32            `json:"sum,omitempty"`
	NS       int64             `json:"ns,omitempty"`
}

// start starts the command as a process and reads its first line, which has the versions of
// peers, or an error that start returns.
func start(cmd *exec.Cmd) (*process, error) {
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
	p := &process{cmd: cmd, ask: json.NewEncoder(in), in: in, answers: json.NewDecoder(out)}
	hello, err := p.answer()
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	p.versions = hello.Versions
	return p, nil
}

// Close ends the process, waits for its end, and cleans up.
func (p *process) Close() error {
	p.in.Close()
	err := p.cmd.Wait()
	if p.clean != nil {
		err = errors.Join(err, p.clean())
	}
	return err
}

func (p *process) answer() (a answer, err error) {
	if err := p.answers.Decode(&a); err != nil {
		return a, fmt.Errorf("the other process: %w", err)
	}
	if a.Error != "" {
		return a, errors.New(a.Error)
	}
	return a, nil
}

func (p *process) do(o order) (answer, error) {
	if err := p.ask.Encode(o); err != nil {
		return answer{}, fmt.Errorf("the other process: %w", err)
	}
	return p.answer()
}

// contenders has the process set up the slice of an order, and returns the contenders of the
// process that can do that slice.
func (p *process) contenders(setup order) (cs []contender, err error) {
	setup.Op = "setup"
	able, err := p.do(setup)
	if err != nil {
		return nil, err
	}
	for _, name := range able.Names {
		cs = append(cs, contender{
			name: name,
			home: p,
			run: func(t turn) (time.Duration, error) {
				a, err := p.do(order{Op: "run", Name: name, turn: t})
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
