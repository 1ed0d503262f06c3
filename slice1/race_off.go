//go:build !race

package slice1

const raceEnabled = false
