// Package slice1 crops, flips, transposes, subsamples and de-interleaves N-dimensional
// arrays: strided slices, DirectML's DML_SLICE1_OPERATOR_DESC, on the CPU. A region of
// interest (ROI), NHWC to NCHW, a permuted view made contiguous, channels picked or
// reversed, and planes of audio and video are all this one operation, one pass over
// memory.
//
// # Meaning
//
// A slice copies elements of an input tensor to an output tensor of the same
// data type and rank (1 to 8). Each axis has a window of the input, offset and
// size in elements, and a signed stride through it. Output element k along an
// axis is
//
//	input[start + stride*k]    start = offset             where stride > 0
//	                           start = offset + size - 1  where stride < 0
//
// A negative stride starts at the window's last element, whatever the output
// extent. The output extent m of an axis is at least 1 and at most
// 1 + (size-1)/|stride|, rounded down; a smaller one takes the first m elements.
// With an input of 4x4 elements
//
//	 1  2  3  4      offsets 0, 1
//	 5  6  7  8      sizes   4, 3     gives    14 16
//	 9 10 11 12      strides -2, 2              6  8
//	13 14 15 16
//
// since rows are taken from the window's end, 3 then 1, and columns from its
// beginning, 1 then 3.
//
// Tensors lie in memory as their memory strides say, which count elements and
// are independent of the window's strides: rows may be padded, axes permuted,
// and a memory stride of 0 repeats one element of an input along its axis. No
// two elements of an output may share a byte. Elements are opaque bits; only
// [RunFloat32] and its like convert them, for inference. Bytes of the destination that belong to no output element keep
// their value.
//
// # Use
//
// [Copy] runs a descriptor once. [NewPlan] makes a plan of a descriptor, for many
// runs from any number of goroutines at once; a run that uses one goroutine itself
// does not allocate. A descriptor is written out ([Desc]), or [NewDesc] makes it of
// a window, which comes from NumPy index text ([ParseIndex]), ONNX parameters
// ([FromONNX]) or offsets and sizes ([Crop]):
//
//	window, shape, err := slice1.ParseIndex("[100:400, ::-1, :]", []int{512, 512, 3})
//	desc := slice1.NewDesc(slice1.Uint8, []int{512, 512, 3}, window)
//	dst := make([]byte, 300*512*3)
//	err = slice1.Copy(dst, src, desc)
//
// For slices of at most 256 KiB of output, Copy remembers what it has planned, once the same
// slice comes a second time. A plan also saves checking the descriptor and looking that up.
// `go -C bench run . -kernels dml,oneshot` prints the time of a plan's run and of Copy.
// [Plan.DstSize] is the least length of a plan's dst in bytes. [Desc.Key] is a key for a cache
// of plans.
//
// [Plan.RunAt] runs a plan with its window at other offsets, for batches of crops. [Compose]
// joins a slice of a slice into one slice. [Desc.Split] cuts a slice into shards, descriptors
// that run independently. Package imageslice slices the pictures of package image.
//
// # Layouts
//
// [Desc.Permute] puts the axes of a result into another order, as NumPy's transpose and
// PyTorch's permute do, and packs it, which they call contiguous:
//
//	nhwc := slice1.NewDesc(slice1.Uint8, shape, window) // output [n h w 3]
//	nchw, err := nhwc.Permute(0, 3, 1, 2)               // output [n 3 h w]
//
// [Window.Of] makes descriptors of tensors with any memory strides: a matrix of gonum, a frame
// with a pitch, a column-major array. With output strides, a slice writes into a part of
// something larger: it joins arrays, fills planes, or pads. There is an example of each of
// these, and of space to depth, swapped bytes, mapped files, and tensors of ONNX Runtime.
//
// # Errors
//
// An error wraps a sentinel for its condition, such as [ErrWindow] for [errors.Is]. If it is
// about a descriptor, an argument, a buffer or an index text, it is a [*DescError] or
// [*IndexError] for [errors.As], which says where it is. A run that ends because its context is
// done returns the context's error. Nothing is written before everything is checked, and no
// input panics: descriptors may come from anywhere. No byte may be both read and written
// ([ErrOverlap]). The elements of destination and source may be interleaved in one buffer.
//
// # Kernels
//
// Where the program is built with cgo, there are C kernels for AVX-512 and AVX2
// (amd64) and NEON (arm64), which are used if the processor has these. Kernels in
// Go do the work elsewhere: with CGO_ENABLED=0, with the build tag purego, on all
// other architectures and processors, and for slices so small that a call into C
// does not pay. Go 1.27 with GOEXPERIMENT=simd adds a kernel in Go's vector
// instructions. [Kernels] lists the kernels; [WithKernel] and the environment
// variable SLICE1_KERNEL, read when the program starts, ask for one of them. DML_CPU
// masks processor features, as package cpuid says. A kernel has one or several ways to run
// a slice, its candidates. A plan takes the candidate of the least estimated cost.
// [WithMeasure] lets NewPlan measure a few candidates and take the fastest, for slices that
// run often enough; [Plan.Candidates] has the times. Under the race detector, which does
// not see into C, plans take the kernel "go" unless told otherwise.
//
// SLICE1_KERNEL is for tests: if it names a kernel that the host lacks, every NewPlan and
// Copy without WithKernel returns ErrKernel.
//
// # Limits
//
// A tensor takes at most 2^63-1 bytes. DirectML has limits of its own, which
// [Desc.ValidateFor] knows for each feature level. A slice with no elements
// cannot be expressed ([ErrEmpty]).
package slice1
