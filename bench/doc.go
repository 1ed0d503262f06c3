// Command bench measures the library on the shapes people slice, beside the
// code it replaces and the libraries it competes with.
//
// Each row of the table is one way to slice, with elements of one width and an
// output of about one size. On the same buffers, in turns, one after another in
// every round, run its contenders, all on one goroutine:
//
//   - naive: the loops a Go programmer writes first. One loop for each axis that
//     is left once axes that continue each other are joined, the innermost over
//     elements, or Go's copy where these are adjacent on both sides;
//   - cc: for a constant stride, the same loop in C with the stride known to
//     the compiler, as it vectorises it at -O3, for AVX2 on amd64;
//   - every kernel of [slice1.Kernels] that can run here, as a prepared plan;
//   - dml: a prepared plan with the library's own choice of kernel, which the
//     table shows in brackets;
//   - oneshot: [slice1.Copy], which validates, plans and runs;
//   - numpy, onnxruntime: numpy.copyto on prepared views, and a session of one
//     Slice node with bound buffers, in a child process that times its own loop
//     on arrays of its own of the same bytes, shapes and strides.
//
// Before any time is taken, every contender's output is compared with what the
// operator's formula gives, the bytes between output elements included. A
// difference ends the program.
//
// # Figures
//
// A figure is a median over rounds, and ± how far the median's 95 % confidence
// interval reaches from it, ∞ where there are fewer than six rounds. Ratios are
// medians of the ratios within each round, so that what slows down a whole round
// cancels; above 1, this contender is the faster one. GB/s count output bytes,
// 1e9 to the GB.
//
// # Roofline
//
// A slice can not be faster than memory lets it read and write the cache lines
// it touches. The roofline of a row is memcpy (of the C library, called in a
// loop in C; Go's copy without cgo) of (r+w)*64/2 bytes between the beginnings
// of the same buffers, in the same rounds, where r and w are the numbers of
// distinct 64-byte lines in which input elements taken and output elements lie:
// it reads and writes, in all, as many lines as the slice. "roof" is the time of
// the roofline over that of the contender. As memcpy reads as much as it
// writes, slices that mostly read may pass 1; in the first-level cache, where
// shuffling bounds a kernel and not memory, few come near it.
//
// # Sizes
//
// S is 4 KiB of output (first-level cache), M 512 KiB (second-level cache), L
// 256 MiB (memory); a number is bytes. Shapes are made to come near the size; a
// slice whose input would be beyond 1 GiB gets less output, and one that can not
// be made so small is left out. The column "bytes" has the truth. L needs 4 GiB
// of memory and a quarter of an hour for all works, and so has to be asked for.
//
// # Output
//
// With -o, the program writes what it measured in Go's benchmark format, one
// line per contender and round, for benchstat:
//
//	benchstat -col /kernel -filter '/width:1 /size:M' DIR/bench.txt
//
// and also measures and draws, as SVG and PNG: throughput by stride, by size, by
// kernel, and by number of goroutines.
//
// The script mca/mca estimates the NEON kernels' cycles from models of some cores,
// on a machine that has none of them.
package main
