package slice1

import (
	"errors"
	"math"
)

// ValidateFor returns nil if DirectML takes d at the given feature level, and otherwise a
// [*DescError]. It checks the rules of Validate and these:
//
//   - the level has SLICE1 ([errors.ErrUnsupported] below 2.1), d's rank (ErrRank) and its data
//     type (ErrDataType);
//   - each tensor has at most 2^32-1 elements, at most as many bytes as 2^32-1 elements have, and
//     memory strides of at most 2^32-1; window strides have 32 bits (ErrOverflow);
//   - TotalSize is 0, or at least MinSize rounded up to 4 (ErrTotalSize);
//   - BaseAlign is 0 or a power of two from 16 to 2^31 (ErrAlign).
//
// The rules are the ones of DirectML 1.15.4, with exact arithmetic and an exact test for
// overlapping outputs.
func (d *Desc) ValidateFor(level FeatureLevel) error {
	if d == nil {
		return d.Validate()
	}
	if level < FeatureLevel2_1 {
		return &DescError{"FeatureLevel", -1, int64(level), int64(FeatureLevel2_1), errors.ErrUnsupported}
	}
	if err := d.checkShape(); err != nil {
		return err
	}
	if rank := int64(len(d.Input.Sizes)); level < FeatureLevel3_0 && (rank < 4 || rank > 5) {
		return &DescError{"Input.Sizes", -1, rank, min(max(rank, 4), 5), ErrRank}
	}
	if t := d.Input.DataType; t == BFloat16 || level < FeatureLevel4_1 && t.Size() == 8 {
		return &DescError{"Input.DataType", -1, int64(t), int64(Int8), ErrDataType}
	}
	if err := within("Input.", d.Input.checkDirectML()); err != nil {
		return err
	}
	if err := within("Output.", d.Output.checkDirectML()); err != nil {
		return err
	}
	if err := d.checkWindow(); err != nil {
		return err
	}
	for i, s := range d.WindowStrides {
		if err := bounded("WindowStrides", i, s, math.MinInt32, math.MaxInt32, ErrOverflow); err != nil {
			return err
		}
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
		if err := bounded("Sizes", i, int64(n), 1, math.MaxUint32/elements, ErrOverflow); err != nil {
			return err
		}
		elements *= int64(n)
	}
	for i, s := range t.Strides {
		if err := bounded("Strides", i, int64(s), 0, math.MaxUint32, ErrOverflow); err != nil {
			return err
		}
	}
	maxBytes := int64(t.DataType.Size()) * math.MaxUint32
	minBytes := (min(l.bytes, math.MaxInt64-3) + 3) &^ 3
	if minBytes > maxBytes {
		return &DescError{"Sizes", -1, minBytes, maxBytes, ErrOverflow}
	}
	if t.TotalSize != 0 {
		if err := bounded("TotalSize", -1, t.TotalSize, minBytes, maxBytes, ErrTotalSize); err != nil {
			return err
		}
	}
	return t.checkAlign(16, 1<<31)
}
