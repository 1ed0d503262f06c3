package slice1

import (
	"errors"
	"math"
)

// ValidateFor returns nil if DirectML at the given feature level takes d, or else a [*DescError]. To
// the rules of Validate it adds those of the level ([errors.ErrUnsupported] below 2.1, ErrRank,
// ErrDataType); at most 2^32-1 elements a tensor, as many elements' bytes, memory strides of at most
// 2^32-1 and window strides of 32 bits (ErrOverflow); TotalSize 0 or MinSize rounded up to 4
// (ErrTotalSize); BaseAlign 0 or a power of two from 16 to 2^31 (ErrAlign). The rules were read off
// DirectML 1.15.4, but arithmetic and the test for overlapping outputs are exact here.
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
	if t := d.Input.DataType; level < FeatureLevel4_1 && t.Size() == 8 {
		return &DescError{"Input.DataType", -1, int64(t), int64(Int8), ErrDataType}
	}
	for _, side := range [...]struct {
		name   string
		tensor *TensorDesc
	}{{"Input.", &d.Input}, {"Output.", &d.Output}} {
		if err := side.tensor.checkDirectML(side.name); err != nil {
			return err
		}
	}
	if err := d.checkWindow(); err != nil {
		return err
	}
	for i, s := range d.WindowStrides {
		if int64(s) < math.MinInt32 {
			return &DescError{"WindowStrides", i, int64(s), math.MinInt32, ErrOverflow}
		}
		if int64(s) > math.MaxInt32 {
			return &DescError{"WindowStrides", i, int64(s), math.MaxInt32, ErrOverflow}
		}
	}
	if d.Output.Strides != nil {
		return checkDistinct(d.Output.Sizes, d.Output.Strides)
	}
	return nil
}

// checkDirectML checks one tensor by DirectML's rules: extents, memory strides, TotalSize and
// BaseAlign. Its rank and data type must have been checked.
func (t *TensorDesc) checkDirectML(side string) error {
	l, err := t.layout(side)
	if err != nil {
		return err
	}
	elements := int64(1)
	for i, n := range t.Sizes {
		before := elements
		var ok bool
		if elements, ok = mul(elements, int64(n)); !ok || elements > math.MaxUint32 {
			return &DescError{side + "Sizes", i, int64(n), math.MaxUint32 / before, ErrOverflow}
		}
	}
	for i, s := range t.Strides {
		if int64(s) > math.MaxUint32 {
			return &DescError{side + "Strides", i, int64(s), math.MaxUint32, ErrOverflow}
		}
	}
	most := int64(t.DataType.Size()) * math.MaxUint32
	least := int64(math.MaxInt64)
	if up, ok := add(l.bytes, 3); ok {
		least = up &^ 3
	}
	if least > most {
		return &DescError{side + "Sizes", -1, least, most, ErrOverflow}
	}
	if t.TotalSize != 0 {
		if t.TotalSize < least {
			return &DescError{side + "TotalSize", -1, t.TotalSize, least, ErrTotalSize}
		}
		if t.TotalSize > most {
			return &DescError{side + "TotalSize", -1, t.TotalSize, most, ErrTotalSize}
		}
	}
	if a := int64(t.BaseAlign); a != 0 && (a < 16 || a > 1<<31 || a&(a-1) != 0) {
		return &DescError{side + "BaseAlign", -1, a, nearestPower(a, 16, 1<<31), ErrAlign}
	}
	return nil
}
