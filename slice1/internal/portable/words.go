//go:build 386 || amd64 || arm64 || loong64 || ppc64le

package portable

// wordKernels reports whether processors of this architecture load and store words
// at any address, and put the first byte of a word lowest. The kernels that
// make words of several elements rely on both.
const wordKernels = true
