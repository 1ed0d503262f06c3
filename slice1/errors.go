package slice1

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/slice1/dtype"
	"github.com/seed2e45c115/dml/slice1/internal/engine"
)

// Each sentinel names a condition; test for it with [errors.Is]. Where an error has a
// place, it is a [*DescError] or an [*IndexError], found with [errors.As].
var (
	ErrRank      = errors.New("the number of axes is wrong")             // or a list's length, or an axis out of range or named twice, or a nil descriptor
	ErrDataType  = dtype.ErrDataType                                     // unknown, lacking at the feature level, or not equal to another
	ErrSize      = errors.New("the extent is out of range")              // or the number of shards
	ErrStride    = errors.New("the stride is not allowed")               // a window stride of 0, or memory strides that a function cannot take
	ErrWindow    = errors.New("the window is empty or leaves the input") // or an index outside its axis
	ErrOutput    = errors.New("the output is larger than the window yields")
	ErrTotalSize = errors.New("the total size is not allowed")
	ErrAlign     = errors.New("the base alignment is not allowed")
	ErrOverflow  = errors.New("the tensor is too large to count its bytes") // in 63 bits, or in DirectML's 32
	ErrOverlap   = errors.New("memory is shared that must not be")          // by two output elements, or by dst and src
	ErrBuffer    = errors.New("the buffer is too short")
	ErrKernel    = engine.ErrKernel                                                                        // or the candidate
	ErrEmpty     = errors.New("the slice is empty")                                                        // which SLICE1 cannot express
	ErrSyntax    = dtype.ErrSyntax                                                                         // of an index text, a feature level or SLICE1_LEARN
	ErrPlan      = errors.New("the plan or conversion is nil or was not made by NewPlan or NewConversion") // but is a zero one
)

var (
	errNoPlan        = fmt.Errorf("slice1: %w", ErrPlan)
	errStrideOverlap = fmt.Errorf("%w: %w", ErrOverlap, ErrStride)
	errAxisTwice     = fmt.Errorf("axis named twice: %w", ErrRank)
	errNotConverted  = fmt.Errorf("not converted: %w", ErrDataType)
)

// DescError names the wrong part of a descriptor, or argument, by a sentence.
type DescError struct {
	Field string // of Desc: "WindowSizes", "Output.Strides", ...; or an argument: "dst", "starts", ...
	Axis  int    // position in the list that Field names, 0 being the outermost axis; -1 if not about one entry
	Got   int64  // the value found; if dst and src overlap, the bytes in which their spans meet
	Limit int64  // the nearest value allowed, if there is one
	Err   error  // a sentinel or errors.ErrUnsupported, or an error that wraps one of these
}

// Error returns "slice1: " and a sentence.
func (e *DescError) Error() string { return "slice1: " + e.sentence() }

// Unwrap returns Err.
func (e *DescError) Unwrap() error { return e.Err }

// IndexError names the wrong part of an index text: ErrSyntax, and Err if set.
type IndexError struct {
	Expr   string // the whole text
	Column int    // byte of Expr at which the offending part begins, from 0; len(Expr) where something is missing at the end
	Length int    // bytes of the offending part, at least 1
	Msg    string // what is wrong
	Err    error  // a further sentinel, or nil
}

// Error returns the text near the column, counted from 1, and the reason.
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

// within puts a prefix before the field of err, a *DescError or nil.
func within(prefix string, err error) error {
	if err == nil {
		return nil
	}
	place := err.(*DescError)
	place.Field = prefix + place.Field
	return err
}

// bounded returns nil if lo <= got <= hi, or else a DescError with the nearer limit.
func bounded[T int | int64](field string, axis int, got, lo, hi T, sentinel error) error {
	if got < lo || got > hi {
		return &DescError{field, axis, int64(got), int64(min(max(got, lo), hi)), sentinel}
	}
	return nil
}

// typed is a sentinel and the data type of a plan's elements, which the text of the error
// names or counts.
type typed struct {
	error
	of DataType
}

func (e typed) Unwrap() error { return e.error }

// indexed is a sentinel and the index text that the error is about.
type indexed struct {
	error
	expr string
}

func (e indexed) Unwrap() error { return e.error }

