package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

// savedJob is the JSON that -desc reads and -explain -json writes: a descriptor, with the names
// of slice1.Desc, and what the command adds.
type savedJob struct {
	Input, Output                             savedTensor
	WindowOffsets, WindowSizes, WindowStrides []int
	Shape                                     []int        // of the result; missing: Output.Sizes
	File                                      *savedTensor `json:",omitempty"` // the input that the job was made for; nil: the job does not say
	Explain                                   any          `json:",omitempty"` // for people; -desc ignores it
}

type savedTensor struct {
	DataType  string
	Sizes     []int
	Strides   []int `json:",omitempty"`
	TotalSize int64 `json:",omitempty"`
	BaseAlign int   `json:",omitempty"`
}

// loadDesc reads the file of -desc. Without that flag it returns nil and no error.
func (j *job) loadDesc() (*savedJob, error) {
	if j.desc == "" {
		return nil, nil
	}
	text, err := os.ReadFile(j.desc)
	if err != nil {
		return nil, err
	}
	saved := new(savedJob)
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(saved); err != nil {
		return nil, jsonError(j.desc, string(text), err, d.InputOffset())
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, jsonError(j.desc, string(text), errors.New("text after the job"), d.InputOffset())
	}
	return saved, nil
}

// jsonError returns a *slice1.IndexError that says what err says. It points into the line of the
// JSON text where decoding stopped: at the offset in err if err has one, at the end of the text if
// the text is too short, and else at byte at. name is the name of the file.
func jsonError(name, text string, err error, at int64) error {
	var syntax *json.SyntaxError
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = max(syntax.Offset-1, 0)
	case errors.As(err, &wrong):
		at = max(wrong.Offset-1, 0)
		field := strings.TrimRight(wrong.Field, ".0123456789") // from Go 1.27 on, Field ends with an index into the list
		err = fmt.Errorf("%s cannot be %s", field, wrong.Value)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		at, err = int64(len(text)), errors.New("the job ends too early")
	}
	at = min(at, int64(len(text)))
	start := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	msg := fmt.Sprintf("%s:%d: %s", name, 1+strings.Count(text[:at], "\n"), strings.TrimPrefix(err.Error(), "json: "))
	return windowError(line, int(at)-start, 1, nil, "%s", msg)
}

// descriptor returns the descriptor of the job. The error names an unknown data type, or is that
// of Desc.Validate.
func (s *savedJob) descriptor() (*slice1.Desc, error) {
	d := &slice1.Desc{WindowOffsets: s.WindowOffsets, WindowSizes: s.WindowSizes, WindowStrides: s.WindowStrides}
	for _, t := range []struct {
		name  string
		saved savedTensor
		to    *slice1.TensorDesc
	}{{"Input", s.Input, &d.Input}, {"Output", s.Output, &d.Output}} {
		*t.to = slice1.TensorDesc{Sizes: t.saved.Sizes, Strides: t.saved.Strides, TotalSize: t.saved.TotalSize, BaseAlign: t.saved.BaseAlign}
		dtype, _, err := parseRawType(t.saved.DataType)
		if err != nil {
			return nil, fmt.Errorf("%s.DataType: no type %q", t.name, t.saved.DataType)
		}
		t.to.DataType = dtype
	}
	return d, d.Validate()
}

// fit sets the descriptor and the shape of s to those of the saved job. It returns an error if
// the job is broken, or if the input of s is not one that the job is for.
func (s *slice) fit(saved *savedJob, j *job) (err error) {
	if s.desc, err = saved.descriptor(); err != nil {
		return usagef("%s: %s", j.desc, strings.TrimPrefix(err.Error(), "slice1: "))
	}
	if err := s.match(saved, j.desc); err != nil {
		return err
	}
	if t := s.desc.Input.DataType; t != s.in.dtype {
		return fmt.Errorf("%s is %v, %s describes %v", s.in.name, s.in.dtype, j.desc, t)
	}
	need, err := s.desc.Input.MinSize()
	if err != nil {
		return err
	}
	if need = max(need, s.desc.Input.TotalSize); need > s.in.size {
		return fmt.Errorf("%s holds %d bytes of elements, %s describes %d", s.in.name, s.in.size, j.desc, need)
	}
	const most = 64 // axes; NumPy's limit
	if s.shape = saved.Shape; s.shape == nil {
		s.shape = s.desc.Output.Sizes
	} else if len(s.shape) > most {
		return usagef("%s: Shape: at most %d axes", j.desc, most)
	}
	drop := func(shape []int) []int {
		return slices.DeleteFunc(slices.Clone(shape), func(n int) bool { return n == 1 })
	}
	if shape := s.in.wide(&savedTensor{Sizes: s.shape}).Sizes; !slices.Equal(drop(shape), drop(s.desc.Output.Sizes)) {
		return usagef("%s: Shape: %v does not have the extents of Output.Sizes, %v", j.desc, brackets(s.shape), brackets(s.desc.Output.Sizes))
	}
	return nil
}

// save returns s as a saved job, without an explanation.
func (s *slice) save() *savedJob {
	d := s.desc
	tensor := func(t *slice1.TensorDesc) savedTensor {
		return savedTensor{t.DataType.String(), t.Sizes, t.Strides, t.TotalSize, t.BaseAlign}
	}
	return &savedJob{Input: tensor(&d.Input), Output: tensor(&d.Output), File: s.in.saved(),
		WindowOffsets: d.WindowOffsets, WindowSizes: d.WindowSizes, WindowStrides: d.WindowStrides, Shape: s.shape}
}
