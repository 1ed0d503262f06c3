package npy

import (
	"encoding/binary"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

var hostBigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1

// codes are NumPy's names of the types, without the byte order. NumPy has no BFloat16.
var codes = map[string]slice1.DataType{
	"f2": slice1.Float16, "f4": slice1.Float32, "f8": slice1.Float64,
	"i1": slice1.Int8, "i2": slice1.Int16, "i4": slice1.Int32, "i8": slice1.Int64,
	"u1": slice1.Uint8, "u2": slice1.Uint16, "u4": slice1.Uint32, "u8": slice1.Uint64,
}

// longNames are names that np.load takes without a byte order, and writers by hand use.
var longNames = map[string]string{"bool": "b1", "half": "f2", "single": "f4", "double": "f8", "complex64": "c8", "complex128": "c16",
	"float16": "f2", "float32": "f4", "float64": "f8", "int8": "i1", "int16": "i2", "int32": "i4", "int64": "i8",
	"uint8": "u1", "uint16": "u2", "uint32": "u4", "uint64": "u8"}

// letters are NumPy's names of one letter, with a byte order or without. Those of C's long and long
// double have the sizes of 64-bit Linux.
var letters = map[string]string{"?": "b1", "b": "i1", "B": "u1", "h": "i2", "H": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8", "q": "i8", "Q": "u8",
	"e": "f2", "f": "f4", "d": "f8", "g": "f16", "F": "c8", "D": "c16"}

// canonical returns the name of a type as NumPy writes it, for its other names. It returns any
// other text as it is.
func canonical(name string) string {
	if code, ok := longNames[name]; ok {
		return code
	}
	rest := strings.TrimLeft(name, "<>=|")
	if code, ok := letters[rest]; ok && len(name)-len(rest) <= 1 {
		return name[:len(name)-len(rest)] + code
	}
	return name
}

// descr returns NumPy's name of a type in codes, like "<f4", or "" for any other type.
func descr(t slice1.DataType, bigEndian bool) string {
	order := "<"
	switch {
	case t.Size() == 1:
		order = "|"
	case bigEndian:
		order = ">"
	}
	for code, named := range codes {
		if named == t {
			return order + code
		}
	}
	return ""
}

// parseType reads NumPy's name of a type in codes, like ">f4". A missing byte order, '='
// and '|' mean the host's. bigEndian is false for types of one byte. ok is false for another name.
func parseType(s string) (t slice1.DataType, bigEndian, ok bool) {
	order, code := byte('='), s
	if s != "" && strings.IndexByte("<>=|", s[0]) >= 0 {
		order, code = s[0], s[1:]
	}
	t, ok = codes[code]
	return t, t.Size() > 1 && (order == '>' || order != '<' && hostBigEndian), ok
}

// clip returns s as valid UTF-8, cut after 40 characters. So errors stay short whatever the file
// holds.
func clip(s string) string {
	const limit = 40
	s = strings.ToValidUTF8(s, "?")
	if r := []rune(s[:min(len(s), 4*limit)]); len(r) > limit {
		s = string(r[:limit]) + "..."
	}
	return s
}
