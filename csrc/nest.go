// Package csrc holds the C kernels and the loop nest that Go and C share.
//
// A kernel executes a whole [Nest]: it knows extents and byte strides, not
// tensors. Where cgo is off, under the purego tag, and on processors without
// C kernels, [Kernels] is empty and the package is this one Go type.
package csrc

// MaxRank is the number of loops a Nest can hold, the rank limit of
// DML_SLICE1_OPERATOR_DESC.
const MaxRank = 8

// Dim is one loop of a Nest.
type Dim struct {
	Extent int64 // iterations
	Src    int64 // bytes the source position moves per iteration, any sign
	Dst    int64 // bytes the destination position moves per iteration
}

// Nest is a strided copy:
//
//	for i0 in Dims[0].Extent { for i1 in Dims[1].Extent { ...
//		copy Width bytes to   dst[DstOff + i0*Dims[0].Dst + i1*Dims[1].Dst + ...]
//		             from src[SrcOff + i0*Dims[0].Src + i1*Dims[1].Src + ...]
//
// Dims[0] is the outermost loop; a Nest of rank 0 copies one element. It holds
// no pointers, and its layout is that of s1_nest in s1.h.
type Nest struct {
	Rank   int32 // loops, 0..MaxRank
	Width  int32 // bytes per element: 1, 2, 4 or 8
	SrcOff int64 // bytes from the start of the source to the first element
	DstOff int64 // bytes from the start of the destination to the first element
	Dims   [MaxRank]Dim
}
