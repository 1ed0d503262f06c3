package slice1

import "strconv"

// Key returns a key for a cache of plans. Two plans of descriptors with equal keys, made with equal
// options, do the same to the same buffers, with Run and with RunAt. They also have the same data
// type and need the same least buffer lengths. The key is "" if [Desc.Validate] refuses d, and
// Validate says why. No valid descriptor has the key "". d may be nil.
func (d *Desc) Key() string {
	var input, output layout
	if d.validate(&input, &output, 0) != nil {
		return ""
	}
	var room [256]byte
	key := append(room[:0], d.Input.DataType.String()...)
	put := func(values ...int64) {
		for _, v := range values {
			key = strconv.AppendInt(append(key, ' '), v, 10)
		}
	}
	put(input.bytes, output.bytes)
	for i, n := range d.Input.Sizes {
		offset, size, extent := d.WindowOffsets[i], d.WindowSizes[i], d.Output.Sizes[i]
		step, start := d.WindowStrides[i], d.start(i)-offset
		read, written := input.strides[i], output.strides[i]
		if extent == 1 {
			step, written = 0, 0
		}
		if n == 1 {
			read = 0
		}
		key = append(key, ',')
		put(int64(offset), int64(start), int64(n-size), int64(step), int64(extent), read, written)
	}
	return string(key)
}
