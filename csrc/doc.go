// Package csrc has the SIMD kernels of package slice1: loops in C for AVX2, AVX-512 and NEON, and
// the Go functions that call them by cgo. The loops copy, fill, gather, shuffle, transpose and
// convert strided memory, make R, G and B of luma and chroma, and resample pictures.
//
// The functions check only that the build has the loops of a set. C is handed structs without
// pointers, whose layout layout.h declares. Go declares the same structs in package
// slice1/internal/program, and its test writes layout.h. The caller guarantees that the host has
// the instructions of the set, that every element lies in its buffer, and that no element of the
// destination shares a byte with one of the source. C keeps no pointer after a call and does not
// call Go. Goroutines may call the functions at the same time, unless one call stores to an element
// that another call uses.
//
// Package csrc is for slice1 alone and promises no compatibility: use slice1, which checks what
// this package does not. If cgo is off, under the tag purego, and on architectures other than amd64
// and arm64, [Built] reports false for every set, and the other functions panic.
package csrc
