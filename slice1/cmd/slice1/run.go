package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed2e45c115/dml/slice1"
)

const (
	// bandBytes is the output sliced at a time: it is still in the second-level
	// cache when it is written.
	bandBytes = 1 << 20
	// maxWorkers bounds the goroutines taken unasked: they meet at the disk.
	maxWorkers = 8
	// systemBytes is what is asked of the system at a time where it copies.
	systemBytes = 64 << 20
)

// systemKernel is the kernel's name where the system copies.
const systemKernel = "none, copied by the system"

// run slices to the sink, in bands where the output is packed.
func (j *job) run(ctx context.Context, s *slice, to sink) error {
	system := j.bySystem(s)
	return j.timed(s, system, func(p plan) error {
		switch {
		case system:
			return j.copyRun(ctx, s, to)
		case j.gpu || s.strided():
			return j.runWhole(ctx, p, s, to)
		}
		return j.runBands(ctx, p.Kernel(), s, to)
	})
}

// bySystem: the elements taken are one run of a file, which the system copies
// faster than anyone else, and no kernel was asked for.
func (j *job) bySystem(s *slice) bool {
	_, _, ok := s.contiguous()
	return ok && s.in.file != nil && !j.gpu && j.kernel == "" && os.Getenv("SLICE1_KERNEL") == ""
}

// timed calls f with a plan for all of s, unless that is empty, and reports.
func (j *job) timed(s *slice, system bool, f func(plan) error) error {
	kernel, nest := "none", ""
	start := time.Now()
	if !s.empty {
		p, err := j.plan(s.desc)
		if err != nil {
			return err
		}
		kernel = p.Kernel()
		if system {
			kernel = systemKernel
		}
		_, nest, _ = strings.Cut(p.String(), "\n")
		j.bar = j.newMeter(s.size())
		err = f(p)
		j.bar.done()
		if err = errors.Join(err, p.Close()); err != nil {
			return err
		}
	}
	if j.verbose {
		took := time.Since(start)
		rate := float64(s.size()) / float64(max(took, 1)) // bytes per ns are GB/s
		fmt.Fprintf(j.stderr, "%v %v -> %v, kernel %s, %d bytes in %v, %.3g GB/s\n",
			s.in.dtype, brackets(s.in.shape), brackets(s.shape), kernel, s.size(), took, rate)
		if nest != "" {
			fmt.Fprintln(j.stderr, "  "+strings.ReplaceAll(nest, "\n", "\n  "))
		}
	}
	return nil
}

// contiguous returns where in the data the elements taken lie, in bytes, if
// they are one run of it, in order.
func (s *slice) contiguous() (at, n int64, ok bool) {
	d := s.desc
	if s.empty || s.strided() {
		return 0, 0, false
	}
	memory := d.Input.Strides
	if memory == nil {
		memory = rowMajor(d.Input.Sizes)
	}
	run := 1
	for i := len(memory) - 1; i >= 0; i-- {
		out := d.Output.Sizes[i]
		if out > 1 && (d.WindowStrides[i] < 0 || d.WindowStrides[i] > run || d.WindowStrides[i]*memory[i] != run) {
			return 0, 0, false
		}
		first := d.WindowOffsets[i]
		if d.WindowStrides[i] < 0 {
			first += d.WindowSizes[i] - 1
		}
		at += int64(first) * int64(memory[i])
		run *= out
	}
	size := int64(s.in.dtype.Size())
	return at * size, int64(run) * size, true
}

func rowMajor(sizes []int) []int {
	strides := make([]int, len(sizes))
	step := 1
	for i := len(sizes) - 1; i >= 0; i-- {
		strides[i] = step
		step *= sizes[i]
	}
	return strides
}

// copyRun copies the one run that the elements taken are.
func (j *job) copyRun(ctx context.Context, s *slice, to sink) error {
	in := s.in
	at, n, _ := s.contiguous()
	if _, err := in.file.Seek(in.offset+at, io.SeekStart); err != nil {
		return err
	}
	for n > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := min(n, systemBytes)
		// The standard library has the system copy between two files.
		switch done, err := io.Copy(to.w, &io.LimitedReader{R: in.file, N: part}); {
		case err != nil:
			return err
		case done < part:
			return in.truncated()
		}
		j.bar.add(part)
		n -= part
	}
	return nil
}

// runWhole slices into memory and writes that.
func (j *job) runWhole(ctx context.Context, p plan, s *slice, to sink) error {
	size, err := outBytes(&s.desc.Output)
	if err != nil {
		return err
	}
	if size > maxAlloc {
		return fmt.Errorf("%d bytes are too large to hold in memory", size)
	}
	data := make([]byte, size)
	if err := p.RunContext(ctx, data, s.in.data); err != nil {
		return err
	}
	_, err = contextWriter{ctx, to.w}.Write(data)
	return err
}

// runBands has goroutines take the next band until none is left. What goes to
// a pipe must go in order: one goroutine does that.
func (j *job) runBands(ctx context.Context, kernel string, s *slice, to sink) error {
	b := cutBands(s.desc, bandBytes, residentBytes/2)
	workers := j.workers
	if workers == 0 {
		workers = min(runtime.GOMAXPROCS(0), maxWorkers)
	}
	if to.file == nil {
		workers = 1
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.in.advise(&b)
	var next atomic.Int64
	work := func() error {
		buf := make([]byte, b.most)
		for ctx.Err() == nil {
			i := next.Add(1) - 1
			if i >= b.count {
				return nil
			}
			d, at := b.at(i)
			p, err := slice1.NewPlan(d, slice1.WithKernel(kernel), slice1.WithParallelism(1), slice1.WithStreaming(-1))
			if err != nil {
				return err
			}
			band := buf[:b.bytes(d)]
			if err := s.in.whole(); err != nil {
				return err
			}
			if err := p.RunContext(ctx, band, s.in.data); err != nil {
				return err
			}
			s.in.used(&b)
			if to.file != nil {
				_, err = to.file.WriteAt(band, to.base+at)
			} else {
				_, err = to.w.Write(band)
			}
			if err != nil {
				return err
			}
			j.bar.add(int64(len(band)))
		}
		return nil
	}
	var wg sync.WaitGroup
	for range min(int64(workers), b.count) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			if err := guard(work); err != nil {
				cancel(err)
			}
		}()
	}
	wg.Wait()
	return context.Cause(ctx)
}
