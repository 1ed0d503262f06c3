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
// 1 + (size-1)/|stride|; a smaller one takes the first m elements. With an
// input of 4x4 elements
//
//	 1  2  3  4      offsets 0, 1
//	 5  6  7  8      sizes   4, 3     gives    14 16
//	 9 10 11 12      strides -2, 2              6  8
//	13 14 15 16
//
// since rows are taken from the window's end, 3 then 1, and columns from its
// beginning, 1 then 3.
//
// Tensors lie in memory as their strides say, counted in elements and
// independent of the window: rows may be padded, axes permuted, and an input
// stride of 0 repeats one element along its axis. No two elements of an
// output may share a byte. Elements are opaque bits; nothing is converted.
// Bytes of the destination that belong to no output element keep their value.
//
// # Use
//
// [Copy] runs a descriptor once. [NewPlan] prepares one for many runs, from
// any number of goroutines at once; running it does not allocate. Descriptors
// are written out ([Desc]) or made from NumPy index text ([ParseIndex]) or ONNX
// parameters ([FromONNX]) by [NewDesc]:
//
//	window, shape, err := slice1.ParseIndex("[100:400, ::-1, :]", []int{512, 512, 3})
//	desc := slice1.NewDesc(slice1.Uint8, []int{512, 512, 3}, window)
//	dst := make([]byte, 300*512*3)
//	err = slice1.Copy(dst, src, desc)
//
// Copy plans a shape again only if it has not seen it lately. A plan also saves checking the
// descriptor and finding its shape. `go -C bench run . -kernels dml,oneshot` prints the time of
// both. [Plan.DstSize] is the least length of a plan's dst. [Desc.Key] is a key for a cache of
// plans.
//
// [Plan.RunAt] runs a plan with its window at other offsets, for batches of crops. [Compose]
// joins a slice of a slice into one slice. [Desc.Split] cuts a slice into parts that run
// independently. Package imageslice slices the pictures of package image.
//
// # Layouts
//
// [Desc.Permute] puts the axes of a result into another order, as NumPy's transpose and
// PyTorch's permute do, and packs it, which they call contiguous:
//
//	nhwc := slice1.NewDesc(slice1.Uint8, []int{n, h, w, 3}, window) // cropped, flipped
//	nchw, err := nhwc.Permute(0, 3, 1, 2)                           // output [n 3 h w]
//
// [Window.Of] slices tensors with any memory strides: a matrix of gonum, a frame with a pitch, a
// column-major array. With output strides, a slice writes into a part of something larger: it
// joins arrays, fills planes, or pads. There is an example of each of these, and of space to
// depth, swapped bytes, mapped files, and tensors of ONNX Runtime.
//
// # Errors
//
// An error has a sentinel for its condition, such as [ErrWindow] for [errors.Is], and says
// where it is, as a [*DescError] or [*IndexError] for [errors.As]. Nothing is written unless
// everything is right, and no input panics: descriptors may come from anywhere. No byte may be
// both read and written ([ErrOverlap]). The elements of destination and source may be
// interleaved in one buffer.
//
// # Kernels
//
// The work is done by C kernels for AVX-512 and AVX2 (amd64) and NEON (arm64)
// where the program is built with cgo, chosen at run time by what the processor
// has, and by kernels in Go elsewhere: with CGO_ENABLED=0, with the build tag
// purego, on all other architectures, and for slices so small that a call into
// C does not pay. Go 1.27 with GOEXPERIMENT=simd adds one in Go's vector
// instructions. [Kernels] lists them; [WithKernel] and the environment variable
// SLICE1_KERNEL, read once, ask for one. DML_CPU masks processor features, as
// package cpuid says. Each kernel has several ways to run a slice, candidates, of which a
// plan takes the one with the least estimated cost. [WithMeasure] lets NewPlan race a few on
// the side, for slices that run often enough; [Plan.Candidates] has the times. Under the
// race detector, which does not see into C, plans take the Go kernels unless told otherwise.
//
// SLICE1_KERNEL is for tests: with the name of a kernel that the host lacks, every NewPlan
// and Copy of the process is ErrKernel.
//
// # Limits
//
// Sizes are limited by 63 bits of bytes. DirectML has limits of its own, which
// [Desc.ValidateFor] knows for each feature level. A slice with no elements
// cannot be expressed ([ErrEmpty]).
package slice1
