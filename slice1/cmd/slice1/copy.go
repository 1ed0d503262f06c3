package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/cmd/slice1/internal/outofcore"
)

// copy slices the input j.in into the output j.out, or part j.part of the slice into its place
// there.
func (j *job) copy() error {
	format, err := j.formatOf()
	if err != nil {
		return err
	}
	j.format = format
	to, stream, taken := (*target)(nil), true, error(nil)
	if j.out != "-" {
		if to, stream, taken = newTarget(j.out, j.force || j.parts > 0); !stream && j.outMember != "" {
			taken = cmp.Or(j.loses(), taken)
		}
		if taken != nil && j.in == "-" {
			return taken // before standard input is read in vain
		}
	}
	if j.parts > 0 && (j.in == "-" || stream) {
		return usagef("-part is for files, and a pipe or a device is none")
	}
	j.flows = holds[format] == "" && !j.gpu && j.desc == ""
	j.unknown = j.flows && (format == "raw" || format == "npy" && !stream) // a header that is written first has the number
	s, err := j.load()
	if err != nil {
		return err
	}
	defer s.in.Close()
	if taken != nil {
		return taken
	}
	if err := j.fits(s, format); err != nil {
		return err
	}
	out, end, err := j.create(s, to, stream, format)
	if err != nil {
		return err
	}
	if err = j.write(s, format, out); err == nil {
		err = s.in.unchanged()
	}
	return end(err)
}

// create returns an output, and a function that ends the output. For a nil error the
// function completes the output. For another error it removes the output if it is a whole file.
func (j *job) create(s *slice, to *target, stream bool, format string) (out outofcore.Output, end func(error) error, err error) {
	switch {
	case j.parts > 0:
		return j.createPart(s, to, format)
	case j.out == "-":
		return outofcore.Output{W: j.stdout}, func(err error) error { return err }, nil
	case stream:
		f, err := os.OpenFile(j.out, os.O_WRONLY, 0)
		return outofcore.Output{W: f}, func(err error) error { return errors.Join(err, f.Close()) }, err
	}
	f, err := to.create()
	if err != nil {
		return out, nil, err
	}
	return outofcore.Output{W: f.File, File: f.File}, func(err error) error {
		return f.end(errors.Join(err, s.in.Close())) // Windows does not replace an open file, and the input may be the target
	}, nil
}

// load opens the input and makes the slice that the job takes of it. Unless -q forbids that, it
// prints the notes about the input, and one about a name that NumPy gives to another type.
func (j *job) load() (*slice, error) {
	if j.in == "" {
		return nil, usagef("the name of an input is empty")
	}
	saved, err := j.loadDesc()
	if err != nil {
		return nil, err
	}
	in, err := j.open(saved)
	if err != nil {
		return nil, err
	}
	s := &slice{in: in}
	if saved == nil {
		err = j.resolve(s)
	} else if err = s.fit(saved, j); err == nil {
		err = j.arrange(s)
	}
	if err == nil {
		err = j.prepare(s)
	}
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	if !j.quiet {
		for _, of := range [...][2]string{{"-raw", j.raw}, {"-to", j.typName}} {
			if flag, name := of[0], of[1]; name == "i8" || name == "u8" {
				j.note(fmt.Sprintf("%s %s is of 8 bits; what NumPy calls %s, 8 bytes each, is %s %s64", flag, name, name, flag, name[:1]))
			}
		}
		for _, note := range s.in.notes {
			j.note(note)
		}
	}
	return s, nil
}

// resolve sets everything of s except its input, from the input and the job.
func (j *job) resolve(s *slice) error {
	if err := j.choose(s); err != nil {
		return err
	}
	return j.arrange(s)
}

// arrange puts the axes of s in the order of -axes, and makes its elements numbers of the type of
// -to.
func (j *job) arrange(s *slice) error {
	channels, err := j.convert(s)
	if err != nil {
		return err
	}
	return j.permute(s, channels)
}

// choose sets the descriptor and the shape of s from the index, or marks s as empty. It ignores
// -axes.
func (j *job) choose(s *slice) (err error) {
	w, shape, err := s.in.ParseIndex(j.index)
	if errors.Is(err, slice1.ErrEmpty) {
		s.empty, err = true, nil
	}
	s.shape, s.desc = shape, w.Of(s.in.tensor())
	return err
}
