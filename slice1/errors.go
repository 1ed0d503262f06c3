package slice1

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/seed2e45c115/dml/slice1/internal/engine"
	"github.com/seed2e45c115/dml/slice1/internal/sentence"
)

// Each sentinel names a condition; test for it with [errors.Is]. An error about a part of a
// descriptor, an argument or a text is a [*DescError] or an [*IndexError]; get it with [errors.As].
var (
	ErrRank      = errors.New("the number of axes is wrong")                // or a list's length, or an axis out of range or named twice, or a nil descriptor
	ErrDataType  = errors.New("the data type is unknown or does not match") // or the feature level lacks it, or two types must be equal and are not
	ErrSize      = errors.New("the extent is out of range")                 // or the number of shards
	ErrStride    = errors.New("the stride is not allowed")                  // a window stride of 0, or memory strides that a function cannot take
	ErrWindow    = errors.New("the window is empty or leaves the input")    // or an index outside its axis
	ErrOutput    = errors.New("the output is larger than the window yields")
	ErrTotalSize = errors.New("the total size is not allowed")
	ErrAlign     = errors.New("the base alignment is not allowed")
	ErrOverflow  = errors.New("the tensor is too large to count its bytes") // in 63 bits, or in DirectML's 32
	ErrOverlap   = errors.New("memory is shared that must not be")          // by two output elements, or by dst and src
	ErrBuffer    = errors.New("the buffer is too short")
	ErrKernel    = engine.ErrKernel                                         // also of an unknown candidate
	ErrEmpty     = errors.New("the slice is empty")                         // which SLICE1 cannot express
	ErrSyntax    = engine.ErrSyntax                                         // of an index text, a feature level or SLICE1_LEARN
	ErrPlan      = errors.New("the plan is nil or was not made by NewPlan") // a zero Plan, for example, or one without numbers for WithAffine
)

var (
	errNoPlan        = fmt.Errorf("slice1: %w", ErrPlan)
	errStrideOverlap = fmt.Errorf("%w: %w", ErrOverlap, ErrStride)
)

// DescError names the wrong field of a descriptor, or the wrong argument. Its text is a sentence.
type DescError struct {
	Field string // of Desc: "WindowSizes", "Output.Strides", ...; or an argument: "dst", "starts", ...
	Axis  int    // position in the list that Field names, 0 for the outermost axis; -1 if the error is not about one entry
	Got   int64  // the value found; for ErrOverlap of dst and src, how many bytes their spans have in common
	Limit int64  // the nearest value allowed, if there is one
	Err   error  // a sentinel or errors.ErrUnsupported, or an error that wraps one of these
}

// Error returns the text that Err brings along, by a method Sentence() string. Without one it
// returns "slice1: " and what the fields say.
func (e *DescError) Error() string {
	if said, ok := e.Err.(interface{ Sentence() string }); ok {
		return said.Sentence()
	}
	return fmt.Sprintf("slice1: %s is %d, the limit is %d: %v", place(e.Field, e.Axis), e.Got, e.Limit, e.Err)
}

// Unwrap returns Err.
func (e *DescError) Unwrap() error { return e.Err }

// place returns the field, followed by the axis in brackets unless that is -1.
func place(field string, axis int) string {
	if axis < 0 {
		return field
	}
	return field + "[" + strconv.Itoa(axis) + "]"
}

// saying returns a sentinel with the text that follows "slice1: ".
func saying(sentinel error, format string, args ...any) error {
	return sentence.New("slice1", sentinel, format, args...)
}

// refused returns a DescError. Its text is the place, followed by what format and args give.
func refused[T int | int64](sentinel error, field string, axis int, got, limit T, format string, args ...any) error {
	text := fmt.Sprintf(format, args...)
	return &DescError{field, axis, int64(got), int64(limit), saying(sentinel, "%s%s", place(field, axis), text)}
}

// outside returns the error of bounded for a number below lo or above hi.
func outside(sentinel error, field string, axis int, got, lo, hi int64, ending string) error {
	bound, limit := "least", lo
	if got > hi {
		bound, limit = "most", hi
	}
	return refused(sentinel, field, axis, got, limit, " is %d, must be at %s %d%s", got, bound, limit, ending)
}

// rankError returns the error of a list with a wrong number of entries. reference is a list with
// the right number.
func rankError(field string, got int, reference string, want int) error {
	return refused(ErrRank, field, -1, got, want, " has %s, %s has %d", plural(int64(got), "entry"), reference, want)
}

