package main

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/npy"
)

// rawTypes are the names -raw takes besides float32 and so on, and NumPy's
// names with a byte order, such as >i2.
var rawTypes = map[string]slice1.DataType{
	"f16": slice1.Float16, "f32": slice1.Float32, "f64": slice1.Float64,
	"i8": slice1.Int8, "i16": slice1.Int16, "i32": slice1.Int32, "i64": slice1.Int64,
	"u8": slice1.Uint8, "u16": slice1.Uint16, "u32": slice1.Uint32, "u64": slice1.Uint64,
}

func parseRawType(name string) (t slice1.DataType, bigEndian bool, err error) {
	if name != "" && strings.IndexByte("<>|=", name[0]) >= 0 {
		if t, bigEndian, err = npy.ParseType(name); err == nil {
			return t, bigEndian, nil
		}
	}
	t = rawTypes[name]
	for full := slice1.Float32; full <= slice1.Int64; full++ {
		if name == full.String() {
			t = full
		}
	}
	if t == 0 {
		return 0, false, usagef("-raw %s: types are f16, f32, f64, i8 to i64, u8 to u64, float32 and so on, or as >i2 with a byte order", name)
	}
	return t, t.Size() > 1 && binary.NativeEndian.Uint16([]byte{0, 1}) == 1, nil
}

// parseRaw takes a as elements and nothing else.
func (j *job) parseRaw(a *array, saved *savedJob) (err error) {
	if a.dtype, a.bigEndian, err = parseRawType(j.raw); err != nil {
		return err
	}
	a.hold(0, a.source.size)
	switch {
	case saved != nil && j.shape != "":
		return usagef("-shape comes with -desc already")
	case saved != nil && saved.File == nil:
		a.raw, a.shape = true, saved.Input.Sizes
		return nil
	case saved != nil:
		a.shape = saved.File.Sizes
		return a.fills()
	case j.shape == "":
		return usagef("-raw needs -shape")
	}
	if a.shape, err = parseShape(j.shape, a.size/int64(a.dtype.Size())); err != nil {
		return err
	}
	return a.fills()
}

// fills returns an error unless the bytes of a are its elements and no more.
func (a *array) fills() error {
	need := int64(a.dtype.Size())
	for _, extent := range a.shape {
		if extent > 0 && need > maxAlloc/int64(extent) {
			return fmt.Errorf("%v of %v is too large", brackets(a.shape), a.dtype)
		}
		need *= int64(extent)
	}
	if need != a.size {
		return fmt.Errorf("holds %d bytes, %v of %v takes %d", a.size, brackets(a.shape), a.dtype, need)
	}
	return nil
}

// parseShape reads extents separated by commas; one may be -1 and is then what
// the elements leave, as in NumPy.
func parseShape(text string, elements int64) ([]int, error) {
	shape := []int{}
	column, open, known := 0, -1, int64(1)
	for axis, part := range strings.Split(text, ",") {
		n, err := number(text, part, column, -1)
		if err != nil {
			return nil, err
		}
		switch {
		case n == -1 && open >= 0:
			return nil, windowError(text, column, len(part), nil, "only one extent may be -1")
		case n == -1:
			open = axis
		case n > 0 && known <= maxAlloc/int64(n):
			known *= int64(n)
		default:
			known = 0
		}
		shape = append(shape, n)
		column += len(part) + 1
	}
	if open >= 0 {
		if known == 0 || elements%known != 0 {
			return nil, windowError(text, 0, len(text), nil, "%d elements do not fill this shape", elements)
		}
		shape[open] = int(elements / known)
	}
	return shape, nil
}
