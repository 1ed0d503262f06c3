package slice1

import "time"

// Option changes how a plan is made and runs. The zero Option changes nothing.
type Option struct {
	config
	set optionField // the only one of config's fields that counts
}

type config struct {
	kernel      string
	candidate   string
	parallelism int           // 0 for GOMAXPROCS
	streaming   int64         // bytes of output from which on stores are non-temporal; 0 for the default, negative for never
	budget      time.Duration // to settle in, on scratch memory; none if it is not positive
	fixed       bool          // estimates alone decide
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

// WithKernel makes the plan use the named kernel. The error is ErrKernel if this build has none of the
// name or this host cannot run it. "" is the default: the kernel that SLICE1_KERNEL names or, without that
// variable, the fastest; under the race detector, which does not see into C, it is "go".
func WithKernel(name string) Option { return Option{config{kernel: name}, setKernel} }

// WithParallelism lets a plan use at most n goroutines, the caller's included. 0 or less, the default,
// is GOMAXPROCS when the plan is made; more is the same. Slices of less than 4 MiB of output use one.
func WithParallelism(n int) Option { return Option{config{parallelism: max(0, n)}, setParallelism} }

// WithStreaming sets the bytes of output, more than 256 KiB, from which on a plan uses non-temporal
// stores, which read no line first and leave none in the caches. 0, the default, lets runs decide for
// outputs larger than a program's share of the last-level cache; a negative number is never.
func WithStreaming(from int64) Option { return Option{config{streaming: from}, setStreaming} }

// WithCandidate makes the plan run the candidate of this name, one that [Plan.Candidates] lists for the
// plan without this option. Another name is ErrKernel, and "" changes nothing. It is for tests and
// benchmarks.
func WithCandidate(name string) Option { return Option{config{candidate: name}, setCandidate} }

// WithMeasure lets NewPlan spend about budget on learning, on scratch memory of at most 64 MiB. Runs go on
// learning where it ends. 5 ms are enough for most slices; 0 or less, the default, measures nothing. A slice
// of more bytes than the budget has nanoseconds is not measured, and no slice is while another one is.
func WithMeasure(budget time.Duration) Option { return Option{config{budget: budget}, setMeasure} }

// WithLearning(false) makes runs go by estimates alone: they are not timed, and what others have shown
// does not count. SLICE1_LEARN=off does so for all.
func WithLearning(on bool) Option { return Option{config{fixed: !on}, setLearning} }

func configure(opts []Option) config {
	var c config
	for _, o := range opts {
		switch o.set {
		case setKernel:
			c.kernel = o.kernel
		case setCandidate:
			c.candidate = o.candidate
		case setParallelism:
			c.parallelism = o.parallelism
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
