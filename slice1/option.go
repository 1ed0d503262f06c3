package slice1

import "time"

// Option changes how a plan is made and runs. The zero Option changes nothing.
type Option struct {
	name        string // of a kernel or a candidate
	parallelism int
	streaming   int64
	budget      time.Duration
	fixed       bool
	set         optionField
}

type optionField uint8

const (
	setKernel optionField = 1 + iota
	setParallelism
	setStreaming
	setCandidate
	setMeasure
	setLearning
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
// slice takes less time with them and its output does not fit the share of the last-level cache that a
// program may count on, which is taken to be a quarter; a negative number turns them off.
// A slice of at most 256 KiB of output does not use them whatever the number is. Non-temporal
// stores write whole lines to memory without reading them first, and leave none of them in the
// caches.
func WithStreaming(from int64) Option { return Option{streaming: from, set: setStreaming} }

// WithCandidate makes the plan run the named candidate, one of those that [Plan.Candidates]
// lists for the same plan without this option and with any [WithStreaming], or under the race detector one that it would list
// in another build. NewPlan returns ErrKernel for any other name, but "" is no candidate and
// changes nothing. The option is for tests and benchmarks: names may change from version to
// version. [Copy] allocates with it.
func WithCandidate(name string) Option { return Option{name: name, set: setCandidate} }

// WithMeasure lets NewPlan settle which way is the fastest by runs on scratch memory, which take about
// budget at most. If the budget ends first, the runs of the plan go on from there. A budget of 0, the
// default, or less means no such runs; 5 ms are enough for most slices. The scratch memory has at most
// 64 MiB, and at most a byte for each nanosecond of the budget; a slice that needs more, and one that
// does not learn, is not run. Nor is one while another plan is being measured, since they would
// disturb each other. [Copy] with this option makes a plan as NewPlan does, and allocates. The option
// adds no errors.
func WithMeasure(budget time.Duration) Option { return Option{budget: budget, set: setMeasure} }

// WithLearning(false) makes a plan or a Copy run by estimates alone: its runs are not timed, and what
// runs of the same shape have shown counts for nothing. The default is true. The environment variable
// SLICE1_LEARN=off turns learning off for the whole process, and so does a build for the race detector.
//
// Plans that learn time some of their runs: of slices that take at least about 5 microseconds by
// estimate, the ways that are the cheapest by estimate, at most four, take turns until it is
// clear which of them is the fastest in this program, on its buffers. All ways write the same bytes. Learning takes
// about a hundred runs, at most a quarter of the time of these, and at most 50 ms in all. One run at a time
// learns; others that run meanwhile take the best way known so far. A slice of 4 MiB of output or
// more learns in the first parts of its first run, too. What was learned is shared by all plans and
// Copies of the process that have the same loops, strides, kernels, stores and number of goroutines, as
// long as one of them holds it or it is among those used lately (4 MiB of them), and is not kept beyond
// the process. After a thousand times as many runs it is tried again.
func WithLearning(on bool) Option { return Option{fixed: !on, set: setLearning} }

type config struct {
	kernel      string
	candidate   string
	parallelism int
	streaming   int64         // bytes of output from which on stores are non-temporal; 0 for the default, negative for never
	budget      time.Duration // to settle in, on scratch memory; none if it is not positive
	fixed       bool          // estimates alone decide
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
		case setLearning:
			c.fixed = o.fixed
		}
	}
	return c
}
