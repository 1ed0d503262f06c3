//go:build !(386 || amd64 || arm64 || loong64 || ppc64le)

package portable

// wordKernels reports whether this architecture has kernels that make words of several
// elements. Here elements move one by one.
const wordKernels = false
