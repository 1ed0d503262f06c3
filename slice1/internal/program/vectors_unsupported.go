//go:build !(goexperiment.simd && (amd64 || arm64) && go1.27 && !go1.28)

package program

// InVectors says whether this build has loops in Go's vectors.
const InVectors = false
