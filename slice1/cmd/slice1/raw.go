package main

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// rawCodes maps names that -raw and -to take to NumPy's, which they take as well. i8 and u8 count
// bits here. In NumPy they count bytes.
var rawCodes = map[string]string{
	"half": "f2", "single": "f4", "double": "f8", "bf16": bfloat16, "f16": "f2", "f32": "f4", "f64": "f8",
	"i8": "i1", "i16": "i2", "i32": "i4", "i64": "i8", "u8": "u1", "u16": "u2", "u32": "u4", "u64": "u8",
	"bool": "?", "complex64": "c8", "complex128": "c16",
}

// parseType returns the type of elements that -raw or -to calls name, in a Header of one element. A
// name without a byte order means the machine's. The names are slice1's, those of rawCodes, and
// those in .npy headers, of which lists of fields are some. A name could end the string that it
// stands in. It then repeats a key of the header or leaves text after it. Either is a usage error,
// and so is an unknown name.
func parseType(name string) (npy.Header, error) {
	var t slice1.DataType
	if t.UnmarshalText([]byte(name)) == nil {
		return headerOf(t), nil
	}
	if name == "float" {
		return npy.Header{}, usagef("-raw float: NumPy's is float64, C's is float32")
	}
	header, err := npy.AppendHeader(nil, npy.Header{Descr: cmp.Or(rawCodes[name], name), UTF8: true})
	if err == nil {
		if h, err := npy.ReadHeader(bytes.NewReader(header)); err == nil {
			return typed(h), nil
		}
	}
	return npy.Header{}, usagef("-raw %s: types are float32, int8 and so on, f4, i1 or <i8 as NumPy has them, or f32, bf16, i8 to i64, u8 to u64 in bits; frames are %s, or FFmpeg's words for them; bool, c8, M8[ns] and others are moved as they are", name, formNames())
}

// headerOf returns a Header of numbers of type t in the machine's byte order.
func headerOf(t slice1.DataType) npy.Header {
	h := npy.Header{Type: t, BigEndian: nativeBig && t.Size() > 1}
	if t == slice1.BFloat16 {
		h.Descr, h.Inner = bfloat16, 1
	}
	return h
}

// beyond returns the error for a -skip that is larger than an input of size bytes.
func beyond(skip, size int64) error {
	return fmt.Errorf("-skip %d is beyond its %d bytes", skip, size)
}

// setRawType sets the type of the array, or its video, from -raw.
func (j *job) setRawType(a *array) error {
	words := strings.Split(j.raw, ",")
	if form, full, err := formOf(words[0]); err != nil {
		return err
	} else if form != nil {
		return j.setVideo(a, form, full, words)
	}
	h, err := parseType(j.raw)
	a.Header = h
	return err
}

// parseRaw makes the array's source, without the bytes of -skip, its elements. The shape is the
// shape of the saved job, which is nil without -desc, or of -shape. Without both there is one axis.
// If the first extent of a pipe is unknown, the array is open and gets the largest possible extent.
// If the shape is unknown in another way, the whole pipe is read.
func (j *job) parseRaw(a *array, saved *savedJob) error {
	a.raw = true
	if err := j.setRawType(a); err != nil {
		return err
	}
	text := cmp.Or(j.shape, "-1")
	shape, err := parseShape(text)
	if err != nil {
		return err
	}
	parts, size := shape, a.elementSize() // of the source, whose parts are elements or frames
	if v := a.video; v != nil {
		if shape, err = v.setShape(shape); err != nil {
			return err
		}
		parts, size = shape[:len(shape)-3], v.size()
	}
	unknown := slices.Index(parts, -1)
	streams := a.pipe != nil && saved == nil && (unknown < 0 || unknown == 0 && !slices.Contains(parts, 0))
	if !streams {
		if err := a.source.all(); err != nil {
			return err
		}
		if j.skip > a.source.size {
			return beyond(j.skip, a.source.size)
		}
		a.lie(j.skip, a.source.size-j.skip)
		if saved != nil {
			a.Shape = saved.Input.Sizes
			return nil
		}
		if err := fill(text, parts, a.Size/size); err != nil {
			return err
		}
	}
	a.Shape = shape
	if a.open = streams && unknown == 0; a.open {
		parts[0] = 1
	}
	all := a.memory(shape)
	if a.open {
		parts[0] = int((maxOpen - min(j.skip, maxOpen/2)) / max(all, 1))
	}
	if all < 0 || a.open && parts[0] < 2 {
		return a.tooLarge()
	}
	have := a.Size
	if a.Size = size * int64(product(parts)); !streams && a.Size != have {
		return a.misfit(have)
	}
	a.lie(j.skip, a.Size)
	return nil
}

// parseShape reads the extents of -shape, separated by commas or x, in brackets or not, for example
// 3,4 or 3x4 or (3, 4). One extent may be -1.
func parseShape(text string) ([]int, error) {
	shape, err := integers("-shape", text, -1)
	if open := slices.Index(shape, -1); open >= 0 && slices.Contains(shape[open+1:], -1) {
		return nil, usagef("-shape %s: only one extent may be -1", text)
	}
	return shape, err
}

// fill replaces an extent of -1 of the shape in text, if there is one, by the one that gives so
// many elements.
func fill(text string, shape []int, elements int64) error {
	open := slices.Index(shape, -1)
	if open < 0 {
		return nil
	}
	shape[open] = 1
	known := sizeOf(1, shape)
	if known <= 0 || elements%known != 0 || elements/known > math.MaxInt {
		return usagef("-shape %s: %d elements do not fill this shape", text, elements)
	}
	shape[open] = int(elements / known)
	return nil
}
