package slice1

// Option changes how a plan runs. The zero Option changes nothing.
type Option struct {
	kernel      string
	parallelism int
	set         optionField
}

type optionField uint8

const (
	setKernel optionField = 1 + iota
	setParallelism
)

// WithKernel makes the plan use exactly the named kernel, one of [Kernels];
// NewPlan returns ErrKernel where it can not. Without it, and for the name
// "", a plan takes the one SLICE1_KERNEL names or else the fastest for its work.
func WithKernel(name string) Option { return Option{kernel: name, set: setKernel} }

// WithParallelism lets a plan use up to n goroutines, the caller's included
// and never more than GOMAXPROCS; 1 is the caller's alone. 0, the default,
// takes as many as pay, and more than one only for several MiB of output.
// A negative n is taken as 0.
func WithParallelism(n int) Option { return Option{parallelism: n, set: setParallelism} }

type config struct {
	kernel      string
	parallelism int
}

func configure(opts []Option) (c config) {
	for _, o := range opts {
		switch o.set {
		case setKernel:
			c.kernel = o.kernel
		case setParallelism:
			c.parallelism = max(0, o.parallelism)
		}
	}
	return c
}
