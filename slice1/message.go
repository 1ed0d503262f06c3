package slice1

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

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
		return "dst and src share " + plural(e.Got, "byte")
	case errors.Is(e.Err, ErrEmpty):
		return fmt.Sprintf("axis %d: nothing selected", e.Axis)
	case errors.Is(e.Err, errors.ErrUnsupported):
		return fmt.Sprintf("%s is %v, SLICE1 needs %v", e.Field, FeatureLevel(e.Got), FeatureLevel(e.Limit))
	case strings.HasPrefix(e.Field, "Affine."):
		return fmt.Sprintf("%s has %s, must have %d or one", e.Field, plural(e.Got, "value"), e.Limit)
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
	case e.Field == "src":
		return fmt.Sprintf("src is %v, the plan's elements are %v", got, limit)
	case strings.HasSuffix(e.Field, "Input.DataType"):
		return fmt.Sprintf("%s is %v, the feature level has none of %d bytes", e.Field, got, got.Size())
	}
	return fmt.Sprintf("%s is %v, the input's %v", e.Field, got, limit)
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
		return "Output.Strides is set, must be nil"
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
