// Command bench measures the library on the shapes people slice, beside the
// code it replaces and the libraries it competes with.
//
// Each row of the table is one way to slice, with elements of one width and an
// output of about one size. Its contenders take turns in every round, one after
// another, each on one thread. The table has a line for each of them:
//
//   - naive: the loops a Go programmer writes first. One loop for each axis that
//     is left once axes of one element are dropped and axes that continue each other
//     are joined, the innermost over elements, or Go's copy if these are adjacent in the
//     source and in the destination;
//   - cc: if one loop is left, of a source stride of up to 16 elements either way or of 64,
//     and the output is packed, the same loop in C with the stride known to the
//     compiler, as it vectorises it at -O3, for AVX2 on amd64;
//   - every kernel of [slice1.Kernels] that can run here, as a prepared plan, or that of
//     the environment variable SLICE1_KERNEL alone;
//   - dml: a prepared plan with the library's own choice of kernel, which the
//     table shows in brackets;
//   - oneshot: [slice1.Copy], which validates, plans and runs;
//   - numpy, onnxruntime: numpy.copyto on prepared views, and, if input and output are
//     packed, a session of one Slice node with bound buffers, in a child process that
//     times its own loop on arrays of its own of the same bytes, shapes and strides;
//   - libyuv, volk, fftw: the function of that library in C that does the same, if it
//     has one, repeated by a loop in C: unlike dml's kernels in C, it pays no call from Go
//     for each slice.
//
// Before the times of a row are taken, every contender's output is compared with what the
// operator's formula gives, the bytes between output elements included. A
// difference ends the program. Other modes do the same, except -crowd.
//
// # Peers
//
// The last five are peers. The column "x peer" names the fastest one of the row, and says how
// many times as fast the contender is. Peers are found when the program runs (Debian has
// python3-numpy, libyuv-dev, libvolk2-dev and libfftw3-dev; those in C need cgo on Linux). The
// first line has the versions of those that are there and the names of those that are not.
// -peers=libyuv,numpy takes these alone and fails if one is missing.
//
// libyuv copies, mirrors and transposes planes, takes the alpha channel, the other three, and
// reverses their order; it knows bytes, and pixels of 2 to 4 bytes. VOLK takes the real parts of
// complex numbers, hence every second element of 1, 2 or 4 bytes. What FFTW does is a transform of
// rank 0, which copies elements of 4 and 8 bytes with any strides, planned by FFTW_MEASURE.
//
// With -measure DURATION, dml's plans are made with [slice1.WithMeasure] of that budget,
// in all modes that have dml; how long they take to be made is not part of any figure.
//
// Five flags choose another mode than the table: -regret, -cases, -against, -addresses
// and -crowd.
//
// # Figures
//
// A figure is a median over rounds, and ± how far the median's 95 % confidence
// interval reaches from it, ∞ where there are fewer than six rounds. Ratios are
// medians of the ratios within each round, so that what slows down a whole round
// cancels. Above 1, the contender of the line is faster than the one of the column.
// GB/s count output bytes, 1e9 to the GB.
//
// Times are those of the measuring thread, on Linux without what other programs
// take of its processor; those of the plot by number of goroutines are of the wall
// clock. All processes measure in turns, on Linux on the same processor, on buffers that
// begin at the same addresses modulo 2 MiB, on Linux in pages of 2 MiB if the system has
// them.
//
// # Random slices
//
// With -regret, the program asks how good the library's choice is. It draws slices of
// rank 1 to 6 with outputs of 256 bytes to 4 MiB, sizes even on a logarithmic scale.
// About half of the inputs have their axes permuted in memory, and about a third of the
// outputs strides of their own, mostly with gaps. Most windows have strides other than 1,
// negative ones among them. -seed and -slices say which slices and how many for each seed;
// a seed gives the same slices everywhere.
//
// The choice is compared with the best of a reference set: every kernel by name, every
// other candidate that the planner weighed, and with -against the library of another checkout.
// A first pass of a few short turns each finds the best. A second pass races it and the
// choice, in turns, so that the luck of the first pass does not count. The choice is
// raced with itself as well, another plan of the same options: this is the noise floor.
//
// The regret of a slice is the time of the choice over that of the best reference, a
// ratio below 1 counted as 1. The report has the mean, the share above 1.15, the 99th
// percentile and the worst, for the regret and for the floor. For the regret above the
// floor it has means and shares less those of the floor, and the percentile divided by the
// floor's. For each peer and the other checkout it has the geometric mean of the ratios, the
// share of slices in which they are faster, and the worst ratio. Then come the ten worst slices.
//
// With -o DIR, the slices are written to DIR/slices-SEED.txt, one a line, for programs that
// measure other libraries, and the ratios, those below 1 too, to DIR/regret.tsv.
//
// # Permutations
//
// With -cases, the program measures the permutations listed in a file: the choice, naive,
// NumPy and FFTW. Columns say how many times as fast the choice is as each of the other three, and
// as memcpy of the roofline; geometric means follow by rank, which is the number of axes left
// once axes that continue each other are joined. A line of a list is
//
//	TYPE PERM SIZES [order=F] [in=SPACINGS] [out=SPACINGS]
//
// with an element type (float64) or its bytes (8), a permutation and sizes, numbers
// separated by commas. Axis i of the output is axis PERM[i] of the input, which has these
// SIZES. Input and output are row-major, with order=F column-major. SPACINGS has a number for
// each axis: with n, the tensor takes every n-th element along this axis of an array that is
// n times as large. If there are more than eight axes, those that continue each other
// are joined. What follows # is a comment. The lists in ../testdata/permutations name their
// sources:
//
//	go -C bench run . -cases ../testdata/permutations/xla.txt
//
// # Another checkout
//
// With -against DIR, the program builds itself with the library in DIR, a path as seen from
// where it runs, and starts the result, which slices by its own choice. The table's cells are
// then measured by both libraries' choices, each in a process of its own: "x speed" is how
// many times as fast this library is. The geometric mean follows. Cells in which this library is
// slower by more than 5 % are measured again, and listed if it is so both times. -measure is for
// this library alone. A slower library does not make the program fail. -regret and -cases take the
// other library as one more contender. The environment variable GO names the go command that
// builds.
//
// # Addresses
//
// With -addresses, the program measures what it costs if source and destination are near
// each other modulo 4 KiB or more: processors compare some low bits of the addresses of
// loads with those of the stores before them, and take equal ones for a dependence. A
// column is a distance in bytes, and how many times as long a slice takes there as it does by
// median over all distances. The bits that count are physical ones, which no program chooses,
// so that each distance is measured at 64 places, 4 KiB apart; the slowest counts.
//
// # Crowds
//
// With -crowd, 64 goroutines slice 64 MiB each on 2 processors, by each kernel in turn,
// and one that has nothing to do with them sleeps a millisecond at a time. The columns say how
// much longer it sleeps, by median, 99th percentile and at most: calls into C could make that
// long. The first line, idle, is without the 64. Threads are those that the runtime has created
// since the program began.
//
// # Roofline
//
// A slice cannot be faster than memory lets it read and write the cache lines
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
// slice whose input would be beyond 1 GiB gets less output, and a work that has no slice
// of so few bytes is left out. The column "bytes" has the truth. L needs 4 GiB
// of memory and a quarter of an hour for all works, and so has to be asked for.
//
// # Output
//
// With -o DIR, the mode of the table writes what it measured in Go's benchmark format, one
// line per contender and round, for benchstat:
//
//	benchstat -col /kernel -filter '/width:1 /size:M' DIR/bench.txt
//
// It also measures figures and draws them into DIR, as SVG and PNG: throughput by stride, by
// size, by kernel, and by number of goroutines.
//
// The command pictures, in a folder of its own, measures orientations of pictures beside
// disintegration/imaging, and NHWC to NCHW beside NumPy. The command folder measures the
// command slice1 on many small files.
//
// The script mca/mca estimates the NEON kernels' cycles from models of some cores,
// on a machine that has none of them.
package main
