package slice1

import "time"

// Option changes how a plan is made and runs. The zero Option changes nothing.
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
// NewPlan and Copy return ErrKernel if this host cannot run that one. Without the
// option, and for the name "", a plan takes the kernel that SLICE1_KERNEL names or else
// the one whose estimated cost is least; under the race detector that is "go".
func WithKernel(name string) Option { return Option{name: name, set: setKernel} }

// WithParallelism lets a plan use at most n goroutines, the caller's included;
// 1 is the caller's alone. 0, the default, means GOMAXPROCS as it is when the plan
// is made, and a larger n means no more. A slice of less than 4 MiB of output uses
// one goroutine whatever n is, and no slice uses more goroutines than it has parts.
// A negative n is taken as 0.
func WithParallelism(n int) Option { return Option{parallelism: n, set: setParallelism} }

// WithStreaming sets the bytes of output from which on a plan uses non-temporal stores, if a
// kernel that it may use has loops with them for the slice. 0, the default, uses them where the
// slice is estimated to cost less with them on this processor; a negative number turns them off.
// A slice of at most 256 KiB of output does not use them whatever the number is. Non-temporal
// stores write whole lines to memory without reading them first, and leave none of them in the
// caches.
func WithStreaming(from int64) Option { return Option{streaming: from, set: setStreaming} }

// WithCandidate makes the plan run the named candidate, one of those that [Plan.Candidates]
// lists for the same plan without this option, or under the race detector one that it would list
// in another build. NewPlan returns ErrKernel for any other name, but "" is no candidate and
// changes nothing. The option is for tests and benchmarks: names may change from version to
// version. [Copy] allocates with it.
func WithCandidate(name string) Option { return Option{name: name, set: setCandidate} }

// WithMeasure lets NewPlan race candidates instead of trusting their estimates, for about
// budget at most: the choice by estimate and the cheapest others, at most four in all, take
// turns on memory of NewPlan's own, and the plan runs by the fastest. The choice does not
// change what a run writes. A budget of 0, the default, or less means no race; 5 ms are enough
// for most slices.
//
// Three sorts of candidates take no part: those of another kernel than the one that [WithKernel]
// or SLICE1_KERNEL names; those that use non-temporal stores where the choice by estimate does
// not, or the reverse; and under the race detector, if no kernel is named, those of all kernels
// but "go". With [WithCandidate], and where a single candidate is left, nothing is run.
//
// The memory is at most 64 MiB, and at most a byte for each nanosecond of the budget; the
// garbage collector frees it. Where a slice needs more, or its runs would take too long, a part
// of it is raced. Where the budget does not allow one turn of each candidate, the plan is as
// without WithMeasure. The option adds no errors.
//
// The process remembers the results of the 1,024 shapes that were used last: the next plan of
// the same loops, strides, kernels, number of goroutines and [WithStreaming] takes the winner at
// once, whatever its budget. Any number of goroutines may make plans at once; races go one
// at a time, so that none disturbs another, and waiting for one is part of the budget.
// [Copy] with this option makes a plan as NewPlan does, and allocates.
func WithMeasure(budget time.Duration) Option { return Option{budget: budget, set: setMeasure} }

type config struct {
	kernel      string
	candidate   string
	parallelism int
	streaming   int64         // bytes of output from which on stores are non-temporal; 0 for the default, negative for never
	budget      time.Duration // of a race; none is held if it is not positive
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
