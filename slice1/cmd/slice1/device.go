package main

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/directml"
	"github.com/seed2e45c115/dml/slice1"
)

// plan is a slice that is ready to run on the CPU or on the GPU.
type plan interface {
	RunContext(ctx context.Context, dst, src []byte) error
	Kernel() string // the name of the CPU's kernel, or "directml on" and the GPU's adapter
	String() string
	Candidates() []slice1.Candidate // the ways to run the plan on the CPU, with the one that is chosen
	Close() error
}

type cpuPlan struct{ *slice1.Plan }

func (cpuPlan) Close() error { return nil }

// gpuPlan is a plan and its device, which Close closes.
type gpuPlan struct {
	*directml.Plan
	device *directml.Device
}

func (p gpuPlan) Kernel() string { return "directml on " + p.device.Info().Adapter }

// Candidates returns nil: DirectML does not say how it runs a plan.
func (p gpuPlan) Candidates() []slice1.Candidate { return nil }

func (p gpuPlan) Close() error { return p.device.Close() }

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

// plan returns a plan of d for the device that -device names. The caller closes it.
func (j *job) plan(d *slice1.Desc) (plan, error) {
	if !j.gpu {
		// Goroutines take whole boxes and make a plan for each, with one goroutine. This plan
		// has the same options.
		p, err := slice1.NewPlan(d, slice1.WithKernel(j.kernel), slice1.WithParallelism(1))
		return cpuPlan{p}, err
	}
	device, err := directml.Open(directml.WithAdapter(j.adapter))
	if err != nil {
		return nil, err
	}
	p, err := device.NewPlan(d)
	if err != nil {
		return nil, errors.Join(err, device.Close())
	}
	return gpuPlan{p, device}, nil
}
