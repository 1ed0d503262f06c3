package slice1

import "fmt"

// ParseIndex reads a NumPy basic index for an array of 0 to 8 axes: what Python takes between the
// brackets of x[...], with or without these. A nil shape is that of a scalar. "()" takes the whole
// array; "" is ErrSyntax, as x[] is in Python.
//
//	index = "()" | item { "," item } [ "," ]
//	item  = integer | [start] ":" [stop] [ ":" [step] ] | "..." | "None" | "newaxis"
//
// An integer drops its axis from the result, "..." stands for whole axes, None adds an axis of
// extent 1, parts beyond 63 bits act as infinities. The window has an entry for each axis of shape;
// outShape is the shape of NumPy's result. Neither shares memory with shape. The error, which
// quotes the text, is an [*IndexError], also ErrStride for a step of 0, ErrWindow for an integer
// outside its axis, ErrRank for more items than axes or a result of more than 64; or a [*DescError]
// about "Sizes", the shape, or about "Out", ErrEmpty for an empty result, with w and outShape
// complete.
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
		if it.kind == tokenNone {
			outShape = append(outShape, 1)
			continue
		}
		n := int64(shape[axis])
		if it.kind == tokenNumber {
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
		if it.kind == ':' {
			outShape = append(outShape, w.Out[axis])
		}
		axis++
	}
	return w, outShape, quoting(expr, w.checkEmpty())
}
