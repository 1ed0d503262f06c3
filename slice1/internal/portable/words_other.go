//go:build !(386 || amd64 || arm64 || loong64 || ppc64le)

package portable

// wordKernels reports whether kernels move elements by words: integers of up to 8 bytes, which may
// hold several elements. Here kernels move elements one by one, as arrays of bytes, unless they are
// contiguous in the source and in the destination.
const wordKernels = false
