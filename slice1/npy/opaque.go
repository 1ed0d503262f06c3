package npy

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

// opaque reads the name of a type that is none of the eleven, whose elements a slice moves as
// bits. An element is inner values of the unsigned type t. descr is the name as NumPy writes it,
// with its byte order. The error matches ErrType.
func opaque(name string) (t slice1.DataType, inner int, descr string, err error) {
	unknown := fmt.Errorf("%w: %q", ErrType, clip(name))
	order, code := "", name
	if name != "" && strings.IndexByte("<>|=", name[0]) >= 0 {
		order, code = name[:1], name[1:]
	}
	if code == "?" {
		code = "b1"
	} else if size, ok := strings.CutPrefix(code, "a"); ok { // as old versions of NumPy write "S"
		code = "S" + size
	}
	const longest = 40
	if code == "" || len(code) > longest {
		return 0, 0, "", unknown
	}
	kind, count := code[0], code[1:]
	unit := ""
	if i := strings.IndexByte(count, '['); i >= 0 && (kind == 'M' || kind == 'm') {
		count, unit = count[:i], count[i:]
	}
	n, err := strconv.Atoi(count)
	switch {
	case kinds[kind] == "":
		return 0, 0, "", unknown
	case kind == 'O':
		return 0, 0, "", fmt.Errorf("%w: %s, %q", ErrType, kinds[kind], clip(name))
	case err != nil || n < 1 || n > mostBytes || count[0] == '+' || !sized(kind, n) || !plainUnit(unit):
		return 0, 0, "", unknown
	case kind == 'U':
		n *= 4
	}
	switch {
	case kind == 'b' || kind == 'S' || kind == 'V':
		order = "|"
	case (order == "" || order == "=" || order == "|") && hostBigEndian:
		order = ">"
	case order != ">":
		order = "<"
	}
	t, inner = parts(n)
	return t, inner, order + code, nil
}

// parts returns the widest unsigned type whose size divides n, and how many of it make n bytes.
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

// typeSize returns the bytes of an element of a type, by NumPy's name. The error matches
// ErrType.
func typeSize(name string) (int, error) {
	if t, _, err := ParseType(name); err == nil {
		return t.Size(), nil
	}
	t, inner, _, err := opaque(name)
	return t.Size() * inner, err
}

// sized reports whether n, at least 1, may stand behind the letter of a kind: the bytes of an
// element, or the characters of an element of text.
func sized(kind byte, n int) bool {
	switch kind {
	case '?': // which has no size behind it
		return false
	case 'b':
		return n == 1
	case 'M', 'm':
		return n == 8
	case 'c':
		return n == 8 || n == 16 || n == 24 || n == 32
	case 'f':
		return n == 12 || n == 16
	}
	return true
}

// plainUnit reports whether text looks like the unit of a date, such as [ns] or [25s], or is
// empty.
func plainUnit(text string) bool {
	if text == "" {
		return true
	}
	inner := strings.Trim(text, "[]")
	return text == "["+inner+"]" && inner != "" && strings.IndexFunc(inner, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '/'
	}) < 0
}
