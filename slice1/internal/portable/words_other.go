//go:build !(386 || amd64 || arm64 || loong64 || ppc64le)

package portable

// wordKernels says that the kernels that make words of several elements do not
// work for this architecture: elements move one by one.
const wordKernels = false
