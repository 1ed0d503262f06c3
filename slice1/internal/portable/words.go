//go:build 386 || amd64 || arm64 || loong64 || ppc64le

package portable

// wordKernels reports whether kernels move elements by words: integers of up to 8 bytes, which may
// hold several elements. These kernels need processors that load and store words at any address
// and that are little-endian: a word's first byte in memory is its least significant one.
const wordKernels = true
