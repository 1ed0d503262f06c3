package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/cmd/slice1/internal/outofcore"
)

// systemBytes is the most that the system copies between two steps of the progress.
const systemBytes = 64 << 20

// systemKernel is reported as the kernel if the system copies.
const systemKernel = "none, copied by the system"

// shortest is the shortest time of a job for which bytes per second mean something. Most of a
// shorter job's time goes into opening files and getting memory.
const shortest = 10 * time.Millisecond

// run slices s and writes the elements of the result to the sink.
func (j *job) run(s *slice, to sink) error {
	if s.stack != nil {
		return j.runStack(s, to)
	}
	at, n, system := j.bySystem(s)
	return j.timed(s, system, func(p plan) error {
		slicer := j.slicer(s, p.kernel)
		switch {
		case s.in.pipe != nil:
			return j.flow(slicer, s, to)
		case system:
			return j.copyRun(s, at, n, to)
		case j.gpu || s.strided() && to.file == nil:
			return j.runWhole(p, s, to)
		}
		return slicer.Run(context.Background(), s.desc, to.output())
	})
}

// spans returns the length of raw output in bytes: from its first element to its last, or TotalSize
// if it is more.
func (s *slice) spans() int64 {
	if s.empty || s.affine != nil || s.in.open {
		return s.size()
	}
	size, _ := s.desc.Output.MinSize() // the descriptor is valid
	return max(size, s.desc.Output.TotalSize)
}

// slicer returns a slicer of s's input that uses the given kernel and as many goroutines as the
// job.
func (j *job) slicer(s *slice, kernel string) *outofcore.Slicer {
	in, workers, order := s.in, j.goroutines(), binary.ByteOrder(binary.LittleEndian)
	if in.video != nil { // a video holds one frame
		workers = 1
	}
	if in.BigEndian {
		order = binary.BigEndian
	}
	return &outofcore.Slicer{
		Input: elementsOf{in}, Data: in.data, Workers: workers, Advance: j.bar.add, Affine: s.affine, To: s.out.Type,
		Options: []slice1.Option{slice1.WithKernel(kernel), slice1.WithByteOrder(order)},
		Sparse: func() {
			if in.file != nil {
				adviseRandom(in.file)
			}
		},
	}
}

// goroutines returns the number of goroutines of a job. Without -j it is GOMAXPROCS, at most 8.
func (j *job) goroutines() int {
	const limit, most = 8, 256 // more would only wait for the disk or for each other
	if j.workers > 0 {
		return min(j.workers, most)
	}
	return min(runtime.GOMAXPROCS(0), limit)
}

// bySystem reports whether the system copies the elements. That is faster than any kernel. The
// system copies n bytes, from byte at of the input's elements on. The elements taken must be one
// run of a file, in the order of a packed output. A kernel or a GPU must not be asked for.
func (j *job) bySystem(s *slice) (at, n int64, ok bool) {
	if s.empty || s.strided() || s.in.file == nil || s.in.data != nil || j.gpu || s.affine != nil || s.in.video != nil || j.kernel != "" || os.Getenv("SLICE1_KERNEL") != "" {
		return 0, 0, false
	}
	return outofcore.OneRun(s.desc)
}

// timed calls f with a plan unless s is empty, and with -v reports how long f took. The plan is for
// s. If s is sliced while a pipe is read, the plan is for its first band. For a GPU and a file, the
// plan is for the elements of the file that s takes. system is true if f makes the system copy.
func (j *job) timed(s *slice, system bool, f func(plan) error) error {
	kernel, nest := "none", ""
	start := time.Now()
	if !s.empty {
		desc := s.desc
		if j.gpu && s.in.data == nil {
			_, desc = outofcore.Gather(outofcore.Smallest(desc))
		}
		if s.in.pipe != nil {
			bands := outofcore.CutStream(desc, flowBytes)
			desc, _ = bands.At(0)
		}
		p, err := j.plan(s, desc)
		if err != nil {
			return err
		}
		kernel = p.kernel
		if system {
			kernel = systemKernel
		}
		_, nest, _ = strings.Cut(p.text, "\n")
		if !s.in.open {
			j.bar = j.newMeter(s.size())
		}
		err = f(p)
		j.bar.done()
		if err = errors.Join(err, p.close()); err != nil {
			return err
		}
	}
	if j.verbose {
		took, to := time.Since(start), ""
		if s.affine != nil {
			to = s.out.typeName() + " "
		}
		fmt.Fprintf(j.stderr, "%v %v -> %s%v, kernel %s, %d bytes in %v%s\n", s.in.typeName(), brackets(s.in.Shape), to, brackets(s.shape), kernel, s.size(), took, rate(s.size(), took))
		if nest != "" {
			fmt.Fprintln(j.stderr, "  "+strings.ReplaceAll(nest, "\n", "\n  "))
		}
	}
	return nil
}

// rate returns the rate of a job of so many bytes as -v prints it, or "" if the job was too short
// for a rate.
func rate(bytes int64, took time.Duration) string {
	if took < shortest {
		return ""
	}
	return fmt.Sprintf(", %.3g GB/s", float64(bytes)/float64(took)) // bytes per ns are GB/s
}

