//go:build race

package slice1

// The race detector does not see what C reads and writes. Therefore plans take the
// kernel "go" if no kernel or candidate is named.
const raceEnabled = true
