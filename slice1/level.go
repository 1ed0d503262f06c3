package slice1

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// FeatureLevel is a DirectML feature level, with the numeric values of DML_FEATURE_LEVEL. Each
// level includes the lower ones.
type FeatureLevel uint32

// The feature levels. SLICE1 exists from 2.1 on, with ranks 1 to 8 from 3.0 on, and with types of 8
// bytes from 4.1 on. A level above 6.4 is taken to include 6.4.
const (
	FeatureLevel1_0 FeatureLevel = 0x1000
	FeatureLevel2_0 FeatureLevel = 0x2000
	FeatureLevel2_1 FeatureLevel = 0x2100 // SLICE1 of rank 4 and 5, types of up to 4 bytes
	FeatureLevel3_0 FeatureLevel = 0x3000 // SLICE1 of rank 1 to 8
	FeatureLevel3_1 FeatureLevel = 0x3100
	FeatureLevel4_0 FeatureLevel = 0x4000
	FeatureLevel4_1 FeatureLevel = 0x4100 // also types of 8 bytes
	FeatureLevel5_0 FeatureLevel = 0x5000
	FeatureLevel5_1 FeatureLevel = 0x5100
	FeatureLevel5_2 FeatureLevel = 0x5200
	FeatureLevel6_0 FeatureLevel = 0x6000
	FeatureLevel6_1 FeatureLevel = 0x6100
	FeatureLevel6_2 FeatureLevel = 0x6200
	FeatureLevel6_3 FeatureLevel = 0x6300
	FeatureLevel6_4 FeatureLevel = 0x6400
)

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

// ValidateFor returns nil if DirectML takes d at the given feature level, and otherwise a
// [*DescError]. It checks the rules of Validate and these:
//
//   - the level has SLICE1 ([errors.ErrUnsupported] below 2.1), d's rank (ErrRank) and its data
//     type (ErrDataType);
//   - each tensor has at most 2^32-1 elements, at most as many bytes as 2^32-1 elements have, and
//     memory strides of at most 2^32-1; window strides have 32 bits (ErrOverflow);
//   - TotalSize is 0, or at least MinSize rounded up to a multiple of 4 (ErrTotalSize);
//   - BaseAlign is 0 or a power of two from 16 to 2^31 (ErrAlign).
//
// The rules are the ones of DirectML 1.15.4, with exact arithmetic and an exact test for
// overlapping outputs.
func (d *Desc) ValidateFor(level FeatureLevel) error {
	if d == nil {
		return d.Validate()
	}
	if level < FeatureLevel2_1 {
		return refused(errors.ErrUnsupported, "FeatureLevel", -1, int64(level), int64(FeatureLevel2_1), " is %v, SLICE1 needs %v", level, FeatureLevel2_1)
	}
	if err := d.checkShape(); err != nil {
		return err
	}
	if rank := int64(len(d.Input.Sizes)); level < FeatureLevel3_0 && (rank < 4 || rank > 5) {
		return refused(ErrRank, "Input.Sizes", -1, rank, min(max(rank, 4), 5), " has %s, feature level %v takes 4 to 5", plural(rank, "entry"), level)
	}
	switch t := d.Input.DataType; {
	case t == BFloat16:
		return refused(ErrDataType, "Input.DataType", -1, int64(t), int64(Int64), " is %v, which DirectML does not have; it has %v", t, Int64)
	case level < FeatureLevel4_1 && t.Size() == 8:
		return refused(ErrDataType, "Input.DataType", -1, int64(t), int64(Int8), " is %v, which feature level %v does not have; it has %v", t, level, Int8)
	}
	if err := addPrefix("Input.", d.Input.checkDirectML()); err != nil {
		return err
	}
	if err := addPrefix("Output.", d.Output.checkDirectML()); err != nil {
		return err
	}
	if err := d.checkWindow(); err != nil {
		return err
	}
	for i, s := range d.WindowStrides {
		if err := bounded(ErrOverflow, "WindowStrides", i, s, math.MinInt32, math.MaxInt32, ", which 32 bits hold"); err != nil {
			return err
		}
	}
	if d.Output.Strides == nil { // packed elements are apart
		return nil
	}
	return d.checkDistinct()
}

// checkDirectML checks a tensor's extents, memory strides, TotalSize and BaseAlign by DirectML's
// rules.
func (t *TensorDesc) checkDirectML() error {
	l, err := t.layout()
	if err != nil {
		return err
	}
	elements := int64(1)
	for i, n := range t.Sizes {
		if err := bounded(ErrOverflow, "Sizes", i, int64(n), 1, math.MaxUint32/elements, ": 32 bits must count the tensor's elements"); err != nil {
			return err
		}
		elements *= int64(n)
	}
	for i, s := range t.Strides {
		if err := bounded(ErrOverflow, "Strides", i, int64(s), 0, math.MaxUint32, ", which 32 bits hold"); err != nil {
			return err
		}
	}
	maxBytes := int64(t.DataType.Size()) * math.MaxUint32
	minBytes := (min(l.bytes, math.MaxInt64-3) + 3) &^ 3
	if minBytes > maxBytes {
		return refused(ErrOverflow, "Sizes", -1, minBytes, maxBytes, ": the tensor has %d bytes with its gaps, must have at most %d", minBytes, maxBytes)
	}
	if t.TotalSize != 0 {
		if err := bounded(ErrTotalSize, "TotalSize", -1, t.TotalSize, minBytes, maxBytes, " bytes"); err != nil {
			return err
		}
	}
	return t.checkAlign(16, 1<<31)
}
