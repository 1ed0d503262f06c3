package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/seed2e45c115/dml/directml"
	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/cmd/slice1/internal/outofcore"
)

// fileOf returns the file that is written at any offset, or nil for a stream.
func fileOf(dst outofcore.Output) *os.File {
	f, _ := dst.File.(*os.File)
	return f
}

// seek makes the Writer of an output go on at the first element.
func seek(dst outofcore.Output) (err error) {
	if f := fileOf(dst); f != nil {
		_, err = f.Seek(dst.Base, io.SeekStart)
	}
	return err
}

// run slices s and writes the elements of the result to an output.
func (j *job) run(s *slice, dst outofcore.Output) error {
	start, n, system := j.bySystem(s)
	return j.timed(s, system, func(p plan) error {
		slicer := j.slicer(s, p.kernel)
		switch {
		case s.input.pipe != nil:
			return j.flow(slicer, s, dst)
		case system:
			return j.copyRun(s, start, n, dst)
		case j.gpu || s.strided() && dst.File == nil:
			return j.sliceWhole(p, s, dst)
		}
		return slicer.Run(context.Background(), s.desc, dst)
	})
}

// slicer returns a slicer of s's input that uses the given kernel and as many goroutines as the
// job.
func (j *job) slicer(s *slice, kernel string) *outofcore.Slicer {
	input, workers, order := s.input, j.goroutines(), binary.ByteOrder(binary.LittleEndian)
	if input.video != nil { // a video holds one frame
		workers = 1
	}
	if input.BigEndian {
		order = binary.BigEndian
	}
	options := []slice1.Option{slice1.WithKernel(kernel)}
	if s.affine != nil { // else the result has the input's order
		options = append(options, slice1.WithByteOrder(order))
	}
	return &outofcore.Slicer{
		Input: input, Data: input.data, Workers: workers, Advance: j.bar.add, Affine: s.affine, To: s.result.Type, Options: options,
	}
}

// mostWorkers is the most goroutines of a job. More would only wait for each other.
const mostWorkers = 256

// goroutines returns the number of goroutines of a job. Without -j it is GOMAXPROCS, at most 8,
// since more would mostly wait for the disk.
func (j *job) goroutines() int {
	const limit = 8
	if j.workers > 0 {
		return j.workers
	}
	return min(runtime.GOMAXPROCS(0), limit)
}

// bySystem reports whether the system copies the elements. That is faster than any kernel. The
// system copies n bytes, from byte start of the input's elements on. The elements taken must be one
// stretch of a file, in the order of a packed output. A kernel or a GPU must not be asked for.
func (j *job) bySystem(s *slice) (start, n int64, ok bool) {
	if s.empty || s.strided() || s.input.file == nil || s.input.data != nil || j.gpu || s.affine != nil || s.input.video != nil || j.kernel != "" || os.Getenv("SLICE1_KERNEL") != "" {
		return 0, 0, false
	}
	return outofcore.OneStretch(s.desc)
}

// timed calls f with a plan unless s is empty, and with -v reports how long f took. The plan is for
// s. If s is sliced while a pipe is read, the plan is for its first rows. system is true if f makes
// the system copy.
func (j *job) timed(s *slice, system bool, f func(plan) error) error {
	kernel, nest := "none", ""
	start := time.Now()
	if !s.empty {
		desc := s.desc
		if s.input.pipe != nil {
			desc = s.rows(s.mostRows())
		}
		p, err := j.plan(s, desc)
		if err != nil {
			return err
		}
		if kernel = p.kernel; system {
			kernel = "none, copied by the system"
		}
		_, nest, _ = strings.Cut(p.text, "\n")
		if !s.input.open {
			j.bar = newMeter(j.stderr, j.quiet, s.size())
		}
		err = f(p)
		j.bar.done()
		if err = errors.Join(err, p.close()); err != nil {
			return err
		}
	}
	if j.verbose {
		took, typ, rate := time.Since(start), "", ""
		if took >= 10*time.Millisecond { // most of a shorter job's time goes into opening files and getting memory
			rate = fmt.Sprintf(", %.3g GB/s", float64(s.size())/float64(took)) // bytes per ns are GB/s
		}
		if s.affine != nil {
			typ = s.result.typeName() + " "
		}
		fmt.Fprintf(j.stderr, "%v %v -> %s%v, kernel %s, %d bytes in %v%s\n", s.input.typeName(), brackets(s.input.Shape), typ, brackets(s.shape), kernel, s.size(), took, rate)
		if nest != "" {
			fmt.Fprintln(j.stderr, "  "+strings.ReplaceAll(nest, "\n", "\n  "))
		}
	}
	return nil
}

