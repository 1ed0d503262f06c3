// Package csrc has the SIMD kernels of package slice1: loops in C for AVX2, AVX-512 and NEON that
// copy, fill, gather, shuffle, transpose and convert strided memory, and the door to them: Go
// functions that call C by cgo.
//
// The door checks nothing. What C is handed are structs without pointers, whose layout layout.h
// declares. Go declares the same structs in package slice1/internal/program, and its test writes
// layout.h. The caller guarantees that the host has the instructions of the set, that every element
// lies in its buffer, and that no element of the destination shares a byte with one of the source.
// C keeps no pointer after a call and does not call Go.
//
// Package csrc is for slice1 alone and promises no compatibility: use slice1, which checks what
// this package does not. If cgo is off, under the tag purego, and on architectures other than amd64
// and arm64, [Built] reports false for every set, and the other functions panic.
package csrc
