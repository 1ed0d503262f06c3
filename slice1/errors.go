package slice1

import (
	"errors"
	"fmt"

	"github.com/seed2e45c115/dml/slice1/dtype"
	"github.com/seed2e45c115/dml/slice1/internal/engine"
	"github.com/seed2e45c115/dml/slice1/internal/sentence"
)

// Each sentinel names a condition; test for it with [errors.Is]. An error about a part of a
// descriptor, an argument or a text is a [*DescError] or an [*IndexError]; get it with [errors.As].
var (
	ErrRank      = errors.New("the number of axes is wrong")             // or a list's length, or an axis out of range or named twice, or a nil descriptor
	ErrDataType  = dtype.ErrDataType                                     // or the feature level lacks it, or two types must be equal and are not
	ErrSize      = errors.New("the extent is out of range")              // or the number of shards
	ErrStride    = errors.New("the stride is not allowed")               // a window stride of 0, or memory strides that a function cannot take
	ErrWindow    = errors.New("the window is empty or leaves the input") // or an index outside its axis
	ErrOutput    = errors.New("the output is larger than the window yields")
	ErrTotalSize = errors.New("the total size is not allowed")
	ErrAlign     = errors.New("the base alignment is not allowed")
	ErrOverflow  = errors.New("the tensor is too large to count its bytes") // in 63 bits, or in DirectML's 32
	ErrOverlap   = errors.New("memory is shared that must not be")          // by two output elements, or by dst and src
	ErrBuffer    = errors.New("the buffer is too short")
	ErrKernel    = engine.ErrKernel                                         // or the candidate
	ErrEmpty     = errors.New("the slice is empty")                         // which SLICE1 cannot express
	ErrSyntax    = dtype.ErrSyntax                                          // of an index text, a feature level or SLICE1_LEARN
	ErrPlan      = errors.New("the plan is nil or was not made by NewPlan") // a zero Plan, for example, or one without numbers for WithAffine
)

var (
	errNoPlan        = fmt.Errorf("slice1: %w", ErrPlan)
	errStrideOverlap = fmt.Errorf("%w: %w", ErrOverlap, ErrStride)
	errAxisTwice     = fmt.Errorf("axis named twice: %w", ErrRank)
)

// DescError names the wrong field of a descriptor, or the wrong argument. Its text is a sentence.
type DescError struct {
	Field string // of Desc: "WindowSizes", "Output.Strides", ...; or an argument: "dst", "starts", ...
	Axis  int    // position in the list that Field names, 0 for the outermost axis; -1 if the error is not about one entry
	Got   int64  // the value found; for ErrOverlap of dst and src, how many bytes their spans have in common
	Limit int64  // the nearest value allowed, if there is one
	Err   error  // a sentinel or errors.ErrUnsupported, or an error that wraps one of these
}

// Unwrap returns Err.
func (e *DescError) Unwrap() error { return e.Err }

// IndexError names the wrong part of an index text. It matches ErrSyntax, and Err if that is set.
type IndexError struct {
	Expr   string // the whole text
	Column int    // byte of Expr at which the wrong part begins, from 0; len(Expr) if something is missing at the end
	Length int    // bytes of the wrong part, at least 1
	Msg    string // what is wrong
	Err    error  // a further sentinel, or nil
}

// Unwrap returns ErrSyntax, and Err if set.
func (e *IndexError) Unwrap() []error {
	if e.Err == nil {
		return []error{ErrSyntax}
	}
	return []error{ErrSyntax, e.Err}
}

// typeError returns the error of a field that has no data type.
func typeError(field string, t DataType) error {
	if t == 0 {
		return &DescError{field, -1, 0, int64(Float32), saying(ErrDataType, "%s is not set", field)}
	}
	return &DescError{field, -1, int64(t), int64(Int64), saying(ErrDataType, "%s is %d, which is no data type", field, uint32(t))}
}

// within puts a prefix before the field of err, a *DescError or nil.
func within(prefix string, err error) error {
	if err == nil {
		return nil
	}
	place := err.(*DescError)
	place.Field = prefix + place.Field
	return err
}

// bounded returns nil if lo <= got <= hi, and otherwise a DescError with the nearer limit.
func bounded[T int | int64](field string, axis int, got, lo, hi T, sentinel error) error {
	if got < lo || got > hi {
		return &DescError{field, axis, int64(got), int64(min(max(got, lo), hi)), sentinel}
	}
	return nil
}

// typed is a sentinel with the data type of a plan's elements. The text of the error names the type
// or counts its elements.
type typed struct {
	error
	of DataType
}

func (e typed) Unwrap() error { return e.error }

// saying returns a sentinel as the Err of a DescError, with the text that follows "slice1: ".
func saying(sentinel error, format string, args ...any) error {
	return sentence.New("slice1", sentinel, format, args...)
}

// indexed is a sentinel and the index text that the error is about.
type indexed struct {
	error
	expr string
}

func (e indexed) Unwrap() error { return e.error }

// BufferError returns the error of a buffer that is too short (ErrBuffer), for programs that
// implement [Runner]. field is "dst" or "src". t is the data type that the sentence names. The
// buffer has got bytes, 0 if it is nil, and the run needs `need` bytes. The result is never nil,
// even if got is enough.
func BufferError(field string, t DataType, got, need int64) *DescError {
	return &DescError{field, -1, got, need, typed{ErrBuffer, t}}
}

// quoting adds the index text to the message of err, a *DescError or nil.
func quoting(expr string, err error) error {
	if e, ok := err.(*DescError); ok {
		e.Err = indexed{e.Err, expr}
	}
	return err
}
