//go:build race

package engine

// Race is true under the race detector. It does not see what C reads and writes, so slices for
// which no kernel and no candidate is named run by the kernel "go".
const Race = true
