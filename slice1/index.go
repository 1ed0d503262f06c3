package slice1

import (
	"fmt"
	"math"
	"strconv"
)

// ParseIndex reads a NumPy basic index for an array of 0 to 8 axes: what Python takes between the
// brackets of x[...], with or without these.
//
//	index = "()" | item { "," item } [ "," ]
//	item  = integer | [start] ":" [stop] [ ":" [step] ] | "..." | "None" | "newaxis"
//
// An integer drops its axis from the result, "..." stands for whole axes, None adds an axis of
// extent 1, parts beyond 63 bits act as infinities. The window has an entry for each axis of shape;
// outShape is the shape of NumPy's result. Neither shares memory with shape. The error, which quotes
// the text, is an [*IndexError], also ErrStride for a step of 0, ErrWindow for an integer outside its
// axis, ErrRank for more items than axes or a result of more than 64; or a [*DescError] about "Sizes",
// the shape, or about "Out", ErrEmpty for an empty result, with w and outShape complete.
func ParseIndex(expr string, shape []int) (w Window, outShape []int, err error) {
	if err := checkExtents(shape, 0); err != nil {
		return Window{}, nil, quoting(expr, err)
	}
	items, err := parseIndex(expr, len(shape))
	if err != nil {
		return Window{}, nil, err
	}
	w, outShape = wholeWindow(shape), []int{}
	axis := 0
	for _, it := range items {
		if it.kind == indexNewAxis {
			outShape = append(outShape, 1)
			continue
		}
		n := int64(shape[axis])
		if it.kind == indexInteger {
			if it.start < 0 {
				it.start += n
			}
			if it.start < 0 || it.start >= n {
				msg := fmt.Sprintf("integer outside axis %d of extent %d", axis, n)
				return Window{}, nil, it.fail(expr, msg, ErrWindow)
			}
			it.stop, it.step = it.start+1, 1
		}
		w.set(axis, n, it.start, it.stop, it.step)
		if it.kind == indexSlice {
			outShape = append(outShape, w.Out[axis])
		}
		axis++
	}
	return w, outShape, quoting(expr, w.checkEmpty())
}

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

// quoting puts the index text into the message of err, a *DescError or nil.
func quoting(expr string, err error) error {
	if e, ok := err.(*DescError); ok {
		e.Err = indexed{e.Err, expr}
	}
	return err
}

// excerpt returns text in quotes, cut to at most 40 bytes before byte at and 40 from there on.
func excerpt(text string, at int) string {
	const most = 40
	begin, end, before, after := 0, len(text), "", ""
	if at > most {
		begin, before = at-most, "..."
	}
	if end-at > most {
		end, after = at+most, "..."
	}
	return before + strconv.Quote(text[begin:end]) + after
}

// checkExtents returns an error if shape has too many axes or an extent below least.
func checkExtents(shape []int, least int) error {
	if len(shape) > maxRank {
		return &DescError{"Sizes", -1, int64(len(shape)), maxRank, ErrRank}
	}
	for axis, n := range shape {
		if n < least {
			return &DescError{"Sizes", axis, int64(n), int64(least), ErrSize}
		}
	}
	return nil
}

// set makes Python's start:stop:step the window of an axis of extent n.
func (w Window) set(axis int, n, start, stop, step int64) {
	w.Offsets[axis], w.Sizes[axis], w.Strides[axis], w.Out[axis] = sliceWindow(n, start, stop, step)
}

// sliceWindow returns the window of the elements that Python's slice(start, stop,
// step).indices(n) takes, and their number, out. If there are none, size and out are 0. step
// must not be 0, n not negative; start and stop may be any.
func sliceWindow(n, start, stop, step int64) (offset, size, stride, out int) {
	// On 32 bits a step beyond int takes at most one element, as the nearest int does.
	stride = int(min(max(step, math.MinInt), math.MaxInt))
	lo, hi := int64(0), n
	if step < 0 {
		lo, hi = -1, n-1
	}
	if start < 0 {
		start += n
	}
	if stop < 0 {
		stop += n
	}
	first, end := min(max(start, lo), hi), min(max(stop, lo), hi)
	if step < 0 {
		first, end = end+1, first+1
	}
	if end <= first {
		return int(first), 0, stride, 0
	}
	size = int(end - first)
	return int(first), size, stride, 1 + int(uint64(size-1)/magnitude(stride))
}

// checkEmpty returns ErrEmpty with the first axis on which w.Out is 0, if there is one.
func (w Window) checkEmpty() error {
	for axis, n := range w.Out {
		if n == 0 {
			return &DescError{"Out", axis, 0, 1, ErrEmpty}
		}
	}
	return nil
}