// copyRun makes the system copy n bytes, from byte at of the input's elements on.
func (j *job) copyRun(s *slice, at, n int64, to sink) error {
	in := s.in
	if _, err := in.file.Seek(in.Offset+at, io.SeekStart); err != nil {
		return err
	}
	for n > 0 {
		part := min(n, systemBytes)
		// If both are files, io.Copy asks the system to copy, where it can.
		switch done, err := io.Copy(to.w, &io.LimitedReader{R: in.file, N: part}); {
		case err != nil:
			return err
		case done < part:
			return fmt.Errorf("%s: %w", in.name, errShorter)
		}
		j.bar.add(part)
		n -= part
	}
	return nil
}

// runWhole slices s into memory, with the output strides of s, and then writes the whole result.
func (j *job) runWhole(p plan, s *slice, to sink) error {
	size := s.spans()
	if err := s.in.reserve(size); err != nil {
		return err
	}
	data := make([]byte, size)
	if err := j.into(p, s, data); err != nil {
		return err
	}
	_, err := to.w.Write(data)
	return err
}

// into slices s into dst, with the output strides of s. p is the plan that timed made.
func (j *job) into(p plan, s *slice, dst []byte) error {
	if !j.gpu {
		return j.slicer(s, p.kernel).ToMemory(context.Background(), s.desc, dst)
	}
	src := s.in.data
	if s.in.data == nil {
		from, _ := outofcore.Gather(outofcore.Smallest(s.desc))
		if err := s.in.reserve(from.Bytes()); err != nil {
			return err
		}
		src = make([]byte, from.Bytes())
		if err := from.Read(elementsOf{s.in}, src); err != nil {
			return err
		}
	}
	return p.RunContext(context.Background(), dst, src)
}

// flow slices a pipe band by band and writes the results. If the writer pauses, flow slices and
// writes the part of the band that has come. If the number of rows is unknown and the pipe ends,
// flow makes s the slice of the rows that came. If s takes the last row and raw elements go on
// after it, that is an error.
func (j *job) flow(slicer *outofcore.Slicer, s *slice, to sink) error {
	in := s.in
	bands := outofcore.CutStream(s.desc, flowBytes)
	widest, _ := bands.At(0)
	if err := in.reserve(outofcore.Span(widest) + outofcore.OutputBytes(widest, slicer.Size(widest))); err != nil {
		return err
	}
	smallest := outofcore.Smallest(s.desc)
	all := smallest.WindowOffsets[0]+smallest.WindowSizes[0] == in.Shape[0] // the last row is taken
	for i := range bands.Count {
		band, origin := bands.At(i)
		for end := origin[0] + band.Output.Sizes[0]; origin[0] < end; {
			n, err := in.ready(&bands, band, origin[0], end-origin[0])
			if err == io.EOF {
				return j.ended(s)
			} else if err != nil {
				return err
			}
			bands.Narrow(band, 0, origin[0], n)
			err = slicer.Box(context.Background(), &bands, band, origin, to.output())
			if errors.Is(err, io.ErrUnexpectedEOF) {
				return in.cutOff(in.pipe.at - in.Offset)
			} else if err != nil {
				return err
			}
			origin[0] += n
		}
	}
	switch {
	case all && in.open:
		return fmt.Errorf("%s holds more than %d bytes", in.name, in.Size)
	case all:
		if err := in.pipe.skip(in.Offset + in.Size); err == io.ErrUnexpectedEOF {
			return in.cutOff(in.pipe.at - in.Offset)
		} else if err != nil {
			return named(in.name, err)
		}
	case in.open:
		in.Shape[0] = -1 // for -v: the extent stays unknown
	}
	if all || in.pipe.summed {
		return in.noMore()
	}
	return nil
}

// ready waits until the input of one position of a band's first axis has come, or flowBytes of it.
// It returns how many positions from lo on, at most n, have come by then. If a is open and the pipe
// ends before, it returns io.EOF. A band that is walked backwards counts as ready as a whole.
func (a *array) ready(bands *outofcore.Boxes, band *slice1.Desc, lo, n int) (int, error) {
	first := bands.Axis(0)
	if first.Step < 0 {
		return n, nil
	}
	bands.Narrow(band, 0, lo, 1)
	from, _ := outofcore.Gather(band)
	at, span, step := from.First, outofcore.Span(band), first.Step*first.Src*int64(a.Type.Size())
	if a.video != nil {
		at, span, step = a.video.bytesOf(at, step)
	}
	err := a.pipe.skip(a.Offset + at)
	if err == nil {
		_, err = a.pipe.Peek(int(min(span, flowBytes)))
	}
	switch ended := err == io.EOF || err == io.ErrUnexpectedEOF; {
	case ended && a.open:
		return 0, io.EOF
	case ended:
		return 0, a.cutOff(a.have())
	case err != nil:
		return 0, fmt.Errorf("%s: %w", a.name, err)
	case step == 0:
		return n, nil
	}
	return min(n, 1+int(max(int64(a.pipe.Buffered())-span, 0)/step)), nil
}

// have returns how many bytes of elements the pipe has given so far.
func (a *array) have() int64 { return a.pipe.at + int64(a.pipe.Buffered()) - a.Offset }

// ended makes s the slice of the rows that came, when its pipe has ended.
func (j *job) ended(s *slice) error {
	if err := s.in.came(s.in.have()); err != nil {
		return err
	}
	*s = slice{in: s.in}
	return j.resolve(s)
}
