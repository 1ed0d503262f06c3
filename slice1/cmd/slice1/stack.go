package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
)

// pile does the job of -stack: it writes the slices of all inputs, one behind the other, as one
// array with a new first axis.
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
		one.in, one.quiet = inputs[0], true // layer prints its notes
		s, err := one.load()
		if err != nil {
			return nil, named(inputs[0], err)
		}
		s.in.data = nil
		if err := s.in.close(); err != nil {
			return nil, err
		}
		if s.strided() {
			return nil, usagef("%s: -stack takes slices without output strides", j.desc)
		}
		s.shape, s.stack = slices.Concat([]int{len(inputs)}, s.shape), inputs
		return s, nil
	})
}

// runStack writes the slice of each input of the stack s. If the output is a file, several inputs are
// sliced at once, each into its place; else they are sliced one after the other. After an error no
// further input is sliced.
func (j *job) runStack(ctx context.Context, s *slice, to sink) error {
	size := s.size() / int64(len(s.stack))
	if to.file == nil {
		for _, in := range s.stack {
			one := *j
			one.in = in
			if err := one.layer(ctx, s, to); err != nil {
				return err
			}
		}
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var first sync.Once
	results, err := j.together(s.stack, func(_ context.Context, i int, one *job) error {
		at := to.base + int64(i)*size
		err := one.layer(ctx, s, sink{io.NewOffsetWriter(to.file, at), to.file, at})
		if err != nil {
			first.Do(func() { cancel(err) })
		}
		return err
	})
	for _, r := range results {
		if r != nil {
			_, _ = j.stderr.Write(r.said.Bytes())
		}
	}
	if err == nil {
		err = context.Cause(ctx)
	}
	return err
}

// layer writes the slice of j.in, one input of a stack. It is an error if that has another type, byte
// order or shape than the slice of the first input. If ctx has ended, layer does nothing.
func (j *job) layer(ctx context.Context, stack *slice, to sink) error {
	if ctx.Err() != nil {
		return nil
	}
	s, err := j.load()
	if err != nil {
		return named(j.in, err)
	}
	defer s.in.close()
	a, b := stack.in, s.in
	if a.dtype != b.dtype || a.descr != b.descr || a.utf8 != b.utf8 || a.bigEndian != b.bigEndian || !slices.Equal(stack.shape[1:], s.shape) {
		return fmt.Errorf("%s gives %s, the first of the stack %s", j.in, b.kind(s.shape), a.kind(stack.shape[1:]))
	}
	return j.run(ctx, s, to)
}

// kind returns, as text, byte order and type of a's elements and the given shape.
func (a *array) kind(shape []int) string {
	order := ""
	if a.bigEndian {
		order = "big-endian "
	}
	return fmt.Sprintf("%s%s %v", order, a.typeName(), brackets(shape))
}
