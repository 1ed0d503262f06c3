// Package outofcore slices arrays that do not fit in memory.
//
// It cuts the output of a slice into boxes. The input and the output of a box have a bounded number
// of bytes. It reads the input of each box, slices it in memory, and writes the result to its place
// in a file or, if the output is a stream, in order. Where neighbours in the output are far apart
// in the input, boxes have long stretches in both, so that a few system calls move many bytes each.
//
// The package opens and names no files: its callers give it an [io.ReaderAt] that holds
// the elements of the input, and an [io.WriterAt] or an [io.Writer] for the output.
package outofcore
