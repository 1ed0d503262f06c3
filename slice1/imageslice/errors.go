package imageslice

import (
	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/sentence"
)

// refused returns an error that matches err and has a text of its own.
func refused(err error, format string, args ...any) error {
	return sentence.New("imageslice", err, format, args...)
}

// refusedField is refused for a field or an argument, of which the text says more.
func refusedField(field string, got, limit int64, err error, format string, args ...any) error {
	return &slice1.DescError{Field: field, Axis: -1, Got: got, Limit: limit, Err: refused(err, field+format, args...)}
}

// adopt returns an error of package slice1 as one of this package, and nil for nil.
func adopt(err error) error { return sentence.Prefix("imageslice", err) }
