package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/npy"
)

// array is an input: elements in memory, mapped or not.
type array struct {
	dtype     slice1.DataType
	bigEndian bool
	shape     []int
	strides   []int  // in elements; nil = row-major
	data      []byte // starts with the first element
	unmap     func() error
}

// close gives the memory back. It may be called more than once.
func (a *array) close() error {
	unmap := a.unmap
	a.unmap, a.data = nil, nil
	if unmap == nil {
		return nil
	}
	return unmap()
}

// open reads or maps an input; the name - is stdin.
func open(name string, stdin io.Reader) (*array, error) {
	file, unmap, err := contents(name, stdin)
	if err != nil {
		return nil, err
	}
	a, err := parse(file)
	if err != nil {
		if name == "-" {
			name = "standard input"
		}
		if unmap != nil {
			err = errors.Join(err, unmap())
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	a.unmap = unmap
	return a, nil
}

func parse(file []byte) (*array, error) {
	if isPicture(file) {
		return decodePicture(file)
	}
	h, err := npy.Parse(file)
	if err != nil {
		return nil, err
	}
	return &array{
		dtype:     h.Type,
		bigEndian: h.BigEndian,
		shape:     h.Shape,
		strides:   h.Strides(),
		data:      file[h.Offset : h.Offset+h.Size],
	}, nil
}

// contents maps a regular file where that works and reads everything else;
// unmap is nil for what was read.
func contents(name string, stdin io.Reader) (data []byte, unmap func() error, err error) {
	if name == "-" {
		data, err = io.ReadAll(stdin)
		return data, nil, err
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if size := info.Size(); info.Mode().IsRegular() && size > 0 {
		if data, unmap, err = mapFile(f, size, false); err == nil {
			return data, unmap, nil
		}
	}
	data, err = io.ReadAll(f)
	return data, nil, err
}
