package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
)

// pile does the job of -stack: it writes the slices of all inputs one after the other, as one array
// with a new first axis.
func (j *job) pile(inputs []string) error {
	format, err := j.format()
	switch {
	case err != nil:
		return err
	case holds[format] != "":
		return usagef("-stack writes npy, npz or raw, not %s", format)
	}
	if err := j.checkText(); err != nil {
		return err
	}
	return j.copyOf(func() (*slice, error) {
		one := *j
		one.in = inputs[0]
		s, err := one.load()
		if err != nil {
			return nil, named(inputs[0], err)
		}
		if s.strided() {
			return nil, errors.Join(usagef("%s: -stack takes slices without output strides", j.desc), s.in.Close())
		}
		s.shape, s.stack = slices.Concat([]int{len(inputs)}, s.shape), inputs
		return s, nil
	})
}

// runStack writes the slice of each input of the stack s. The first one is open, and is sliced and
// closed first. If the output is a file, several of the others are sliced at once, each into its
// place. Otherwise they are sliced one after the other. After an error no further input is sliced.
func (j *job) runStack(s *slice, to sink) error {
	size := s.size() / int64(len(s.stack))
	first := *s
	first.shape, first.stack = s.shape[1:], nil
	err := j.run(&first, to)
	if err == nil {
		err = s.in.unchanged()
	}
	if err := errors.Join(err, s.in.Close()); err != nil {
		return named(s.stack[0], err)
	}
	s.in.data = nil
	others := s.stack[1:]
	if to.file == nil {
		for _, in := range others {
			one := *j
			one.in = in
			if err := one.layer(s, to); err != nil {
				return err
			}
		}
		return nil
	}
	var failed atomic.Bool
	results := j.together(others, func(i int, one *job) error {
		if failed.Load() {
			return nil
		}
		at := to.base + int64(i+1)*size
		err := one.layer(s, sink{io.NewOffsetWriter(to.file, at), to.file, at})
		failed.CompareAndSwap(false, err != nil && !errors.Is(err, errAlone))
		return err
	})
	for _, r := range results {
		_, _ = j.stderr.Write(r.said.Bytes())
	}
	for _, r := range results {
		if r.err != nil {
			return r.err
		}
	}
	return nil
}

// layer writes the slice of j.in, one input of a stack. It is an error if the slice has another
// type, byte order or shape than the slice of the first input.
func (j *job) layer(stack *slice, to sink) error {
	s, err := j.load()
	if err != nil {
		return named(j.in, err)
	}
	defer s.in.Close()
	a, b := stack.out, s.out
	if !sameElements(a, b) || !slices.Equal(stack.shape[1:], s.shape) {
		return fmt.Errorf("%s gives %s, the first of the stack %s", j.in, b.kind(s.shape), a.kind(stack.shape[1:]))
	}
	if err := j.run(s, to); err != nil {
		return err
	}
	return s.in.unchanged()
}

// kind returns a text with the byte order and the type of a's elements and with the given shape.
func (a *array) kind(shape []int) string {
	order := ""
	if a.BigEndian {
		order = "big-endian "
	}
	return fmt.Sprintf("%s%s %v", order, a.typeName(), brackets(shape))
}
