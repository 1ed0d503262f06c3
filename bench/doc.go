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
//   - every kernel of [slice1.Kernels] that can run here, as a prepared plan;
//   - dml: a prepared plan with the library's own choice of kernel, which the
//     table shows in brackets;
//   - oneshot: [slice1.CopyBytes], which validates, plans and runs;
//   - numpy, onnxruntime: numpy.copyto on prepared views, and, if input and output are
//     packed, a session of one Slice node with bound buffers, in a child process that
//     times its own loop on arrays of its own of the same bytes, shapes and strides;
//   - libyuv, volk, fftw: the function of that library in C that does the same, if it
//     has one, repeated by a loop in C: unlike dml's kernels in C, it pays no call from Go
//     for each slice.
//
// Before the times of a row are taken, every contender's output is compared with what the
// operator's formula gives, the bytes between output elements included. A
// difference ends the program. -regret does the same, except for Copy with -once.
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
// Plans and Copy run 128 times before they are timed, or for about a second, so that they have
// learned.
//
// # Figures
//
// A figure is a median over rounds, and ± how far the median's 95 % confidence
// interval reaches from it, ∞ where there are fewer than six rounds. Ratios are
// medians of the ratios within each round, so that what slows down a whole round
// cancels. Above 1, the contender of the line is faster than the one of the column.
// GB/s count output bytes, 1e9 to the GB.
//
// Times are those of the measuring thread, on Linux without what other programs take of its
// processor. All processes measure in turns, on Linux on the same processor, on buffers that begin
// at the same addresses modulo 2 MiB, on Linux in pages of 2 MiB if the system has them.
//
// # Random slices
//
// With -regret, the program asks how good the library's choice is once a plan has learned. It draws
// slices of rank 1 to 6 with outputs of 256 bytes to 8 MiB, sizes even on a logarithmic scale.
// About half of the inputs have their axes permuted in memory, and about a third of the outputs
// strides of their own, mostly with gaps. Most windows have strides other than 1, negative ones
// among them. -seed and -slices say which slices and how many for each seed; a seed gives the same
// slices everywhere. Every second slice runs on one pair of buffers (hot), the others on buffers in
// rotation, which take 256 MiB together (cold).
//
// A plan runs 128 times, and what it would run without learning 128 times as well. If it has not
// settled by then, it runs on until it has. A pass of a few short turns finds the best of all
// candidates. Then the plan, another plan that shares what was learned (itself: the noise), the
// best candidate, and with -against the best candidate of another checkout's library, in a process
// of its own, take turns on the same buffers. The environment variables SLICE1_KERNEL, SLICE1_LEARN
// and DML_CPU hold for the plan.
//
// Lines are in Go's benchmark format, for hot and cold buffers, by the time of a run; the
// iterations of a line are its slices. Ratios below 1 count as 1, except those of against-x:
//
//   - best-x, noise-x: the geometric mean of the plan's time over that of the best candidate, and of itself;
//   - best-slow-%, noise-slow-%: the share of slices in which that ratio is above 1.15;
//   - above-x, above-slow-%: the quotient of the means, and the difference of the shares;
//   - against-x: the geometric mean of the plan's time over that of the other checkout's best candidate;
//     against-above-x and against-above-slow-% are what above-x and above-slow-% are for the best;
//   - first-x: the geometric mean of what the first runs took, over as many without learning;
//   - first-p99-x, fixed-p99-x: the 99th percentile of a single one of these runs with and without learning, as
//     a multiple of the median without;
//   - unsettled-%: the share of slices whose plan needed more runs to settle.
//
// The ten slices of the greatest ratio follow. With -once, the slices have 1 to 16 MiB of output,
// all are cold, and Copy runs each of them once, in a process that has not met it; the best
// candidate runs right before and after.
//
// With -o DIR, the slices are written to DIR/slices.txt, one a line, for programs that measure
// other libraries, what was measured of each to DIR/regret.txt, and the times of all candidates to
// DIR/hot.jsonl and DIR/cold.jsonl, from which the planner's costs can be fitted.
//
// # Permutations
//
// With -cases, the table has the permutations listed in a file instead of works. The column "size"
// has the rank, which is the number of axes left once axes that continue each other are joined. A
// line of a list is
//
//	TYPE PERM SIZES [order=F] [in=SPACINGS] [out=SPACINGS]
//
// with an element type (float64) or its bytes (8), a permutation and sizes, numbers
// separated by commas. Axis i of the output is axis PERM[i] of the input, which has these
// SIZES. Input and output are row-major, with order=F column-major. SPACINGS has a number for
// each axis: with n, the tensor takes every n-th element along this axis of an array that is
// n times as large. What follows # is a comment. The lists in ../testdata/permutations name their
// sources:
//
//	go -C bench run . -cases ../testdata/permutations/xla.txt -kernels dml
//
// # Two commits
//
// The lines that -o writes of two commits are compared by benchstat. Where a machine is not steady
// enough for that, both libraries take turns in one run. With -against PROGRAM, another build of
// this program is started, and its choice is one more contender of the table, its best candidate
// one of -regret. This library's choice runs in a process of its own, too. In folder bench, a build
// with the library of a commit is made by
//
//	git worktree add ../../old 14bcb9c
//	sed 's,=> ../$,=> ../../old,' go.mod >../../old.mod && cp go.sum ../../old.sum
//	go build -mod=mod -modfile ../../old.mod -o ../../old-bench .
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
// S is 4 KiB of output (first-level cache), M 512 KiB (second-level cache), L 64 MiB (memory); a
// number is bytes. Shapes are made to come near the size. A work that has no slice of so few bytes,
// and one whose input would be beyond 1 GiB, is left out. The column "bytes" has the truth. L takes
// minutes, and so has to be asked for.
//
// # Output
//
// The last lines are geometric means over the rows. With -o DIR, the table's measurements are
// written to DIR/bench.txt in Go's benchmark format, one line per contender and round, for
// benchstat:
//
//	benchstat -col /kernel -filter '/width:1 /size:M' DIR/bench.txt
//
// The script plot.py draws throughput by stride and by size from that file.
//
// # Benchmarks
//
// Benchmarks of package testing stand beside the program:
//
//	go test -run - -bench Addresses      buffers that are near each other modulo 1 MiB
//	go test -run - -bench Orient -cpu 1  orientations of pictures beside disintegration/imaging
//	go test -run - -bench Pictures       pictures that become tensors beside loops; pictures.py has more
package main
