package slice1

import "time"

// Option changes how a plan runs. The zero Option changes nothing.
type Option struct {
	name        string // of a kernel or a candidate
	parallelism int
	streaming   int64
	budget      time.Duration
	set         optionField
}

type optionField uint8

const (
	setKernel optionField = 1 + iota
	setParallelism
	setStreaming
	setCandidate
	setMeasure
)

// WithKernel makes the plan use exactly the named kernel, one of [Kernels];
// NewPlan returns ErrKernel where it cannot. Without it, and for the name
// "", a plan takes the one SLICE1_KERNEL names or else the fastest for its work.
func WithKernel(name string) Option { return Option{name: name, set: setKernel} }

// WithParallelism lets a plan use up to n goroutines, the caller's included
// and never more than GOMAXPROCS; 1 is the caller's alone. 0, the default,
// takes as many as pay, and more than one only for several MiB of output.
// A negative n is taken as 0.
func WithParallelism(n int) Option { return Option{parallelism: n, set: setParallelism} }

// WithStreaming sets the bytes of output from which on a plan uses non-temporal stores, if its
// kernel has them. 0, the default, uses them where the slice costs less with them on this
// processor; a negative number turns them off. Outputs of at most 256 KiB never use them.
// Non-temporal stores write whole lines to memory without reading them first, and leave none of
// them in the caches.
func WithStreaming(from int64) Option { return Option{streaming: from, set: setStreaming} }

// WithCandidate makes the plan run the named candidate, one of those that [Plan.Candidates]
// lists for the same plan without this option; NewPlan returns ErrKernel for any other name. It
// is for tests and benchmarks: names may change from version to version. [Copy] allocates with
// it.
func WithCandidate(name string) Option { return Option{name: name, set: setCandidate} }

// WithMeasure lets NewPlan race candidates instead of trusting their estimates, for up to
// budget: the choice by estimate and the cheapest others, four in all, take turns on
// memory of NewPlan's own, and the plan is the fastest. Every choice gives the same bytes.
// 0, the default, and less mean no race; 5 ms are enough for most slices.
//
// Three sorts of candidates take no part: those of another kernel than the one that [WithKernel]
// or SLICE1_KERNEL names; those that use non-temporal stores where the choice by estimate does
// not, or the reverse; and under the race detector those in C, unless named. With
// [WithCandidate], and where a single candidate is left, nothing is run.
//
// The memory is at most 64 MiB, and at most a byte for each nanosecond of the budget; the
// garbage collector frees it. Where a slice needs more, or its runs would take too long, a part
// of it is raced. Where the budget does not allow one turn of each candidate, the plan is as
// without WithMeasure. The option adds no errors.
//
// The results of the last 1,024 shapes are remembered as long as the process lives: the next
// plan of the same loops, strides, options and number of goroutines takes the winner at
// once, whatever its budget. Any number of goroutines may make plans at once; races go one
// at a time, so that none disturbs another, and waiting for one is part of the budget.
// [Copy] with this option makes a plan as NewPlan does, which takes the budget the first
// time, and allocates.
func WithMeasure(budget time.Duration) Option { return Option{budget: budget, set: setMeasure} }

type config struct {
	kernel      string
	candidate   string
	parallelism int
	streaming   int64         // bytes of output from which stores are non-temporal, 0 for the default
	budget      time.Duration // for a race, none if not positive
}

func configure(opts []Option) config {
	var c config
	for _, o := range opts {
		switch o.set {
		case setKernel:
			c.kernel = o.name
		case setCandidate:
			c.candidate = o.name
		case setParallelism:
			c.parallelism = max(0, o.parallelism)
		case setStreaming:
			c.streaming = o.streaming
		case setMeasure:
			c.budget = o.budget
		}
	}
	return c
}
