package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// systemBytes is what is asked of the system at a time where it copies.
const systemBytes = 64 << 20

// systemKernel is the kernel's name where the system copies.
const systemKernel = "none, copied by the system"

// run slices to the sink.
func (j *job) run(ctx context.Context, s *slice, to sink) error {
	if s.stack != nil {
		return j.runStack(ctx, s, to)
	}
	system := j.bySystem(s)
	return j.timed(s, system, func(p plan) error {
		switch {
		case system:
			return j.copyRun(ctx, s, to)
		case j.gpu || s.strided():
			return j.runWhole(ctx, p, s, to)
		case to.file != nil:
			return j.newCrew(s.in, p.Kernel()).toFile(ctx, s.desc, to.file, to.base)
		}
		return j.newCrew(s.in, p.Kernel()).inOrder(ctx, s.desc, to.w)
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
		desc := s.desc
		if j.gpu && s.in.file != nil {
			_, desc = gather(taken(desc), gapBytes)
		}
		if s.in.pipe != nil {
			bands := cutFlow(desc, flowBytes)
			desc, _ = bands.at(0)
		}
		p, err := j.plan(desc)
		if err != nil {
			return err
		}
		kernel = p.Kernel()
		if system {
			kernel = systemKernel
		}
		_, nest, _ = strings.Cut(p.String(), "\n")
		if !s.in.open {
			j.bar = j.newMeter(s.size())
		}
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
			s.in.typeName(), brackets(s.in.shape), brackets(s.shape), kernel, s.size(), took, rate)
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
	run := int64(1)
	for _, a := range slices.Backward(d.Axes()) {
		if a.Out > 1 && (a.Step < 0 || a.Step > run || a.Step*a.Src != run) {
			return 0, 0, false
		}
		at += a.Start * a.Src
		run *= a.Out
	}
	size := int64(s.in.dtype.Size())
	return at * size, run * size, true
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
	if err := j.into(ctx, p, s, data); err != nil {
		return err
	}
	_, err = contextWriter{ctx, to.w}.Write(data)
	return err
}

// into slices into memory.
func (j *job) into(ctx context.Context, p plan, s *slice, dst []byte) error {
	if !j.gpu {
		return j.newCrew(s.in, p.Kernel()).toMemory(ctx, s.desc, dst)
	}
	src := s.in.data
	if s.in.file != nil {
		from, _ := gather(taken(s.desc), gapBytes)
		if from.bytes() > maxAlloc {
			return fmt.Errorf("%d bytes are too large to hold in memory", from.bytes())
		}
		src = make([]byte, from.bytes())
		if err := s.in.read(&from, src); err != nil {
			return err
		}
	}
	return p.RunContext(ctx, dst, src)
}
