//go:build !race

package engine

// Race is true under the race detector.
const Race = false
