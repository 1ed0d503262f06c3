// Command bench measures the library on the shapes that people slice, beside the loops that people
// write and beside other libraries. README.md has the measured tables.
//
// Each row of the table is one work, a slice that people make, with elements of one width and an
// output of about one size. -list lists the works. The contenders of a row take turns in every
// round, each on one thread. The table has a line for each contender:
//
//   - naive: the loops that a Go programmer writes first. Axes of one element are dropped and axes
//     that continue each other are joined. There is one loop for each axis that is left. The
//     innermost loop is over elements, or is Go's copy if they are adjacent in the source and in
//     the destination;
//   - every kernel of [slice1.Kernels] that can run here: a prepared plan;
//   - dml: a prepared plan with the library's own choice of kernel. The table names the kernel in
//     brackets;
//   - oneshot: [slice1.CopyBytes], which validates, plans and runs;
//   - numpy, onnxruntime: numpy.copyto on prepared views; and, if input and output are packed, a
//     session of one Slice node with bound buffers. Both run in a process that times its own loop;
//   - libyuv, volk, fftw, hptt: the function of that library in C that does the same, if it has
//     one. A loop in C repeats it, so unlike dml's kernels in C it pays for no call from Go. With
//     -calls it is called from Go, too;
//   - itself: with -calls, the plan of dml once more. Its difference from dml is noise.
//
// Before a contender is timed, its output is compared with the output of a Go loop for each axis,
// including the bytes between output elements. A difference ends the program. Before that, plans
// and Copy run as often as -runs says, to learn.
//
// # Peers
//
// The contenders from numpy to hptt are peers. The program looks for them when it runs. Debian has
// python3-numpy, libyuv-dev, libvolk2-dev and libfftw3-dev, and hptt/plans.cc says how to build
// HPTT. Peers in C need cgo on Linux. The first line has the versions of the peers that are there
// and the names of the missing ones. -peers=libyuv,numpy takes only these and fails if one is
// missing. libyuv knows pixels of 1 to 4 bytes. VOLK takes every second element of 1, 2 or 4 bytes.
// FFTW copies elements of 4 and 8 bytes with any strides, planned by FFTW_MEASURE. HPTT permutes
// packed arrays of such elements.
//
// # Figures
//
// A figure is a median over rounds. ± is how far the median's 95 % confidence interval reaches from
// it, or ∞ if there are fewer than six rounds. Ratios are medians of the ratios within each round.
// Above 1, the contender of the line is faster than the one of the column. "x peer" names the
// fastest peer of the row. "first" is the mean of the first runs divided by the figure. "roof" is
// the time of the roofline divided by the figure. GB/s count output bytes, 1e9 to the GB. The last
// lines of the table are geometric means over its rows, and how many ratios are below 1. A ratio is
// surely below 1 if its confidence interval is, and "x itself" says how many are so by noise alone.
//
// The roofline is a memcpy (in C, or Go's copy without cgo) of (r+w)*64/2 bytes between the
// beginnings of the same buffers, in the same rounds. r is the number of distinct 64-byte lines
// that hold input elements taken, and w the number of lines that hold output elements. memcpy reads
// as much as it writes, so slices that mostly read may pass 1. In the first-level cache few come
// near 1.
//
// Times are the measuring thread's. On Linux they leave out the time that other programs take of
// its processor. All processes measure in turns, on the same processor. Their buffers begin at the
// same addresses modulo 2 MiB, and lie in pages of 2 MiB if the system has them.
//
// # Sizes
//
// S is 4 KiB of output (first-level cache) and M 512 KiB (second-level cache). L is memory: 64 MiB,
// or twice the last-level cache that the system reports if that is more, but at most 1 GiB. The
// first line says what L is. A number is bytes. A work is left out if it has no slice of so few
// bytes, or if its input would be more than 1 GiB and more than 4 L. The column "bytes" has the
// exact size.
//
// # Permutations
//
// With -cases, the table has the permutations listed in a file instead of works. They are taken as
// they are. With -sizes each is brought to that size: its longest axis is cut or continued. The
// column "size" has the rank. The rank is the number of axes that are left once axes that continue
// each other are joined. A line is
//
//	TYPE PERM SIZES [order=F] [in=SPACINGS] [out=SPACINGS]
//
// with an element type (float64) or its bytes (8), and with a permutation and sizes as numbers
// separated by commas. Axis i of the output is axis PERM[i] of the input. The input has these
// SIZES. Input and output are row-major, or column-major with order=F. If SPACINGS has n for an
// axis, the tensor takes every n-th element along that axis of an array that is n times as large. A
// comment begins with #. The lists in ../testdata/permutations name their sources.
//
//	go -C bench run . -cases ../testdata/permutations/hptt.txt -sizes L -runs 16 -kernels dml -peers=hptt
//
// # Random slices
//
// With -cases random, the table has -slices random slices of each seed instead of works. Their
// outputs have three quarters of the size to all of it. With -regret, the program measures how good
// the library's choice is once a plan has learned. It draws slices of rank 1 to 6 with outputs of
// 256 bytes to 8 MiB. Their sizes are even on a logarithmic scale. It also draws -large slices of L
// to 1.5 L, of one to five loops in turn. About half of the inputs have their axes permuted in
// memory. About a third of the outputs have strides of their own, mostly with gaps. Most windows
// have strides other than 1. Every second slice runs on one pair of buffers (hot). The others run
// in rotation on 256 MiB, or on two pairs if these are more (cold). The same seed gives the same
// slices.
//
// A plan runs 128 times, or 16 times for size L. The way that it would run without learning runs as
// often. If the plan has not settled by then, it runs on until it has, except for size L. A pass of
// short turns finds the best of all candidates. Then some contenders take turns on the same
// buffers: the plan, another plan that shares what was learned (itself: the noise), the best
// candidate, and with -against the best candidate of another checkout's library, in its own
// process. SLICE1_KERNEL, SLICE1_LEARN and DML_CPU apply to the plan. If L is 64 MiB, this takes
// 1.5 GiB of memory, or 3 GiB with -against.
//
// Lines are in Go's benchmark format. There is one for hot and for cold buffers, for each range of
// the time of a run, for all slices and for size L. The iterations of a line are slices. Ratios
// below 1 count as 1, except in against-x:
//
//   - best-x, noise-x: the mean of the plan's time divided by the best candidate's time, and by its
//     own;
//   - best-slow-%, noise-slow-%: the share of slices with a ratio above 1.15;
//   - above-x, above-slow-%: the quotient of the means, and the difference of the shares;
//   - against-x, against-above-x, against-above-slow-%: the same for the other checkout's best;
//   - first-x: the time of the first runs divided by the time of as many runs without learning;
//   - first-settled-x: the same, divided by the time of as many runs after the plan has settled;
//   - first-p99-x, fixed-p99-x: the 99th percentile of the times of single runs with learning, and
//     without, divided by the median without learning;
//   - unsettled-%: the share of slices with a plan that needed more runs to settle.
//
// The ten slices with the greatest ratio follow.
//
// # Files
//
// With -o DIR, the table goes to DIR/bench.txt in Go's benchmark format, one line per contender and
// round, for benchstat and plot.py, and the slices of the table to DIR/slices.txt, for programs
// that measure other libraries. -regret writes the figures of each slice to DIR/regret.txt. It
// writes the times of all candidates to DIR/hot.jsonl, DIR/cold.jsonl and, for size L,
// DIR/large.jsonl. The planner's costs can be fitted to these times.
//
// # Two commits
//
// With -against PROGRAM, another build of this program is started. Its choice is one more contender
// of the table, and its best candidate is one more of -regret. So both libraries take turns in one
// run. In folder bench, these commands make a build with the library of a commit:
//
//	git worktree add ../../old 14bcb9c
//	sed 's,=> ../$,=> ../../old,' go.mod >../../old.mod && cp go.sum ../../old.sum
//	go build -mod=mod -modfile ../../old.mod -o ../../old-bench .
//
// The folder also has benchmarks of package testing: Absent, Addresses, Orient, Frame, Float32,
// Tables, Filters, Pictures, Conversions, Resize. turns.py compares commits by them, pictures.py
// prints a table of the last three and of other libraries, and casts.py what libraries make of
// numbers out of range.
package main
