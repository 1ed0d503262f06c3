//go:build race

package engine

// Race is true under the race detector, which does not see what C reads and writes. Therefore
// slices are run by the kernel "go" if no kernel or candidate is named.
const Race = true
