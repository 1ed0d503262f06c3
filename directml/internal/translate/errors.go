package translate

import (
	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/sentence"
)

// Refused returns the error of a field or an argument. Its text is the field, followed by what
// format and args give.
func Refused(sentinel error, field string, got, limit int64, format string, args ...any) error {
	said := sentence.New("directml", sentinel, format, args...)
	return &slice1.DescError{Field: field, Axis: -1, Got: got, Limit: limit, Err: sentence.After("directml: ", field, said)}
}
