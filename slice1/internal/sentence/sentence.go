// Package sentence has the error whose text is written where the error is made.
package sentence

import (
	"fmt"
	"strings"
)

// Error is an error with a text of its own. The text of Err would add nothing to it. A
// slice1.DescError whose Err is an Error has that text, too.
type Error struct {
	Text string // begins with the package whose function was called, like "npy: "
	Err  error  // a sentinel, or the error that the text repeats
}

// New returns an error of a package. Its text is made like by fmt.Sprintf.
func New(name string, err error, format string, args ...any) Error {
	return Error{name + ": " + fmt.Sprintf(format, args...), err}
}

// Prefix returns an error of package slice1 as an error of the package that called it: its text
// begins with that package's name. It returns nil for nil.
func Prefix(name string, err error) error {
	if err == nil {
		return nil
	}
	return Error{name + ": " + strings.TrimPrefix(err.Error(), "slice1: "), err}
}

// Append returns an Error with a text put behind the beginning of its own. It returns err as it is
// if that is no Error with that beginning.
func Append(beginning, text string, err error) error {
	said, ok := err.(Error)
	rest, found := strings.CutPrefix(said.Text, beginning)
	if !ok || !found {
		return err
	}
	return Error{beginning + text + rest, said.Err}
}

func (e Error) Error() string { return e.Text }

// Sentence returns the text.
func (e Error) Sentence() string { return e.Text }

func (e Error) Unwrap() error { return e.Err }
