//go:build !(cgo && !purego && (amd64 || arm64))

package program

// hasC says whether builds for this architecture with these tags have loops in C.
const hasC = false
