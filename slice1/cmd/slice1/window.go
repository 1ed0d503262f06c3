package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

// parseWindow reads "offset+size/stride" for each axis of shape, separated by commas. Without
// "/stride", the stride is 1. Errors are a *slice1.IndexError.
func parseWindow(text string, shape []int) (slice1.Window, error) {
	var w slice1.Window
	column := 0
	for axis, part := range strings.Split(text, ",") {
		if axis == len(shape) {
			return w, windowError(text, column, len(text)-column, slice1.ErrRank, "too many axes for an array of rank %d", len(shape))
		}
		offset, rest, ok := strings.Cut(part, "+")
		if !ok {
			return w, windowError(text, column, len(part), nil, "offset+size/stride expected")
		}
		size, stride, ok := strings.Cut(rest, "/")
		if !ok {
			stride = "1"
		}
		sizeAt := column + len(offset) + 1
		strideAt := sizeAt + len(size) + 1
		o, err := number(text, offset, column, 0)
		if err != nil {
			return w, err
		}
		s, err := number(text, size, sizeAt, 1)
		if err != nil {
			return w, err
		}
		if o > shape[axis] || s > shape[axis]-o {
			return w, windowError(text, column, len(offset)+1+len(size), slice1.ErrWindow, "window leaves axis %d of extent %d", axis, shape[axis])
		}
		step, err := number(text, stride, strideAt, minInt)
		if err != nil {
			return w, err
		}
		if step == 0 {
			return w, windowError(text, strideAt, len(stride), slice1.ErrStride, "a stride must not be 0")
		}
		w.Offsets = append(w.Offsets, o)
		w.Sizes = append(w.Sizes, s)
		w.Strides = append(w.Strides, step)
		w.Out = append(w.Out, 1+int(uint(s-1)/magnitude(step)))
		column += len(part) + 1
	}
	if len(w.Out) < len(shape) {
		return w, windowError(text, len(text), 1, slice1.ErrRank, "%d axes, but the array has rank %d", len(w.Out), len(shape))
	}
	return w, nil
}

const minInt = -1 << (strconv.IntSize - 1)

// number reads the integer s, which begins at column of text. An integer below least is an error.
// Errors are a *slice1.IndexError.
func number(text, s string, column, least int) (int, error) {
	n, err := strconv.Atoi(s)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, windowError(text, column, len(s), slice1.ErrOverflow, "integer out of range")
	case err != nil || s[0] == '+':
		return 0, windowError(text, column, len(s), nil, "integer expected")
	case n < least:
		return 0, windowError(text, column, len(s), slice1.ErrWindow, "at least %d expected", least)
	}
	return n, nil
}

func magnitude(n int) uint {
	if n < 0 {
		return -uint(n)
	}
	return uint(n)
}

func windowError(text string, column, length int, err error, format string, args ...any) error {
	return &slice1.IndexError{Expr: text, Column: column, Length: max(1, length), Msg: fmt.Sprintf(format, args...), Err: err}
}
