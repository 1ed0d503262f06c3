package slice1

import (
	"errors"
	"fmt"
)

// Sentinels name the condition; test for them with [errors.Is]. The place
// comes with a [*DescError] or an [*IndexError], found with [errors.As].
var (
	// ErrRank: a rank outside 1..8, or parts of a descriptor whose numbers of
	// axes differ.
	ErrRank = errors.New("the number of axes is wrong")
	// ErrDataType: an unknown data type, or two that should be equal and are not.
	ErrDataType = errors.New("the data type is unknown or another one")
	// ErrSize: an extent or a number of shards below 1, or an input larger than the
	// output it is to be composed with.
	ErrSize = errors.New("the extent is out of range")
	// ErrStride: a window stride of 0, a negative memory stride, or output
	// strides by which elements overlap (then also ErrOverlap).
	ErrStride = errors.New("the stride is not allowed")
	// ErrWindow: a window that is empty or leaves the input.
	ErrWindow = errors.New("the window is empty or leaves the input")
	// ErrOutput: an output extent larger than the window yields.
	ErrOutput = errors.New("the output is larger than the window yields")
	// ErrTotalSize: a TotalSize smaller than the tensor, or one DirectML refuses.
	ErrTotalSize = errors.New("the total size is not allowed")
	// ErrAlign: a BaseAlign that is not an alignment.
	ErrAlign = errors.New("the base alignment is not allowed")
	// ErrOverflow: sizes or strides whose products leave 63 bits, or a value
	// that leaves DirectML's 32 bits.
	ErrOverflow = errors.New("the tensor is too large to count its bytes")
	// ErrOverlap: two output elements that share a byte, or output elements of dst
	// that share a byte with elements read from src.
	ErrOverlap = errors.New("memory is shared that must not be")
	// ErrBuffer: a dst or src shorter than its tensor.
	ErrBuffer = errors.New("the buffer is too short")
	// ErrKernel: a kernel that does not exist here or cannot run here.
	ErrKernel = errors.New("the kernel is not available")
	// ErrEmpty: a slice without elements, which SLICE1 cannot express.
	ErrEmpty = errors.New("the slice is empty")
	// ErrSyntax: index text, or the text of a feature level, that cannot be understood
	// or applied.
	ErrSyntax = errors.New("the text cannot be understood")
	// ErrPlan: a nil or zero Plan, which NewPlan did not make.
	ErrPlan = errors.New("NewPlan did not make the plan")
)

var (
	errNoPlan        = fmt.Errorf("slice1: %w", ErrPlan)
	errStrideOverlap = fmt.Errorf("%w: %w", ErrOverlap, ErrStride)
	errAxisTwice     = fmt.Errorf("axis named twice: %w", ErrRank)
)

// DescError names the part of a descriptor that is wrong, the value found and the nearest
// value allowed. Its text is a sentence with units, which may change from version to
// version.
type DescError struct {
	Field string // "WindowSizes", "Output.Strides", ... as in Desc
	Axis  int    // 0 is the outermost; -1 if the error is not about one axis
	Got   int64  // the value found
	Limit int64  // the nearest value allowed
	Err   error  // one of the sentinels, or an error that wraps one
}

// Error names the field, the value found, and the values allowed.
func (e *DescError) Error() string { return "slice1: " + e.sentence() }

// Unwrap returns Err.
func (e *DescError) Unwrap() error { return e.Err }

// typed is a sentinel with a data type, so that the text can name the type or count
// elements.
type typed struct {
	error
	of DataType
}

func (e typed) Unwrap() error { return e.error }

// BufferError returns the error of a buffer of got bytes that must hold need bytes of
// elements of type t; field is "dst" or "src". It is ErrBuffer to errors.Is. A [Runner] of
// another package returns it.
func BufferError(field string, t DataType, got, need int64) *DescError {
	return &DescError{field, -1, got, need, typed{ErrBuffer, t}}
}
