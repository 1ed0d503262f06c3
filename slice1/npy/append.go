package npy

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// AppendHeader appends to b the header that NumPy writes for a row-major array of h.Shape, and
// returns the result. The data follows it. The element type is h.Descr or, if that is "", h.Type
// with h.BigEndian. h.UTF8 asks for version 3.0. AppendHeader ignores the other fields of h. The
// length of the header is a multiple of 64 bytes. If ReadHeader would not read the header,
// AppendHeader returns its error and b as it was: for an h.Type that NumPy does not have,
// [ErrType].
func AppendHeader(b []byte, h Header) ([]byte, error) {
	name := h.Descr
	if name == "" {
		if name = descr(h.Type, h.BigEndian); name == "" {
			return b, fmt.Errorf("%w: Header.Type is %v, which NumPy does not have", ErrType, h.Type)
		}
	}
	if name[0] != '[' {
		name = "'" + name + "'"
	}
	shape := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(h.Shape)), ", "), "[]")
	if len(h.Shape) == 1 {
		shape += ","
	}
	dict := "{'descr': " + name + ", 'fortran_order': False, 'shape': (" + shape + "), }"
	if len(h.Shape) > 0 {
		// NumPy leaves room for the first extent to grow in place.
		const mostDigits = 21
		dict += strings.Repeat(" ", mostDigits-len(strconv.Itoa(h.Shape[0])))
	}

	version, prefix := byte(1), len(magic)+2+2
	if h.UTF8 {
		version, prefix = 3, prefix+2
	}
	// NumPy pads with 1 to 64 spaces, never none.
	dict += strings.Repeat(" ", 64-(prefix+len(dict)+1)%64) + "\n"

	file := append(b, magic...)
	file = append(file, version, 0)
	if version == 1 {
		file = binary.LittleEndian.AppendUint16(file, uint16(len(dict)))
	} else {
		file = binary.LittleEndian.AppendUint32(file, uint32(len(dict)))
	}
	file = append(file, dict...)
	if _, err := parseStart(file[len(b):], math.MaxInt64); err != nil {
		return b, err
	}
	return file, nil
}
