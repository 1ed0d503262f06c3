package csrc

// Stream says how a kernel stores the output.
type Stream int32

const (
	Cached    Stream = iota // into the caches
	Past                    // past the caches, where that pays; the source is fetched ahead into the second-level cache
	PastNear                // the same, but rows to copy are fetched ahead into the first-level cache
	PastShort               // the same, but a few lines ahead and no more where the source has no gaps, or narrow ones, which are fetched too
)

// Kernel is one build of the C kernels, for one instruction set.
type Kernel struct {
	Name string // the instruction set: "avx2", "avx512" or "neon"
	isa  int32  // its place in C's list
}
