package slice1

// ParseIndex reads a NumPy basic index for an array of 0 to 8 axes. The text is what Python takes
// between the brackets of x[...]; the brackets may be there, too. A nil shape is the shape of a
// scalar. "()" takes the whole array; "" is ErrSyntax, like x[] in Python.
//
//	index = "()" | item { "," item } [ "," ]
//	item  = integer | [start] ":" [stop] [ ":" [step] ] | "..." | "None" | "newaxis"
//
// An integer drops its axis from the result. "..." stands for whole axes. None adds an axis of
// extent 1. Numbers beyond 63 bits act like infinities. The window has an entry for each axis of
// shape, and outShape is the shape of NumPy's result. Neither shares memory with shape.
//
// Errors quote the text. An [*IndexError] also matches ErrStride for a step of 0, ErrWindow for an
// integer outside its axis, and ErrRank for more items than axes or for a result of more than 64
// axes. Errors about the shape are a [*DescError] with Field "shape". An empty result is ErrEmpty,
// a *DescError with Field "Out"; w and outShape are then complete.
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
	for _, item := range items {
		if item.kind == tokenNone {
			outShape = append(outShape, 1)
			continue
		}
		n := int64(shape[axis])
		if item.kind == tokenNumber {
			if item.start < 0 {
				item.start += n
			}
			if item.start < 0 || item.start >= n {
				return Window{}, nil, item.fail(expr, ErrWindow, "integer outside axis %d of extent %d", axis, n)
			}
			item.stop, item.step = item.start+1, 1
		}
		w.set(axis, n, item.start, item.stop, item.step)
		if item.kind == ':' {
			outShape = append(outShape, w.Out[axis])
		}
		axis++
	}
	return w, outShape, quoting(expr, w.checkEmpty())
}
