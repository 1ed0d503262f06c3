package dtype

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Each sentinel names a condition; test for it with [errors.Is]. Package slice1 has the same
// sentinels.
var (
	// ErrDataType: a data type that is unknown, or that must equal another and does not.
	ErrDataType = errors.New("the data type is unknown or does not match")
	// ErrSyntax: a text that is no feature level, or a feature level that has no text.
	ErrSyntax = errors.New("the text cannot be understood")
)

// MarshalText returns the same name as String. It returns ErrDataType for a value that is not a
// constant of this package. The JSON of a descriptor has this name.
func (t DataType) MarshalText() ([]byte, error) {
	if t.Size() == 0 {
		return nil, fmt.Errorf("slice1: %v: %w", t, ErrDataType)
	}
	return []byte(t.String()), nil
}

// UnmarshalText sets t to the constant with the given name, like "float32". Other text is
// ErrDataType and leaves t unchanged.
func (t *DataType) UnmarshalText(text []byte) error {
	if string(text) == BFloat16.String() {
		*t = BFloat16
		return nil
	}
	for i, known := range dataTypes {
		if known.name == string(text) && known.size > 0 {
			*t = DataType(i)
			return nil
		}
	}
	return fmt.Errorf("slice1: %q: %w", text, ErrDataType)
}

// String returns the level in Microsoft's notation, like "2.1". It is "FeatureLevel(n)" for a value
// that this notation cannot express.
func (l FeatureLevel) String() string {
	if l>>16 != 0 || l&0xff != 0 || l>>12 == 0 {
		return "FeatureLevel(" + strconv.FormatUint(uint64(l), 10) + ")"
	}
	return strconv.Itoa(int(l>>12)) + "." + strconv.Itoa(int(l>>8&15))
}

// MarshalText returns the same text as String, or ErrSyntax for a value that String writes as
// "FeatureLevel(n)".
func (l FeatureLevel) MarshalText() ([]byte, error) {
	text := l.String()
	if strings.HasPrefix(text, "F") {
		return nil, fmt.Errorf("slice1: %s: %w", text, ErrSyntax)
	}
	return []byte(text), nil
}

// UnmarshalText reads a level in Microsoft's notation: two numbers of at most 15 with a point
// between them, and the first at least 1. Other text is ErrSyntax and leaves l unchanged.
func (l *FeatureLevel) UnmarshalText(text []byte) error {
	for known := FeatureLevel1_0; known < 1<<16; known += 1 << 8 {
		if known.String() == string(text) {
			*l = known
			return nil
		}
	}
	return fmt.Errorf("slice1: feature level %q: %w", text, ErrSyntax)
}
