package npy

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

// opaqueNames matches NumPy's names of the types that are not in codes. Its groups are the
// byte order and the rest of the name.
var opaqueNames = regexp.MustCompile(`^([<>|=]?)(\?|b1|c8|c16|c24|c32|f12|f16|[SUVa][0-9]{1,9}|[Mm]8(?:\[[0-9A-Za-z/]{1,32}\])?)$`)

// opaque reads the name of a type that is not in codes. A slice moves its elements as bits,
// and an element is `inner` values of the unsigned type t. descr is NumPy's name, with its byte
// order. The error matches ErrType.
func opaque(name string) (t slice1.DataType, inner int, descr string, err error) {
	match := opaqueNames.FindStringSubmatch(name)
	if match == nil && strings.HasPrefix(strings.TrimLeft(name, "<>|="), "O") {
		return 0, 0, "", fmt.Errorf("%w: pickled Python objects, %q", ErrType, clip(name))
	}
	if match == nil {
		return 0, 0, "", fmt.Errorf("%w: %q is a name that slice1 does not know", ErrType, clip(name))
	}
	order, code := match[1], match[2]
	switch code[0] {
	case '?':
		code = "b1"
	case 'a': // old versions of NumPy write "S" so
		code = "S" + code[1:]
	}
	digits, _, _ := strings.Cut(code[1:], "[")
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > mostBytes {
		return 0, 0, "", fmt.Errorf("%w: %q has no bytes, or more than %d", ErrType, clip(name), mostBytes)
	}
	if code[0] == 'U' {
		n *= 4
	}
	switch {
	case strings.IndexByte("bSV", code[0]) >= 0:
		order = "|"
	case order != "<" && order != ">" && hostBigEndian:
		order = ">"
	case order != ">":
		order = "<"
	}
	t, inner = parts(n)
	return t, inner, order + code, nil
}

// parts returns the widest unsigned type whose size divides n, and how many of its values have n
// bytes.
func parts(n int) (t slice1.DataType, inner int) {
	for _, t := range []slice1.DataType{slice1.Uint64, slice1.Uint32, slice1.Uint16} {
		if n%t.Size() == 0 {
			return t, n / t.Size()
		}
	}
	return slice1.Uint8, n
}

// mostBytes bounds the bytes of an element, or the characters of an element of text.
const mostBytes = 1 << 28
