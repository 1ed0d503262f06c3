package directml

import "math/bits"

// sizeClass rounds bytes up to an allocation size, so that buffers can be used again for other
// slices. The sizes are powers of two from 64 KiB to 16 MiB, and above that multiples of 16 MiB. 64
// KiB is the placement alignment of Direct3D 12 resources.
func sizeClass(size int64) int64 {
	const smallest, step = 64 << 10, 16 << 20
	if size > step {
		return (size + step - 1) / step * step
	}
	return max(smallest, int64(1)<<bits.Len64(uint64(size-1)))
}
