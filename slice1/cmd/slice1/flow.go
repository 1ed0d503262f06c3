package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/cmd/slice1/internal/outofcore"
)

// flow slices a pipe band by band, and of a band what has come when the writer pauses, and writes
// the results. If the number of rows is unknown and the pipe ends, flow makes s the slice of the
// rows that came. It is an error if raw elements go on behind the last row of a slice that takes
// that row.
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

// ready waits until the input of one position of a band's first axis has come, or flowBytes of it,
// and returns how many positions from lo on, at most n, have come by then. It returns io.EOF if the
// pipe ends before, and is open. A band that is walked backwards is ready as a whole.
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

// have returns the bytes of elements that a pipe had so far.
func (a *array) have() int64 { return a.pipe.at + int64(a.pipe.Buffered()) - a.Offset }

// ended makes s the slice of the rows that came of a pipe that has ended.
func (j *job) ended(s *slice) error {
	if err := s.in.came(s.in.have()); err != nil {
		return err
	}
	*s = slice{in: s.in}
	return j.resolve(s)
}
