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
