// Package slice1 crops, flips, transposes, subsamples and de-interleaves N-dimensional
// arrays on the CPU in one pass over memory, all by one operation: the strided slice of
// DirectML's DML_SLICE1_OPERATOR_DESC.
//
// # Meaning
//
// A slice copies elements of an input tensor to an output tensor of the same data type and
// rank, 1 to 8. Each axis has a window, offset and size, and a signed stride:
//
//	output[k] = input[start + stride*k]    start = offset             where stride > 0
//	                                       start = offset + size - 1  where stride < 0
//
// The output extent of an axis is at most 1 + (size-1)/|stride|, rounded down; a smaller one
// takes the first elements. All these count elements along the axis and are independent of the
// memory strides of the tensors, in elements too: rows may be padded, axes permuted, and a
// memory stride of 0 repeats one element of an input. With an input of 4x4 elements
//
//	 1  2  3  4      offsets 0, 1
//	 5  6  7  8      sizes   4, 3     gives    14 16
//	 9 10 11 12      strides -2, 2              6  8
//	13 14 15 16
//
// Elements are opaque bits, which only [RunFloat32] and its like convert. Bytes of the
// destination that belong to no output element keep their value.
//
// # Use
//
// [Slice] applies NumPy index text in one call. [Copy] runs a descriptor once, and [NewPlan] makes
// a plan of it for many runs from any number of goroutines. [NewDesc] makes a descriptor of a
// window, which [Crop], [ParseIndex] or [FromONNX] returns:
//
//	window, shape, err := slice1.ParseIndex("[100:400, ::-1, :]", []int{512, 512, 3})
//	desc := slice1.NewDesc(slice1.Uint8, []int{512, 512, 3}, window)
//	dst := make([]byte, 300*512*3)
//	err = slice1.Copy(dst, src, desc)
//
// [Plan.RunAt] moves a plan's window, for batches of crops. [Desc.Permute] puts the axes of the
// result into another order, as NHWC to NCHW needs. [Window.Of] takes tensors of any memory strides,
// and output strides write into a part of something larger. Packages imageslice and npy are for
// pictures and NumPy's files.
//
// # Errors
//
// An error wraps a sentinel for its condition, such as [ErrWindow], and is a [*DescError] or
// [*IndexError] where it has a place. Nothing is written before everything is checked, and no
// descriptor panics. Destination and source may be interleaved in one buffer, but no byte may
// be both read and written ([ErrOverlap]).
//
// # Kernels and choices
//
// With cgo there are C kernels for AVX-512 and AVX2 (amd64) and NEON (arm64), used where the
// processor has these and a call into C pays. Elsewhere, with CGO_ENABLED=0 and under the build tag
// purego, kernels are in Go; Go 1.27 with GOEXPERIMENT=simd adds one in Go's vector instructions.
// [WithKernel] or the environment variable SLICE1_KERNEL asks for a kernel; without it plans take
// "go" under the race detector, which does not see into C.
//
// A kernel has several ways to run a slice. Estimates list at most four, and for slices of about 100
// nanoseconds or more the runs themselves decide: the ways take turns, all writing the same bytes, and
// one run at a time is timed, until the fastest in this program, on its buffers, is clear. That takes
// about a hundred runs, at most a quarter of their time, and at most 50 ms; a slice of 4 MiB or more
// learns in the parts of its first run, too. Where a run takes a microsecond or more, it is tried again
// after a thousand times as many runs. Plans and Copies of one shape share what was learned, kept in at
// most 4 MiB. [WithLearning] and SLICE1_LEARN=off turn it off.
//
// # Stability
//
// Names, signatures and what is written to dst stay as they are within a major version. Texts of
// errors, of [Plan.String] and [Desc.Key], names of candidates, and which way a plan takes may
// change with any version. A tensor takes at most 2^63-1 bytes.
package slice1