// BufferError returns the error of a buffer that is too short (ErrBuffer), for programs that
// implement [Runner]. field is "dst" or "src", t the data type that the sentence names. The buffer
// has got bytes, 0 if it is nil, and need are needed. The result is never nil, even if got is
// enough.
func BufferError(field string, t DataType, got, need int64) *DescError {
	return &DescError{field, -1, got, need, typed{ErrBuffer, t}}
}

// quoting puts the index text into the message of err, a *DescError or nil.
func quoting(expr string, err error) error {
	if e, ok := err.(*DescError); ok {
		e.Err = indexed{e.Err, expr}
	}
	return err
}

// excerpt returns text in quotes, cut to at most 40 bytes before byte at and 40 from there on.
func excerpt(text string, at int) string {
	const limit = 40
	begin, end, before, after := 0, len(text), "", ""
	if at > limit {
		begin, before = at-limit, "..."
	}
	if end-at > limit {
		end, after = at+limit, "..."
	}
	return before + strconv.Quote(text[begin:end]) + after
}

// sentence returns the text of the error after "slice1: ". Its form depends on the sentinel
// and on the field.
func (e *DescError) sentence() string {
	if text, ok := e.Err.(indexed); ok {
		plain := *e
		plain.Err = text.error
		return "index " + excerpt(text.expr, 0) + ": " + plain.sentence()
	}
	switch {
	case e.Err == errStrideOverlap:
		return fmt.Sprintf("%s is %d, by which elements overlap; at least %d keeps them apart", e.place(), e.Got, e.Limit)
	case errors.Is(e.Err, ErrRank):
		return e.aboutAxes()
	case errors.Is(e.Err, ErrDataType):
		return e.aboutType()
	case errors.Is(e.Err, ErrBuffer):
		return e.aboutBuffer()
	case errors.Is(e.Err, ErrStride):
		return e.aboutStride()
	case errors.Is(e.Err, ErrOverlap):
		return "dst and src share " + plural(e.Got, "byte") + ", none of which may be both read and written"
	case errors.Is(e.Err, ErrEmpty):
		return fmt.Sprintf("axis %d: nothing selected", e.Axis)
	case errors.Is(e.Err, errors.ErrUnsupported):
		return fmt.Sprintf("%s is %v, SLICE1 needs %v", e.Field, FeatureLevel(e.Got), FeatureLevel(e.Limit))
	case strings.HasPrefix(e.Field, "Affine."):
		return fmt.Sprintf("%s has %s, output axis %d has %d: must have one for each or one for all", e.Field, plural(e.Got, "value"), e.Axis, e.Limit)
	case e.Err == ErrSize && e.Field == "src":
		return fmt.Sprintf("src has %s, the window takes %d: must have one for each or one for all", plural(e.Got, "value"), e.Limit)
	case e.Err == ErrSize:
		return fmt.Sprintf("%s is %d, must be %s", e.place(), e.Got, e.bound())
	case e.Err == ErrTotalSize:
		return fmt.Sprintf("%s is %s, must be %s", e.place(), plural(e.Got, "byte"), e.bound())
	case e.Err == ErrAlign:
		return fmt.Sprintf("%s is %s, the nearest alignment is %d", e.place(), plural(e.Got, "byte"), e.Limit)
	case e.Err == ErrOutput:
		return fmt.Sprintf("%s is %d, the window yields %s", e.place(), e.Got, e.bound())
	}
	return fmt.Sprintf("%s is %d, must be %s: %v", e.place(), e.Got, e.bound(), e.Err)
}

// place returns the field, with the axis in brackets if that is not -1.
func (e *DescError) place() string {
	if e.Axis < 0 {
		return e.Field
	}
	return e.Field + "[" + strconv.Itoa(e.Axis) + "]"
}

// bound returns the limit with "at least" or "at most" before it.
func (e *DescError) bound() string {
	if e.Got > e.Limit {
		return "at most " + strconv.FormatInt(e.Limit, 10)
	}
	return "at least " + strconv.FormatInt(e.Limit, 10)
}

