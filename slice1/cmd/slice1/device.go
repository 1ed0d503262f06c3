package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/directml"
	"github.com/seed2e45c115/dml/slice1"
)

// plan is a slice ready to run on either kind of device.
type plan interface {
	RunContext(ctx context.Context, dst, src []byte) error
	Kernel() string // the kernel's name, or the device's
	String() string
	Candidates() []slice1.Candidate // what else could run it
	Close() error
}

type cpuPlan struct{ *slice1.Plan }

func (cpuPlan) Close() error { return nil }

// gpuPlan owns its device.
type gpuPlan struct {
	*directml.Plan
	device *directml.Device
}

func (p gpuPlan) Kernel() string { return "directml on " + p.device.Info().Adapter }

// Candidates returns nil: DirectML chooses by itself.
func (p gpuPlan) Candidates() []slice1.Candidate { return nil }

func (p gpuPlan) Close() error { return p.device.Close() }

// setDevice parses the value of -device.
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

// plan prepares d for the device asked for.
func (j *job) plan(d *slice1.Desc) (plan, error) {
	if !j.gpu {
		// The goroutines take whole boxes, one plan each, so that a plan needs one
		// goroutine alone.
		p, err := slice1.NewPlan(d, slice1.WithKernel(j.kernel), slice1.WithParallelism(1), slice1.WithMeasure(j.measure))
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

// listDevices prints the adapters, each with its feature level or with the reason why it
// cannot be used. It returns an error if no adapter can be opened.
func listDevices(w io.Writer) error {
	if device, err := directml.Open(directml.WithSoftware()); err != nil {
		return err
	} else if err := device.Close(); err != nil {
		return err
	}
	adapters, err := directml.Adapters()
	if err != nil {
		return err
	}
	for _, a := range adapters {
		state := ""
		device, err := directml.Open(directml.WithAdapter(a.Index))
		if err == nil {
			info := device.Info()
			state = fmt.Sprintf("DirectML %s, feature level %d.%d", info.Version, info.FeatureLevel>>12, info.FeatureLevel>>8&15)
			err = device.Close()
		}
		if err != nil {
			state = err.Error()
		}
		kind := "hardware"
		if a.Software {
			kind = "software"
		}
		if _, err := fmt.Fprintf(w, "gpu:%d  %s, %s, %s\n", a.Index, oneLine(a.Name), kind, oneLine(state)); err != nil {
			return err
		}
	}
	return nil
}
