//go:build race

package slice1

// The race detector does not see what C reads and writes, so plans take the
// pure-Go kernel unless told otherwise.
const raceEnabled = true
