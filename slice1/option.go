package slice1

// Option changes how a plan runs. The zero Option changes nothing.
type Option struct {
	name        string // of a kernel or a candidate
	parallelism int
	streaming   int64
	set         optionField
}

type optionField uint8

const (
	setKernel optionField = 1 + iota
	setParallelism
	setStreaming
	setCandidate
)

// WithKernel makes the plan use exactly the named kernel, one of [Kernels];
// NewPlan returns ErrKernel where it can not. Without it, and for the name
// "", a plan takes the one SLICE1_KERNEL names or else the fastest for its work.
func WithKernel(name string) Option { return Option{name: name, set: setKernel} }

// WithParallelism lets a plan use up to n goroutines, the caller's included
// and never more than GOMAXPROCS; 1 is the caller's alone. 0, the default,
// takes as many as pay, and more than one only for several MiB of output.
// A negative n is taken as 0.
func WithParallelism(n int) Option { return Option{parallelism: n, set: setParallelism} }

// WithStreaming sets the bytes of output from which on a plan uses non-temporal stores,
// if its kernel has them. 0, the default, means half of the third-level cache, at most
// 32 MiB, also if its size is unknown, and less for transposed views; a negative number
// turns them off. Outputs of at
// most 256 KiB never use them. Whole lines then go to memory without being read first,
// and whoever reads the output next finds it there.
func WithStreaming(from int64) Option { return Option{streaming: from, set: setStreaming} }

// WithCandidate makes the plan exactly the named candidate, one of [Plan.Candidates] of
// the same plan without it; NewPlan returns ErrKernel if there is none. It is for tests
// and benchmarks: names may change from version to version. [Copy] allocates with it.
func WithCandidate(name string) Option { return Option{name: name, set: setCandidate} }

type config struct {
	kernel      string
	candidate   string
	parallelism int
	streaming   int64 // bytes from which on, 0 for the default
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
		}
	}
	return c
}
