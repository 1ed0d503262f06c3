package main

import (
	"fmt"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
)

// saved returns what a saved job says of its input: type, shape and memory strides.
func (a *array) saved() *savedTensor {
	return &savedTensor{DataType: a.typeName(), Sizes: a.shape, Strides: a.strides}
}

func (t *savedTensor) String() string {
	text := t.DataType + " " + brackets(t.Sizes).String()
	if t.Strides != nil {
		text += ", strides " + brackets(t.Strides).String()
	}
	return text
}

// lies reports whether t and as have equal sizes and memory strides, where nil strides are row-major.
func (t *savedTensor) lies(as *savedTensor) bool {
	strides := func(t *savedTensor) []int {
		return slice1.TensorDesc{DataType: slice1.Uint8, Sizes: t.Sizes, Strides: t.Strides}.MemoryStrides()
	}
	return slices.Equal(t.Sizes, as.Sizes) && slices.Equal(strides(t), strides(as))
}

// match compares the input of s with the file that the saved job was made for; job is the name of
// the saved job's file. Another type or shape is an error. If the Input of the job lies in memory
// as that file did, the input of s may have another memory order, and s.desc gets its strides.
// Otherwise another memory order is an error. If the job does not say what file it was made for,
// match adds a note where shape or strides differ from those of its Input, and returns nil.
func (s *slice) match(saved *savedJob, job string) error {
	in, file := s.in.saved(), saved.File
	if file == nil {
		if !s.in.raw && !s.in.wide(in).lies(&saved.Input) {
			s.in.notes = append(s.in.notes, fmt.Sprintf("%s does not say what file it is for; %s is %v, and taken as %v", job, s.in.name, in, &saved.Input))
		}
		return nil
	}
	same := file.DataType == in.DataType
	if dtype, _, err := parseRawType(file.DataType); err == nil && s.in.descr == "" {
		same = dtype == s.in.dtype
	}
	switch {
	case !same || !slices.Equal(file.Sizes, in.Sizes):
		return fmt.Errorf("%s is %v %v, %s is for %s %v", s.in.name, in.DataType, brackets(in.Sizes), job, file.DataType, brackets(file.Sizes))
	case s.in.wide(file).lies(&saved.Input):
		s.desc.Input.Strides = s.in.wide(in).Strides
	case !file.lies(in):
		return fmt.Errorf("%s is %v, the strides of %s are for %v", s.in.name, in, job, file)
	}
	return nil
}
