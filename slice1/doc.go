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
// The output extent of an axis is at most 1 + (size-1)/|stride|, rounded down; a smaller one takes
// the first elements. Memory strides are apart from these: rows may be padded, axes permuted, and a
// stride of 0 repeats an element. With an input of 4x4 elements
//
//	 1  2  3  4      offsets 0, 1
//	 5  6  7  8      sizes   4, 3     gives    14 16
//	 9 10 11 12      strides -2, 2              6  8
//	13 14 15 16
//
// Elements are opaque bits, NaNs too. Only a [Conversion] takes them as numbers.
//
// # Use
//
// [Slice] applies NumPy index text in one call. [Copy] runs a descriptor once, [NewPlan] prepares
// it for many runs. [NewDesc] makes a descriptor of a window, which [Crop], [ParseIndex] or
// [FromONNX] returns:
//
//	window, shape, err := slice1.ParseIndex("[100:400, ::-1, :]", []int{512, 512, 3})
//	desc := slice1.NewDesc(slice1.Uint8, []int{512, 512, 3}, window)
//	dst := make([]byte, 300*512*3)
//	err = slice1.Copy(dst, src, desc)
//
// [Plan.RunAt] moves a plan's window, [Desc.Permute] reorders axes, and [Window.Into] and [Assign]
// write into a part of something larger. [NewConversion] prepares a slice whose numbers become
// those of another type, scaled, rounded and saturated, for the inputs and the outputs of models.
// Packages imageslice and npy are for pictures and NumPy's files. No descriptor panics, and nothing
// is written before everything is checked.
//
// # Kernels and choices
//
// With cgo there are C kernels for AVX-512 and AVX2 (amd64) and NEON (arm64), used where the
// processor has these and a call into C pays. Elsewhere, with CGO_ENABLED=0 and under the build tag
// purego, kernels are in Go; Go 1.27 with GOEXPERIMENT=simd adds one in Go's vector instructions.
//
// A kernel has several ways to run a slice, which write the same bytes. Estimates list at most
// four, and slices of several parts may be cut in other ways. In slices of about 100 nanoseconds or
// more these take turns, one timed run at a time, until the fastest in this program is clear: for
// some hundred runs, at most an eighth of their time, and 50 ms. A slice of 64 MiB or more whose
// axes have another order in the output than in the input compares ways within a run. Those of a
// microsecond or more are tried again after a thousand times as many runs. Plans and Copies of one
// shape share what was learned.
//
// # Stability
//
// This is version 0.1.0. Below 1.0, names and signatures change only with the second number, and
// CHANGELOG.md says which; what a descriptor writes to dst is DirectML's and does not change. From
// 1.0 on, all of these stay as they are within a major version. Texts of errors, of [Plan.String]
// and [Desc.Key], names of candidates, and which way a plan takes may change with any version.
package slice1
