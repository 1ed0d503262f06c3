package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// copyInto writes the slice into window j.box of the array in OUT, like OUT[BOX] = IN[INDEX] in
// NumPy, and leaves the rest of OUT as it is. A slice of one element fills the window. Everything
// is checked before OUT is written to.
func (j *job) copyInto() error {
	j.flows = j.desc == ""
	format, to, s, err := j.inPlace("-into", j.force)
	if err != nil {
		return err
	}
	defer s.in.Close()
	if to.old == nil {
		return fmt.Errorf("%s is no file: -into writes into an array that is there", j.out)
	}
	f, err := os.OpenFile(to.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err = j.assign(s, f, to.old.Size(), format); err == nil {
		err = s.in.unchanged()
	}
	return errors.Join(err, f.Close())
}

// assign writes s into window j.box of the array in f, a file of size bytes.
func (j *job) assign(s *slice, f *os.File, size int64, format string) error {
	a, index, err := j.arrayOf(s, f, size, format)
	if err != nil {
		return named(j.out, err)
	}
	w, shape, err := a.ParseIndex(index)
	empty := errors.Is(err, slice1.ErrEmpty)
	if err != nil && !empty {
		return err
	}
	one, have, takes := len(withoutOnes(s.shape)) == 0, withoutOnes(s.shape), withoutOnes(shape)
	if !one && fmt.Sprint(have) != fmt.Sprint(takes) {
		return fmt.Errorf("%v of %s does not fit in %v, which %s takes of %s", brackets(s.shape), s.out.typeName(), brackets(shape), clip(index), j.out)
	}
	if empty || s.empty {
		return nil
	}
	window, err := w.Into(a.tensor())
	if err != nil {
		return err
	}
	d, to := window.Desc, sink{w: f, file: f, base: a.Offset + window.Offset}
	if _, err := f.Seek(to.base, io.SeekStart); err != nil {
		return err
	}
	if one && len(takes) > 0 { // the element is one more axis in memory, with a stride of 0 along all others
		var element bytes.Buffer
		if err := j.run(s, sink{w: &element}); err != nil {
			return err
		}
		d.Input.Strides = make([]int, len(d.Input.Sizes))
		if a.Inner > 1 {
			d.Input.Strides[len(d.Input.Strides)-1] = 1
		}
		fill := &slice{in: &array{source: s.in.source, Header: a.Header, data: element.Bytes()}, out: s.out}
		return j.slicer(fill, j.kernel).Run(context.Background(), d, to.output())
	}
	// This descriptor writes the packed output of s into the window, with the axes of s's
	// descriptor.
	into, long := slice1.Whole(s.desc.Output.DataType, s.desc.Output.Sizes...), (&slice{desc: d}).long()
	into.Output.Strides = make([]int, len(into.Output.Sizes))
	for i, axis := range s.long() {
		into.Output.Strides[axis], into.WindowStrides[axis] = d.Output.Strides[long[i]], d.WindowStrides[long[i]]
	}
	if s.desc, err = slice1.Compose(s.desc, into); err != nil {
		return err
	}
	return j.run(s, to)
}

// arrayOf returns the array in f and the index of the window in it. It returns an error if the
// array's elements differ from s's in type or byte order. For raw elements j.box begins with the
// array's shape.
func (j *job) arrayOf(s *slice, f *os.File, size int64, format string) (a *array, index string, err error) {
	at := max(strings.IndexByte(j.box, '['), 0)
	a = &array{source: &source{name: j.out}}
	if format == "raw" {
		if at == 0 {
			return nil, "", usagef("-into %s: raw output needs its shape before the index, as in 48,64,3[8:40]", clip(j.box))
		}
		a.Header, a.Size = s.out.Header, size
		if a.Shape, err = parseShape(j.box[:at], size/a.elementSize()); err != nil {
			return nil, "", err
		}
		a.Offset = 0
		return a, j.box[at:], a.fills()
	}
	h, err := npy.ReadHeaderAt(io.NewSectionReader(f, 0, size))
	if err != nil {
		return nil, "", err
	}
	a.describe(h)
	switch b := s.out; {
	case at > 0:
		return nil, "", usagef("-into %s: .npy output has its shape in the file", clip(j.box))
	case !sameElements(a, b):
		return nil, "", fmt.Errorf("has elements of %s, the slice %s", a.kind(a.Shape), b.kind(s.shape))
	case len(a.Shape) > a.maxRank():
		return nil, "", fmt.Errorf("%s of rank %d, of which at most %d are sliced", a.typeName(), len(a.Shape), a.maxRank())
	}
	return a, j.box, nil
}

// sameElements reports whether the elements of a and b have the same type and order of bytes.
func sameElements(a, b *array) bool {
	return a.Type == b.Type && a.Descr == b.Descr && a.UTF8 == b.UTF8 && a.BigEndian == b.BigEndian
}
