package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/directml"
	"github.com/seed2e45c115/dml/slice1"
)

// plan is a slice that is ready to run on the CPU or on the GPU.
type plan struct {
	slice1.Runner
	kernel string             // the name of the CPU's kernel, or "directml on" and the GPU's adapter
	text   string             // what the plan's String returns
	ways   []slice1.Candidate // the ways to run the plan on the CPU; nil on the GPU
	close  func() error
}

// setDevice sets j.gpu and j.adapter from the value of -device: cpu, gpu or gpu:N.
func (j *job) setDevice(value string) error {
	device, number, one := strings.Cut(value, ":")
	j.gpu, j.adapter = device == "gpu", -1
	if one && j.gpu {
		n, err := strconv.ParseUint(number, 10, 16)
		if err != nil {
			return errors.New("the N of gpu:N is a number")
		}
		j.adapter = int(n)
	} else if value != "cpu" && value != "gpu" {
		return errors.New("not cpu, gpu or gpu:N")
	}
	return nil
}

// plan returns a plan of d for the device that -device names. d is the descriptor of s or a box of
// it. The caller closes the plan.
func (j *job) plan(s *slice, d *slice1.Desc) (plan, error) {
	if !j.gpu {
		// Goroutines take whole boxes and make a plan for each, with one goroutine. This plan
		// has the same options.
		p, err := j.slicer(s, j.kernel).Plan(d, make([]int, len(d.Output.Sizes)))
		if err != nil {
			return plan{}, err
		}
		return plan{p, p.Kernel(), p.String(), p.Candidates(), func() error { return nil }}, nil
	}
	device, err := directml.Open(directml.WithAdapter(j.adapter))
	if err != nil {
		return plan{}, err
	}
	p, err := device.NewPlan(d)
	if err != nil {
		return plan{}, errors.Join(err, device.Close())
	}
	return plan{p, "directml on " + device.Info().Adapter, p.String(), nil, device.Close}, nil
}
