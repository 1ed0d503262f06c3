package translate

import (
	"fmt"

	"github.com/seed2e45c115/dml/slice1"
)

// said is an error with a text of its own. A DescError whose Err it is has that text, too.
type said struct {
	text string
	err  error // the sentinel
}

// Said returns an error with a sentinel. Its text is made like by fmt.Sprintf.
func Said(sentinel error, format string, args ...any) error {
	return said{"directml: " + fmt.Sprintf(format, args...), sentinel}
}

func (e said) Error() string { return e.text }

// Sentence returns the text.
func (e said) Sentence() string { return e.text }

func (e said) Unwrap() error { return e.err }

// Refused returns the error of a field or an argument. Its text is the field, followed by what
// format and args give.
func Refused(sentinel error, field string, got, limit int64, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	return &slice1.DescError{Field: field, Axis: -1, Got: got, Limit: limit, Err: Said(sentinel, "%s%s", field, text)}
}
