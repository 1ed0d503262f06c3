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

// runStack writes the slice of each input of the stack s, of which the first is open. If the output
// is a file, several are sliced at once, each into its place, and else one after the other. After an
// error no further input is sliced.
func (j *job) runStack(s *slice, to sink) error {
	size, workers := s.size()/int64(len(s.stack)), j.goroutines()
	if to.file == nil {
		workers = 1
	}
	first := *s
	first.shape, first.stack = s.shape[1:], nil
	var failed atomic.Bool
	results := j.together(s.stack, workers, func(i int, one *job) error {
		if failed.Load() {
			return nil
		}
		layer, at := to, int64(i)*size
		if to.file != nil {
			layer = sink{io.NewOffsetWriter(to.file, to.base+at), to.file, to.base + at}
		}
		err := one.layer(&first, i == 0, layer)
		failed.CompareAndSwap(false, err != nil)
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

// layer writes the slice of j.in, one input of a stack. It is the slice of the first input if
// isFirst is true. It is an error if the slice has another type, byte order or shape than that.
func (j *job) layer(first *slice, isFirst bool, to sink) (err error) {
	s := first
	if !isFirst {
		if s, err = j.load(); err != nil {
			return named(j.in, err)
		}
	}
	defer func() { err, s.in.data = errors.Join(err, s.in.Close()), nil }()
	if a, b := first.out, s.out; !sameElements(a, b) || !slices.Equal(first.shape, s.shape) {
		return fmt.Errorf("%s gives %s, the first of the stack %s", j.in, b.kind(s.shape), a.kind(first.shape))
	}
	if err = j.run(s, to); err == nil {
		err = s.in.unchanged()
	}
	return named(j.in, err)
}

// sameElements reports whether the elements of a and b have the same type and order of bytes.
func sameElements(a, b *array) bool {
	return a.Type == b.Type && a.Descr == b.Descr && a.UTF8 == b.UTF8 && a.BigEndian == b.BigEndian
}

// kind returns a text with the byte order and the type of a's elements and with the given shape.
func (a *array) kind(shape []int) string {
	order := ""
	if a.BigEndian {
		order = "big-endian "
	}
	return fmt.Sprintf("%s%s %v", order, a.typeName(), brackets(shape))
}
