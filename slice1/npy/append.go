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
// length of the header is a multiple of 64 bytes. AppendHeader panics if h.Descr is "" and h.Type
// is none of the eleven types.
func AppendHeader(b []byte, h Header) []byte {
	name := h.Descr
	if name == "" {
		name = descr(h.Type, h.BigEndian)
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
	if h.UTF8 || prefix+len(dict)+1 > math.MaxUint16 {
		version, prefix = 2, prefix+2
	}
	if h.UTF8 {
		version = 3
	}
	// NumPy pads with 1 to 64 spaces, never none.
	dict += strings.Repeat(" ", 64-(prefix+len(dict)+1)%64) + "\n"

	b = append(b, magic...)
	b = append(b, version, 0)
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(dict)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(dict)))
	}
	return append(b, dict...)
}
