// Package slice1 crops, flips, transposes, subsamples and deinterleaves N-dimensional arrays on
// the CPU in one pass over memory. It does all this by one operation: the strided slice of
// DirectML's DML_SLICE1_OPERATOR_DESC.
//
// # Meaning
//
// A slice copies elements of an input tensor to an output tensor of the same data type and the same
// rank, 1 to 8. Each axis has a window, given by its offset and size, and a signed stride:
//
//	output[k] = input[start + stride*k]    start = offset             where stride > 0
//	                                       start = offset + size - 1  where stride < 0
//
// The output extent of an axis is at most 1 + (size-1)/|stride|, rounded down. A smaller output
// gets the first elements. Each tensor also has memory strides: rows may be padded, axes may be
// permuted, and a stride of 0 repeats an element. For example, with an input of 4x4 elements:
//
//	 1  2  3  4      offsets 0, 1
//	 5  6  7  8      sizes   4, 3     gives    14 16
//	 9 10 11 12      strides -2, 2              6  8
//	13 14 15 16
//
// Elements are opaque bits, and NaNs keep theirs. Only plans with [WithNumbers] read elements as
// numbers.
//
// # Use
//
// [Slice] applies NumPy index text in one call. [Copy] runs a descriptor once, and [NewPlan]
// prepares it for many runs. [NewDesc] makes a descriptor from a window. [Crop], [ParseIndex] and
// [FromONNX] return windows:
//
//	window, shape, err := slice1.ParseIndex("[100:400, ::-1, :]", []int{512, 512, 3})
//	desc := slice1.NewDesc(slice1.Uint8, []int{512, 512, 3}, window)
//	dst := make([]byte, 300*512*3)
//	err = slice1.Copy(dst, src, desc)
//
// [Plan.RunAt] moves a plan's window. [Desc.Permute] reorders axes. [Assign] writes into a part of
// a larger array, and so do plans of [Window.Into], with [Part] for their output. [WithNumbers]
// makes elements numbers of another type, for the inputs and outputs of models: scaled and rounded,
// integers saturated, while a float16 or bfloat16 that is too large becomes infinite; CASTS.md
// beside this file has what other libraries make of numbers that are out of range. Package
// imageslice is for pictures, and package npy for NumPy's files. No descriptor makes a function
// panic, and functions check everything before they write anything.
//
// # Kernels and choices
//
// With cgo there are C kernels for AVX-512 and AVX2 (amd64) and NEON (arm64). A plan uses them if
// the processor has the instructions and the slice is large enough to pay for a call into C.
// Elsewhere, with CGO_ENABLED=0 and with the build tag purego, kernels are in Go. Go 1.27 with
// GOEXPERIMENT=simd adds a kernel in Go's vector instructions.
//
// A slice can run in several ways, which write the same bytes. Estimates choose at most five ways;
// a slice of several parts may also be cut in other ways. If a run takes 100 nanoseconds or more by
// estimate, the ways take turns, one timed run at a time, until the fastest in this program is
// clear. If by estimate it takes less, a timed run or two say whether the estimate is right. Only
// if runs take two calls into C and half as long again as estimated, and have taken 100
// microseconds in all, a way of each other kernel is compared. Learning takes some hundred runs, at
// most a sixth of their time, and at most 50 ms. A slice of 60 MiB or more compares ways within a
// run, and stores between a few runs. If a run takes a microsecond or more, learning starts again
// after a thousand times as many runs. Plans and Copies of one shape share what was learned.
//
// # Stability
//
// The first version will be 0.1.0. Below 1.0, names and signatures change only with the second
// number, and CHANGELOG.md lists the changes. DirectML defines what a descriptor writes to dst, and
// that does not change. From 1.0 on, names and signatures stay the same within a major version. Any
// version may change the texts of errors, of [Plan.String] and of [Desc.Key], the names of
// candidates, and the way that a plan runs.
package slice1
