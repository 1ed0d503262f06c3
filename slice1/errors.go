package slice1

import (
	"errors"
	"fmt"

	"github.com/seed2e45c115/dml/slice1/dtype"
)

// Each sentinel names a condition; test for it with [errors.Is]. Where an error has a
// place, it is a [*DescError] or an [*IndexError], found with [errors.As].
var (
	// ErrRank: a rank that is out of range, numbers of axes or entries that do not suit
	// each other, an axis that is out of range or named twice, or a nil descriptor.
	ErrRank = errors.New("the number of axes is wrong")
	// ErrDataType: a data type that is unknown or that the feature level lacks, two data
	// types that should be equal and are not, or Go elements of another size than the
	// data type's.
	ErrDataType = dtype.ErrDataType
	// ErrSize: an extent or a number of shards that is too small, or an input larger than
	// the output it is to be composed with.
	ErrSize = errors.New("the extent is out of range")
	// ErrStride: a window stride of 0, a negative memory stride, output strides by which
	// elements overlap (then also ErrOverlap), or memory strides that a function cannot
	// take, as Compose and Permute say.
	ErrStride = errors.New("the stride is not allowed")
	// ErrWindow: a window that is empty or leaves the input, or an index outside its axis.
	ErrWindow = errors.New("the window is empty or leaves the input")
	// ErrOutput: an output extent larger than the window yields.
	ErrOutput = errors.New("the output is larger than the window yields")
	// ErrTotalSize: a TotalSize smaller than the tensor, or, from ValidateFor, one that
	// DirectML refuses.
	ErrTotalSize = errors.New("the total size is not allowed")
	// ErrAlign: a BaseAlign that is no power of two or is out of range.
	ErrAlign = errors.New("the base alignment is not allowed")
	// ErrOverflow: sizes or strides whose products leave 63 bits, a packed stride that
	// leaves int where it is written out, or a value that leaves DirectML's 32 bits.
	ErrOverflow = errors.New("the tensor is too large to count its bytes")
	// ErrOverlap: two output elements that share a byte, or output elements of dst that
	// share a byte with elements read from src; also if it takes too long to find out
	// whether they do.
	ErrOverlap = errors.New("memory is shared that must not be")
	// ErrBuffer: a dst or src shorter than its tensor.
	ErrBuffer = errors.New("the buffer is too short")
	// ErrKernel: a kernel that this build lacks or this host cannot run, or the name of a
	// candidate that the plan does not have.
	ErrKernel = errors.New("the kernel is not available")
	// ErrEmpty: a slice without elements, which SLICE1 cannot express.
	ErrEmpty = errors.New("the slice is empty")
	// ErrSyntax: an index text that cannot be understood or does not suit the shape, or a
	// feature level whose text is unknown or that has none.
	ErrSyntax = dtype.ErrSyntax
	// ErrPlan: a nil Runner, or a nil or zero Plan, which NewPlan did not make.
	ErrPlan = errors.New("NewPlan did not make the plan")
)

var (
	errNoPlan        = fmt.Errorf("slice1: %w", ErrPlan)
	errStrideOverlap = fmt.Errorf("%w: %w", ErrOverlap, ErrStride)
	errAxisTwice     = fmt.Errorf("axis named twice: %w", ErrRank)
)

// DescError names the part of a descriptor, or the argument, that is wrong, the value found
// and the nearest value allowed. Its text is a sentence with units, which may change from
// version to version.
type DescError struct {
	Field string // of Desc: "WindowSizes", "Output.Strides", ...; or an argument: "dst", "starts", ...
	Axis  int    // position in the list that Field names, for an axis 0 is the outermost; -1 if the error is not about one entry
	Got   int64  // the value found; if dst and src overlap, the bytes in which their spans meet
	Limit int64  // the nearest value allowed, if there is one
	Err   error  // a sentinel or errors.ErrUnsupported, or an error that wraps one of these
}

// Error returns "slice1: " and a sentence for people.
func (e *DescError) Error() string { return "slice1: " + e.sentence() }

// Unwrap returns Err.
func (e *DescError) Unwrap() error { return e.Err }

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

// BufferError returns the error of a buffer of got bytes that must hold need bytes of
// elements of type t; field is "dst" or "src". The error is ErrBuffer to errors.Is. A [Runner]
// of another package may return it, as plans do.
func BufferError(field string, t DataType, got, need int64) *DescError {
	return &DescError{field, -1, got, need, typed{ErrBuffer, t}}
}