// copyRun makes the system copy n bytes, from byte start of the input's elements on.
func (j *job) copyRun(s *slice, start, n int64, dst outofcore.Output) error {
	const step = 64 << 20 // of the progress
	input := s.input
	_, err := input.file.Seek(input.Offset+start, io.SeekStart)
	err = cmp.Or(err, seek(dst))
	for done := int64(0); err == nil && n > 0; n -= done {
		// If both are files, CopyN asks the system to copy, where it can.
		done, err = io.CopyN(dst.W, input.file, min(n, step))
		j.bar.add(done)
	}
	if err == io.EOF {
		err = fmt.Errorf("%s: %w", input.name, errShorter)
	}
	return err
}

// sliceWhole slices s into memory, with the output strides of s, and then writes the whole result.
func (j *job) sliceWhole(p plan, s *slice, dst outofcore.Output) error {
	size := s.spans()
	if err := s.input.claim(size); err != nil {
		return err
	}
	data := make([]byte, size)
	if err := cmp.Or(j.sliceInto(p, s, data), seek(dst)); err != nil {
		return err
	}
	_, err := dst.W.Write(data)
	return err
}

// sliceInto slices s into dst, with the output strides of s. p is the plan that timed made.
func (j *job) sliceInto(p plan, s *slice, dst []byte) error {
	if !j.gpu {
		return j.slicer(s, p.kernel).ToMemory(context.Background(), s.desc, dst)
	}
	src := s.input.data
	if src == nil {
		size, _ := s.input.tensor().MinSize()
		if err := s.input.claim(size); err != nil {
			return err
		}
		src = make([]byte, size)
		if _, err := s.input.ReadAt(src, 0); err != nil {
			return err
		}
	}
	return p.RunContext(context.Background(), dst, src)
}

// flow slices a pipe and writes the results: the rows of about flowBytes at a time or, if the
// writer pauses, those that have come. If the number of rows is unknown and the pipe ends, flow
// makes s the slice of the rows that came. If s takes the last row and raw elements go on after it,
// that is an error.
func (j *job) flow(slicer *outofcore.Slicer, s *slice, dst outofcore.Output) error {
	input, row, batch, rows := s.input, s.rowBytes(), s.mostRows(), s.desc.Output.Sizes[0]
	taken := outofcore.OutputBytes(s.rows(1), slicer.Size(s.desc)) // of the output, for a row
	if err := input.claim(int64(batch) * (row + taken)); err != nil {
		return err
	}
	buf := make([]byte, int64(batch)*row)
	number := func(i int) int64 { // of the row of the input that is row i of the output
		return int64(s.desc.WindowOffsets[0]) + int64(i)*int64(s.desc.WindowStrides[0])
	}
	for done, n := 0, 0; done < rows; done += n {
		for n = 0; n < min(batch, rows-done); n++ {
			i := number(done + n)
			if n > 0 && input.arrived() < (i+1)*input.rowBytes() {
				break
			}
			if _, err := input.ReadAt(buf[int64(n)*row:][:row], i*row); errors.Is(err, io.ErrUnexpectedEOF) {
				return j.ended(s, input.arrived())
			} else if err != nil {
				return err
			}
		}
		slicer.Data = buf[:int64(n)*row]
		place := dst
		place.Base += int64(done) * taken
		if err := slicer.Run(context.Background(), s.rows(n), place); err != nil {
			return err
		}
	}
	switch ends := number(rows-1) == int64(input.Shape[0]-1); {
	case ends && input.open:
		return fmt.Errorf("%s holds more than %d bytes", input.name, input.Size)
	case ends || input.pipe.summed:
		return input.noMore()
	case input.open:
		input.Shape[0] = -1 // for -v: the extent stays unknown
	}
	return nil
}

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
	j.gpu, j.adapter = value != "cpu", -1
	if number, ok := strings.CutPrefix(value, "gpu:"); ok {
		return integer(&j.adapter, 0, math.MaxUint16)(number)
	}
	if j.gpu && value != "gpu" {
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
