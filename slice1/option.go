package slice1

import (
	"encoding/binary"
	"time"

	"github.com/seed2e45c115/dml/slice1/internal/engine"
)

// Option changes how a plan is made and runs. The zero Option changes nothing. If several options
// of one kind are given, the last one counts.
type Option engine.Option

// WithKernel makes the plan use the named kernel. The error is ErrKernel if this build does not
// have the kernel or this host cannot run it. "" is the default: the kernel that SLICE1_KERNEL
// names or, without that variable, the fastest one. Under the race detector, which does not see
// into C, the default is "go" in place of the fastest. A kernel in C has no loops for some numbers,
// and Go makes these, also if the kernel is asked for by name: with Zero or Divide of an [Affine],
// where Float64 or wide integers become samples of a 16-bit picture, and float16 on amd64 without
// F16C.
func WithKernel(name string) Option { return Option(engine.WithKernel.Text(name)) }

// WithParallelism lets a plan use at most n goroutines, including the caller's. The default, 0 or
// less, is GOMAXPROCS when the plan is made. An n above GOMAXPROCS is the same as the default.
// Slices with less than 4 MiB of output use one goroutine.
func WithParallelism(n int) Option { return Option(engine.WithParallelism.Number(int64(max(0, n)))) }

// WithStreaming makes a plan use non-temporal stores if its output has at least minBytes bytes and
// more than 256 KiB. These stores do not read a cache line first and leave none in the caches. With
// the default, 0, runs decide for outputs of four second-level caches and more, and before them an
// estimate by a program's share of the last-level cache.
// With a negative number, a plan never uses non-temporal stores.
func WithStreaming(minBytes int64) Option { return Option(engine.WithStreaming.Number(minBytes)) }

// WithCandidate makes the plan run the candidate with this name. [Plan.Candidates] lists the names,
// for the plan without this option or with [WithKernel] in its place. Another name is ErrKernel,
// and "" changes nothing. The option is for tests and benchmarks.
func WithCandidate(name string) Option { return Option(engine.WithCandidate.Text(name)) }

// WithMeasure lets NewPlan learn for about the given time, on at most 64 MiB of scratch memory. If
// it does not finish, runs go on learning. 5 ms are enough for most slices. The default, 0 or less,
// measures nothing. NewPlan does not measure a slice with more bytes than the budget has
// nanoseconds. It measures one slice at a time in a process: plans that are made meanwhile are not
// measured. If SLICE1_LEARN turns learning off, none is. With [WithCandidate] or [WithLearning] of
// false the error is [errors.ErrUnsupported], since such plans do not learn.
func WithMeasure(budget time.Duration) Option {
	return Option(engine.WithMeasure.Number(int64(budget)))
}

// WithLearning(false) makes runs go by estimates alone. They are not timed, and the times of other
// plans do not count. SLICE1_LEARN=off, 0 or false does the same for all plans; on, 1, true or no
// value changes nothing.
func WithLearning(enabled bool) Option { return Option(engine.WithLearning.Number(number(enabled))) }

// WithNumbers sets the type that is written: it makes elements numbers of type dstType. d is the
// descriptor of NewPlan or Copy. Each x of d.Input.DataType becomes affine.Scale*x + affine.Bias,
// stored as a number of that type. Both types may be any. d.Output.DataType must equal
// d.Input.DataType. Output.Strides count elements of dstType. Output.TotalSize, if set, must be at
// least [Plan.DstSize] (ErrTotalSize).
//
// Without values in affine, equal types keep their bits, and each x is rounded once: to the nearest
// number of dstType. So integers become integers and Float64 exactly wherever these have the
// number, as with NumPy's astype. With values the steps are [Affine]'s, in float32 or in float64,
// and what they make is rounded once more when it is stored. Float16 and BFloat16 results are
// rounded to the nearest value, ties to even, and become infinite if they are too large: they are
// not saturated. Integer results are rounded in the same way and saturated, and a NaN becomes 0;
// NumPy cuts fractions off and wraps. All kernels and machines give the same bits, except a NaN's
// sign and payload.
//
// The errors of NewPlan and Copy are then also ErrDataType for an unknown dstType, ErrSize for a
// wrong number of values, [errors.ErrUnsupported] for fields of affine that exclude each other, and
// ErrRank if there are several values and affine.Axis is no axis of the
// output: with one value each it is not looked at. A plan keeps no reference to the
// values of affine. If another library has changed how the processor rounds, C kernels convert with
// the default and then restore the change; plain Go does not.
func WithNumbers(dstType DataType, affine Affine) Option {
	return Option(affine.numbers(dstType).Option())
}

// WithByteOrder sets the byte order of the source's elements. The default, nil, is the machine's
// order, in which results are. An order of the caller's own type counts as the machine's if its
// Uint16 reads two bytes like the machine does, and otherwise as the reverse order. Without
// [WithNumbers] a plan reverses the bytes of elements and changes nothing else.
func WithByteOrder(src binary.ByteOrder) Option {
	probe := [...]byte{1, 0}
	swap := src != nil && src.Uint16(probe[:]) != binary.NativeEndian.Uint16(probe[:])
	return Option(engine.WithByteOrder.Number(number(swap)))
}

// number returns 1 for true and 0 for false.
func number(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// KernelInfo describes one kernel of this build.
type KernelInfo struct {
	Name   string // the name for WithKernel: "go", "simd", "avx2", "avx512" or "neon"
	Usable bool   // this host can run it
	Reason string // why it is not usable; "" if it is
}

// CheckEnvironment returns an error if a variable has a value that it does not take: SLICE1_KERNEL,
// for which the error is ErrKernel, SLICE1_LEARN (ErrSyntax) or DML_CPU (ErrKernel). Every plan and
// run without [WithKernel] would then return it, so a service calls CheckEnvironment when it starts
// and does not answer each request with that error. The environment is read once in a process, by
// this function or by the first plan.
func CheckEnvironment() error { return engine.CheckEnvironment() }

// Kernels returns this build's kernels, weakest first; "go" is always usable.
func Kernels() (infos []KernelInfo) {
	for _, k := range engine.Kernels() {
		infos = append(infos, KernelInfo{k.Name, k.Usable, k.Reason})
	}
	return infos
}
