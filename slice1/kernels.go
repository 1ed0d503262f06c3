package slice1

import "github.com/seed2e45c115/dml/slice1/internal/engine"

// KernelInfo describes one kernel of this build.
type KernelInfo struct {
	Name   string // the name for WithKernel: "go", "simd", "avx2", "avx512" or "neon"
	Usable bool   // this host can run it
	Reason string // why it is not usable; "" if it is
}

// Kernels returns this build's kernels, weakest first; "go" is always usable.
func Kernels() (infos []KernelInfo) {
	for _, k := range engine.Kernels() {
		infos = append(infos, KernelInfo{k.Name, k.Usable, k.Reason})
	}
	return infos
}