func (e *DescError) aboutAxes() string {
	switch {
	case e.Field == "Desc":
		return "nil descriptor"
	case strings.HasSuffix(e.Field, ".Desc"):
		return strings.TrimSuffix(e.Field, ".Desc") + " is a nil descriptor"
	case e.Field == "Affine.Axis" && e.Got == -1:
		return "Affine.Axis is -1, must be the output axis along which the values go"
	case errors.Is(e.Err, errAxisTwice):
		return fmt.Sprintf("%s is %d, an axis named twice", e.place(), e.Got)
	case e.Axis >= 0, e.Field == "Affine.Axis":
		return fmt.Sprintf("%s is %d, the nearest axis is %d", e.place(), e.Got, e.Limit)
	case e.Field == "b.Input.Sizes" && e.Got >= 1 && e.Got <= maxRank:
		return fmt.Sprintf("b.Input has %s, a.Output %d", plural(e.Got, "axis"), e.Limit)
	case strings.HasSuffix(e.Field, "Input.Sizes"), e.Field == "Sizes":
		return fmt.Sprintf("%s: rank %d, must be %s", e.Field, e.Got, e.bound())
	case strings.HasPrefix(e.Field, "Window"), strings.HasSuffix(e.Field, "Output.Sizes"):
		return fmt.Sprintf("%s: %s, the input has %s", e.Field, plural(e.Got, "entry"), plural(e.Limit, "axis"))
	case strings.HasSuffix(e.Field, "put.Strides"):
		return fmt.Sprintf("%s: %s, the tensor has %s", e.Field, plural(e.Got, "entry"), plural(e.Limit, "axis"))
	}
	return fmt.Sprintf("%s: %s, must be %d", e.Field, plural(e.Got, "entry"), e.Limit)
}

func (e *DescError) aboutType() string {
	got, limit := DataType(e.Got), DataType(e.Limit)
	about, ofPlan := e.Err.(typed)
	switch {
	case ofPlan && e.Got == 1:
		return fmt.Sprintf("elements of 1 byte for a plan of %v; Plan.Run and CopyBytes take its bytes", about.of)
	case ofPlan:
		return fmt.Sprintf("elements of %d bytes for a plan of %v", e.Got, about.of)
	case e.Got == 0:
		return e.Field + " is not set"
	case got.Size() == 0:
		return fmt.Sprintf("%s is %d, which is no data type", e.Field, e.Got)
	case e.Field == "b.Input.DataType":
		return fmt.Sprintf("%s is %v, a.Output's %v", e.Field, got, limit)
	case e.Err == errNotConverted:
		return fmt.Sprintf("%s is %v, which conversions do not take; they take 8, 16 and 32 bits but Uint32", e.Field, got)
	case e.Field == "src", e.Field == "dst":
		return fmt.Sprintf("%s is %v, the conversion's elements there are %v", e.Field, got, limit)
	case got == BFloat16 && strings.HasSuffix(e.Field, "Input.DataType"):
		return fmt.Sprintf("%s is %v, which DirectML does not have", e.Field, got)
	case strings.HasSuffix(e.Field, "Input.DataType"):
		return fmt.Sprintf("%s is %v, the feature level has none of %d bytes", e.Field, got, got.Size())
	}
	return fmt.Sprintf("%s is %v, the input's %v; NewConversion converts", e.Field, got, limit)
}

func (e *DescError) aboutBuffer() string {
	if about, ok := e.Err.(typed); ok && about.of.Size() > 1 {
		size := int64(about.of.Size())
		return fmt.Sprintf("%s: %s (%s), needs %d (%d)", e.Field, plural(e.Got, "byte"), plural(e.Got/size, "element"), e.Limit, e.Limit/size)
	}
	return fmt.Sprintf("%s: %s, needs %d", e.Field, plural(e.Got, "byte"), e.Limit)
}

func (e *DescError) aboutStride() string {
	switch {
	case e.Axis < 0 && e.Field == "Output.Strides":
		return "Output.Strides is set, must be nil; the result's may be set"
	case e.Field == "b.Input.Strides":
		return fmt.Sprintf("%s is %d, a.Output's %d", e.place(), e.Got, e.Limit)
	case e.Got == 0:
		return e.place() + " is 0, must not be"
	case e.Got < 0 && e.Limit == 0:
		return fmt.Sprintf("%s is %d, must be at least 0", e.place(), e.Got)
	}
	return fmt.Sprintf("%s is %d, the nearest allowed is %d", e.place(), e.Got, e.Limit)
}

// plural returns a number with its noun, as in "2 bytes".
func plural(n int64, what string) string {
	switch {
	case n == 1:
	case what == "axis":
		what = "axes"
	case strings.HasSuffix(what, "y"):
		what = what[:len(what)-1] + "ies"
	default:
		what += "s"
	}
	return strconv.FormatInt(n, 10) + " " + what
}
