package slice1

import (
	"errors"
	"fmt"
	"strconv"
)

// Sentinels name the condition; test for them with [errors.Is]. The place
// comes with a [*DescError] or an [*IndexError], found with [errors.As].
var (
	// ErrRank: a rank outside 1..8, or parts of a descriptor whose numbers of
	// axes differ.
	ErrRank = errors.New("rank")
	// ErrDataType: an unknown data type, or two that should be equal and are not.
	ErrDataType = errors.New("data type")
	// ErrSize: an extent or a number of shards below 1, or an input larger than the
	// output it is to be composed with.
	ErrSize = errors.New("extent")
	// ErrStride: a window stride of 0, a negative memory stride, or output
	// strides by which elements overlap (then also ErrOverlap).
	ErrStride = errors.New("stride")
	// ErrWindow: a window that is empty or leaves the input.
	ErrWindow = errors.New("window outside the input")
	// ErrOutput: an output extent larger than the window yields.
	ErrOutput = errors.New("output larger than the window yields")
	// ErrTotalSize: a TotalSize smaller than the tensor, or one DirectML refuses.
	ErrTotalSize = errors.New("total size")
	// ErrAlign: a BaseAlign that is not an alignment.
	ErrAlign = errors.New("base alignment")
	// ErrOverflow: sizes or strides whose products leave 63 bits, or a value
	// that leaves DirectML's 32 bits.
	ErrOverflow = errors.New("overflow")
	// ErrOverlap: two output elements that share a byte, or a dst that shares
	// memory with src.
	ErrOverlap = errors.New("overlap")
	// ErrBuffer: a dst or src shorter than its tensor.
	ErrBuffer = errors.New("buffer too short")
	// ErrKernel: a kernel that does not exist here or can not run here.
	ErrKernel = errors.New("kernel not available")
	// ErrEmpty: a slice without elements, which SLICE1 can not express.
	ErrEmpty = errors.New("empty result")
	// ErrSyntax: index text, or the text of a feature level, that can not be understood
	// or applied.
	ErrSyntax = errors.New("index text")
	// ErrPlan: a nil or zero Plan, which NewPlan did not make.
	ErrPlan = errors.New("no plan")
)

var errNoPlan = fmt.Errorf("slice1: %w", ErrPlan)

var errStrideOverlap = fmt.Errorf("output elements %w by %w", ErrOverlap, ErrStride)

// DescError tells which part of a descriptor is wrong and how.
type DescError struct {
	Field string // "WindowSizes", "Output.Strides", ... as in Desc
	Axis  int    // 0 is the outermost; -1: not about one axis
	Got   int64  // the value found
	Limit int64  // the nearest value allowed
	Err   error  // one of the sentinels
}

// Error gives field, axis, value found, value allowed, and the condition.
func (e *DescError) Error() string {
	at := e.Field
	if e.Axis >= 0 {
		at += "[" + strconv.Itoa(e.Axis) + "]"
	}
	bound := "nearest allowed"
	switch e.Err {
	case ErrSize, ErrWindow, ErrOutput, ErrTotalSize, ErrOverflow, ErrBuffer: // everything beyond Limit is wrong
		bound = "at least"
		if e.Got > e.Limit {
			bound = "at most"
		}
	}
	return fmt.Sprintf("slice1: %s: got %d, %s %d: %v", at, e.Got, bound, e.Limit, e.Err)
}

// Unwrap returns the sentinel.
func (e *DescError) Unwrap() error { return e.Err }
