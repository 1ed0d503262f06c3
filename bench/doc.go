// Command bench measures the library on the shapes people slice, beside the code it replaces and
// the libraries it competes with. README.md has the tables that were measured.
//
// Each row of the table is one way to slice, with elements of one width and an output of about one
// size. Its contenders take turns in every round, each on one thread. The table has a line for
// each:
//
//   - naive: the loops a Go programmer writes first, one for each axis that is left once axes of
//     one element are dropped and axes that continue each other are joined, the innermost over
//     elements, or Go's copy if these are adjacent in the source and in the destination;
//   - cc: if one loop is left, of a source stride of up to 16 elements either way or of 64, and the
//     output is packed, the same loop in C with the stride known to the compiler, as it vectorises
//     it at -O3, for AVX2 on amd64;
//   - every kernel of [slice1.Kernels] that can run here, as a prepared plan;
//   - dml: a prepared plan with the library's own choice of kernel, which is in brackets;
//   - oneshot: [slice1.CopyBytes], which validates, plans and runs;
//   - numpy, onnxruntime: numpy.copyto on prepared views, and, if input and output are packed, a
//     session of one Slice node with bound buffers, in a process that times its own loop;
//   - libyuv, volk, fftw, hptt: the function of that library in C that does the same, if it has
//     one, repeated by a loop in C: unlike dml's kernels in C, it pays no call from Go.
//
// Every contender's output is compared with what the operator's formula gives, the bytes between
// output elements included, before it is timed. A difference ends the program. Plans and Copy run
// before that as often as -runs says, to learn.
//
// # Peers
//
// The last six are peers. They are found when the program runs (Debian has python3-numpy,
// libyuv-dev, libvolk2-dev and libfftw3-dev, hptt/plans.cc says how HPTT is built; those in C need
// cgo on Linux). The first line has the versions of those that are there and the names of those
// that are not. -peers=libyuv,numpy takes these alone and fails if one is missing. libyuv knows
// pixels of 1 to 4 bytes, VOLK every second element of 1, 2 or 4 bytes. FFTW, planned by
// FFTW_MEASURE, copies elements of 4 and 8 bytes with any strides; HPTT permutes packed arrays of
// them.
//
// # Figures
//
// A figure is a median over rounds, and ± how far the median's 95 % confidence interval reaches
// from it, ∞ where there are fewer than six rounds. Ratios are medians of the ratios within each
// round. Above 1, the contender of the line is faster than the one of the column. "x peer" names
// the fastest peer of the row; "first" is the mean of the first runs over the figure; "roof" is the
// time of the roofline over the figure. GB/s count output bytes, 1e9 to the GB. The last lines of
// the table are geometric means over its rows.
//
// The roofline is memcpy (in C; Go's copy without cgo) of (r+w)*64/2 bytes between the beginnings
// of the same buffers, in the same rounds, where r and w are the numbers of distinct 64-byte lines
// in which input elements taken and output elements lie. As memcpy reads as much as it writes,
// slices that mostly read may pass 1; in the first-level cache few come near it.
//
// Times are those of the measuring thread, on Linux without what other programs take of its
// processor. All processes measure in turns, on the same processor, on buffers that begin at the
// same addresses modulo 2 MiB, in pages of 2 MiB where there are.
//
// # Sizes
//
// S is 4 KiB of output (first-level cache) and M 512 KiB (second-level cache). L is memory: 64 MiB,
// or twice the last-level cache that the system reports if that is more, but at most 1 GiB; the
// first line says what it is. A number is bytes. A work that has no slice of so few bytes, and one
// whose input would be beyond 1 GiB and beyond 4 L, is left out. The column "bytes" has the truth.
//
// # Permutations
//
// With -cases, the table has the permutations listed in a file instead of works, as they are, or
// with -sizes each of such a size: then the longest axis is cut or continued. The column "size" has
// the rank, which is the number of axes left once axes that continue each other are joined. A line
// is
//
//	TYPE PERM SIZES [order=F] [in=SPACINGS] [out=SPACINGS]
//
// with an element type (float64) or its bytes (8), a permutation and sizes, numbers separated by
// commas. Axis i of the output is axis PERM[i] of the input, which has these SIZES. Input and
// output are row-major, with order=F column-major. With n in SPACINGS for an axis, the tensor takes
// every n-th element along it of an array that is n times as large. What follows # is a comment.
// The lists in ../testdata/permutations name their sources.
//
//	go -C bench run . -cases ../testdata/permutations/hptt.txt -sizes L -runs 16 -kernels dml -peers=hptt
//
// # Random slices
//
// With -regret, the program asks how good the library's choice is once a plan has learned. It draws
// slices of rank 1 to 6 with outputs of 256 bytes to 8 MiB, sizes even on a logarithmic scale, and
// -large of L to 1.5 L, of one to five loops in turn. About half of the inputs have their axes
// permuted in memory, about a third of the outputs strides of their own, mostly with gaps, and most
// windows strides other than 1. Every second slice runs on one pair of buffers (hot), the others in
// rotation on 256 MiB, or on two pairs if these are more (cold). A seed gives the same slices.
//
// A plan runs 128 times, of size L 16, and what it would run without learning as often. If it has
// not settled by then, it runs on until it has, but not of size L. A pass of short turns finds the
// best of all candidates. Then the plan, another plan that shares what was learned (itself: the
// noise), the best candidate, and with -against the best candidate of another checkout's library,
// in a process of its own, take turns on the same buffers. SLICE1_KERNEL, SLICE1_LEARN and DML_CPU
// hold for the plan. At an L of 64 MiB this takes 1.5 GiB of memory, with -against 3 GiB.
//
// Lines are in Go's benchmark format, for hot and cold buffers, by the time of a run, for all and
// for size L; their iterations are slices. Ratios below 1 count as 1, except in against-x:
//
//   - best-x, noise-x: the mean of the plan's time over that of the best candidate, and of itself;
//   - best-slow-%, noise-slow-%: the share of slices of a ratio above 1.15;
//   - above-x, above-slow-%: the means' quotient, and the shares' difference;
//   - against-x, against-above-x, against-above-slow-%: the same for the other checkout's best;
//   - first-x: the time of the first runs over that of as many without learning;
//   - first-settled-x: the same over runs of a plan that has settled;
//   - first-p99-x, fixed-p99-x: the 99th percentile of a single one of these runs with and without
//     learning, over the median without;
//   - unsettled-%: the share of slices whose plan needed more runs to settle.
//
// The ten slices of the greatest ratio follow. With -once, the slices have 1 to 16 MiB of output,
// all are cold, and Copy runs each of them once, in a process that has not met it; the best
// candidate runs right before and after.
//
// # Files
//
// With -o DIR, the table goes to DIR/bench.txt in Go's benchmark format, one line per contender and
// round, for benchstat and plot.py. -regret writes the slices to DIR/slices.txt, what was measured
// of each to DIR/regret.txt, and the times of all candidates to DIR/hot.jsonl, DIR/cold.jsonl and,
// of size L, DIR/large.jsonl, from which the planner's costs can be fitted.
//
// # Two commits
//
// With -against PROGRAM, another build of this program is started, and its choice is one more
// contender of the table, its best candidate one of -regret: both libraries take turns in one run.
// In folder bench, a build with the library of a commit is made by
//
//	git worktree add ../../old 14bcb9c
//	sed 's,=> ../$,=> ../../old,' go.mod >../../old.mod && cp go.sum ../../old.sum
//	go build -mod=mod -modfile ../../old.mod -o ../../old-bench .
//
// Benchmarks of package testing stand beside the program: Addresses, Orient, Frame, Pictures,
// Conversions. pictures.py prints a table of the last two beside other libraries.
package main
