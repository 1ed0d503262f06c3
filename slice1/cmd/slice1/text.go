package main

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/seed2e45c115/dml/slice1"
)

// span is a part of a text: from byte start up to, not including, byte end.
type span struct{ start, end int }

// number reads the integer s, which begins at column of text. An integer below lowest is an error.
// Errors are of type *slice1.IndexError.
func number(text, s string, column, lowest int) (int, error) {
	n, err := strconv.Atoi(s)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, windowError(text, column, len(s), slice1.ErrOverflow, "integer out of range")
	case err != nil || s[0] == '+':
		return 0, windowError(text, column, len(s), nil, "integer expected")
	case n < lowest:
		return 0, windowError(text, column, len(s), slice1.ErrWindow, "at least %d expected", lowest)
	}
	return n, nil
}

func windowError(text string, column, length int, err error, format string, args ...any) error {
	return &slice1.IndexError{Expr: text, Column: column, Length: max(1, length), Msg: fmt.Sprintf(format, args...), Err: err}
}
