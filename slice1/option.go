package slice1

// Option changes how a plan runs. The zero Option changes nothing.
type Option struct {
	kernel      string
	parallelism int
	streaming   int64
	set         optionField
}

type optionField uint8

const (
	setKernel optionField = 1 + iota
	setParallelism
	setStreaming
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

// WithStreaming makes a plan store its output past the caches if it copies at
// least from bytes, where its kernel can: whole lines then go to memory without
// being read first, and who reads them next finds them there. 0, the default, is
// half of the processor's third-level cache, but at most 32 MiB and that where its
// size is unknown; a negative from is never. Outputs of up to 256 KiB always go
// through the caches.
func WithStreaming(from int64) Option { return Option{streaming: from, set: setStreaming} }

type config struct {
	kernel      string
	parallelism int
	streaming   int64 // bytes from which on; never 0
}

func configure(opts []Option) config {
	c := config{streaming: streamBytes}
	for _, o := range opts {
		switch o.set {
		case setKernel:
			c.kernel = o.kernel
		case setParallelism:
			c.parallelism = max(0, o.parallelism)
		case setStreaming:
			c.streaming = o.streaming
			if o.streaming == 0 {
				c.streaming = streamBytes
			}
		}
	}
	return c
}
