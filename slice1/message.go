package slice1

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/slice1/internal/sentence"
)

// Error returns the text that Err brings along, or "slice1: " and a sentence.
func (e *DescError) Error() string {
	if said, ok := e.Err.(sentence.Error); ok {
		return said.Text
	}
	return "slice1: " + e.sentence()
}

// sentence returns the text after "slice1: " of an error whose Err has no text of its own. It
// depends on the sentinel and the field.
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
	case errors.Is(e.Err, ErrDataType) && e.ofType():
		return e.aboutType()
	case errors.Is(e.Err, ErrBuffer):
		return e.aboutBuffer()
	case errors.Is(e.Err, ErrStride):
		return e.aboutStride()
	case errors.Is(e.Err, ErrOverlap):
		return "dst and src share " + plural(e.Got, "byte") + ", none of which may be both read and written"
	case errors.Is(e.Err, ErrEmpty):
		return fmt.Sprintf("axis %d: nothing selected", e.Axis)
	case e.Field == "FeatureLevel":
		return fmt.Sprintf("%s is %v, SLICE1 needs %v", e.Field, FeatureLevel(e.Got), FeatureLevel(e.Limit))
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

// place returns the field, followed by the axis in brackets unless that is -1.
func (e *DescError) place() string {
	if e.Axis < 0 {
		return e.Field
	}
	return e.Field + "[" + strconv.Itoa(e.Axis) + "]"
}

// bound returns "at least" or "at most", and the limit.
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
	case errors.Is(e.Err, errAxisTwice):
		return fmt.Sprintf("%s is %d, an axis named twice", e.place(), e.Got)
	case e.Axis >= 0:
		return fmt.Sprintf("%s is %d, the nearest axis is %d", e.place(), e.Got, e.Limit)
	case strings.HasSuffix(e.Field, "Input.Sizes"), e.Field == "Sizes":
		return fmt.Sprintf("%s: rank %d, must be %s", e.Field, e.Got, e.bound())
	case strings.HasPrefix(e.Field, "Window"), strings.HasSuffix(e.Field, "Output.Sizes"):
		return fmt.Sprintf("%s: %s, the input has %s", e.Field, plural(e.Got, "entry"), plural(e.Limit, "axis"))
	case strings.HasSuffix(e.Field, "put.Strides"):
		return fmt.Sprintf("%s: %s, the tensor has %s", e.Field, plural(e.Got, "entry"), plural(e.Limit, "axis"))
	}
	return fmt.Sprintf("%s: %s, must be %d", e.Field, plural(e.Got, "entry"), e.Limit)
}

// ofType reports whether Got of an error that matches ErrDataType is a data type or the size of an
// element. It is so for the errors that package slice1 makes.
func (e *DescError) ofType() bool {
	return strings.HasSuffix(e.Field, "DataType")
}

func (e *DescError) aboutType() string {
	got, limit := DataType(e.Got), DataType(e.Limit)
	switch {
	case e.Got == 0:
		return e.Field + " is not set"
	case got.Size() == 0:
		return fmt.Sprintf("%s is %d, which is no data type", e.Field, e.Got)
	case got == BFloat16 && strings.HasSuffix(e.Field, "Input.DataType"):
		return fmt.Sprintf("%s is %v, which DirectML does not have", e.Field, got)
	case strings.HasSuffix(e.Field, "Input.DataType"):
		return fmt.Sprintf("%s is %v, the feature level has none of %d bytes", e.Field, got, got.Size())
	}
	return fmt.Sprintf("%s is %v, the input's %v; WithNumbers converts", e.Field, got, limit)
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
	case e.Got == 0:
		return e.place() + " is 0, must not be"
	case e.Got < 0 && e.Limit == 0:
		return fmt.Sprintf("%s is %d, must be at least 0", e.place(), e.Got)
	}
	return fmt.Sprintf("%s is %d, the nearest allowed is %d", e.place(), e.Got, e.Limit)
}

// Error returns the reason, the column, counted from 1, and the text near that column.
func (e *IndexError) Error() string {
	return fmt.Sprintf("slice1: index %s: column %d: %s", excerpt(e.Expr, e.Column), e.Column+1, e.Msg)
}

// excerpt returns a part of text in quotes: at most 40 bytes before byte `at`, and 40 from there
// on.
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
