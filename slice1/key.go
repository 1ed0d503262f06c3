package slice1

import "strconv"

// Key returns a text for use as the key of a cache of plans. Plans of descriptors with equal
// keys, made with equal options, take the same elements to the same places of buffers of the
// same data type and the same least lengths, also through RunAt. The key does not depend on
// whether packed strides are written out, on TotalSize and BaseAlign, on an input's memory
// stride along an axis of a single input element, and, along an axis of a single output element,
// on the output's memory stride and on how long the window's stride is. The text has no other
// meaning and may change from version to version. It is "" for descriptors that Validate
// refuses.
func (d *Desc) Key() string {
	var in, out layout
	if d.validate(&in, &out) != nil {
		return ""
	}
	var room [256]byte
	key := append(room[:0], d.Input.DataType.String()...)
	put := func(values ...int64) {
		for _, v := range values {
			key = strconv.AppendInt(append(key, ' '), v, 10)
		}
	}
	put(in.bytes, out.bytes)
	for i, n := range d.Input.Sizes {
		offset, size, extent := d.WindowOffsets[i], d.WindowSizes[i], d.Output.Sizes[i]
		step, ahead := d.WindowStrides[i], d.first(i)-offset
		from, to := in.strides[i], out.strides[i]
		if extent == 1 {
			step, to = 0, 0
		}
		if n == 1 {
			from = 0
		}
		key = append(key, ',')
		put(int64(offset), int64(ahead), int64(n-size), int64(step), int64(extent), from, to)
	}
	return string(key)
}