// typeError returns the error of a field that has no data type.
func typeError(field string, t DataType) error {
	if t == 0 {
		return refused(ErrDataType, field, -1, 0, int64(Float32), " is not set")
	}
	return refused(ErrDataType, field, -1, int64(t), int64(Int64), " is %d, which is no data type; these are %d to %d and %d", uint32(t), Float32, Int64, BFloat16)
}

// IndexError names the wrong part of an index text. It matches ErrSyntax, and Err if that is set.
type IndexError struct {
	Expr   string // the whole text
	Column int    // byte of Expr at which the wrong part begins, from 0; len(Expr) if something is missing at the end
	Length int    // bytes of the wrong part, at least 1
	Msg    string // what is wrong
	Err    error  // a further sentinel, or nil
}

// Error returns the reason, the column, counted from 1, and the text near that column.
func (e *IndexError) Error() string {
	return fmt.Sprintf("slice1: index %s: column %d: %s", excerpt(e.Expr, e.Column), e.Column+1, e.Msg)
}

// Unwrap returns ErrSyntax, and Err if set.
func (e *IndexError) Unwrap() []error {
	if e.Err == nil {
		return []error{ErrSyntax}
	}
	return []error{ErrSyntax, e.Err}
}

// intBounded returns an error unless an int holds a memory stride.
func intBounded(field string, axis int, stride int64) error {
	return bounded(ErrOverflow, field, axis, stride, 0, math.MaxInt, tooManyForInt)
}

// otherType returns the error of an output whose elements have another type than the input's.
func otherType(got, want DataType) error {
	text := fmt.Sprintf(" is %v, must be %v like the input's; WithNumbers converts", got, want)
	switch {
	case got == 0:
		text = fmt.Sprintf(" is not set, must be %v like the input's", want)
	case got.Size() == 0:
		text = fmt.Sprintf(" is %d, which is no data type; must be %v like the input's", uint32(got), want)
	}
	return refused(ErrDataType, "Output.DataType", -1, int64(got), int64(want), "%s", text)
}

// axisError returns the error of an entry that is no axis from low to high. Where negative
// numbers name no axes, the error says what number the last axis has, which is -1 elsewhere.
func axisError[T int | int64](field string, i int, axis, low, high T) error {
	advice := ""
	if axis < 0 && low == 0 {
		advice = fmt.Sprintf("; the last axis is %d", high)
	}
	return refused(ErrRank, field, i, axis, min(max(axis, low), high), " is %d, must be %d to %d%s", axis, low, high, advice)
}

// axisTwice returns the error of an entry that names an axis for the second time. free is an axis
// that no entry names.
func axisTwice[T int | int64](field string, i int, axis, free T) error {
	return refused(ErrRank, field, i, axis, free, " is %d, an axis named twice; axis %d is not named", axis, free)
}

// strideError returns the error of a window stride of 0.
func strideError(field string, axis int) error {
	return refused(ErrStride, field, axis, 0, 1, " is 0, must not be")
}

// overlapError returns the error of a memory stride by which two elements share bytes.
func overlapError(field string, axis int, got, limit int64) error {
	return refused(errStrideOverlap, field, axis, got, limit, " is %d, by which elements overlap; at least %d keeps them apart", got, limit)
}

// BufferError returns the error of a buffer that is too short (ErrBuffer), for programs that
// implement [Runner]. field is "dst" or "src". t is the data type that the sentence names. The
// buffer has got bytes, 0 if it is nil, and the run needs `need` bytes. The result is never nil,
// even if got is enough.
func BufferError(field string, t DataType, got, need int64) *DescError {
	text := saying(ErrBuffer, "%s has %s, needs %d", field, plural(got, "byte"), need)
	if size := int64(t.Size()); size > 1 {
		text = saying(ErrBuffer, "%s has %s (%s), needs %d (%d)", field, plural(got, "byte"), plural(got/size, "element"), need, need/size)
	}
	return &DescError{field, -1, got, need, text}
}

// quoting puts the index text before the sentence of err, a *DescError or nil.
func quoting(expr string, err error) error {
	if e, ok := err.(*DescError); ok {
		e.Err = sentence.Append("slice1: ", "index "+excerpt(expr, 0)+": ", e.Err)
	}
	return err
}

// excerpt returns a part of text in quotes: at most 40 bytes before the given byte, and 40 from
// there on.
func excerpt(text string, center int) string {
	const limit = 40
	begin, end, left, right := 0, len(text), "", ""
	if center > limit {
		begin, left = center-limit, "..."
	}
	if end-center > limit {
		end, right = center+limit, "..."
	}
	return left + strconv.Quote(text[begin:end]) + right
}
