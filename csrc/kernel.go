package csrc

// Kernel is one build of the C kernels, for one instruction set.
type Kernel struct {
	Name string // the instruction set: "avx2", "avx512" or "neon"
	isa  int32  // its place in C's list
}
