package main

import "slices"

// The peers that are libraries in C.
const (
	libyuv = "libyuv"
	volk   = "volk"
	fftw   = "fftw"
)

// All peers; peer.py names those in Python alike.
var (
	peersInPython = []string{numpy, onnxRuntime}
	peersInC      = []string{libyuv, volk, fftw}
)

func peerNames() []string { return slices.Concat(peersInPython, peersInC) }

func isPeer(name string) bool { return slices.Contains(peerNames(), name) }

// A peerInC is a library in C, found when the program runs.
type peerInC struct {
	name, version string
	// runs returns what does a slicing as many times as it is told, nil where the library
	// has no such operation. It repeats in C, where the library's users are.
	runs func(s *slicing) func(reps int)
}

// contender returns the library as a contender, ok if it can do the slicing.
func (l *peerInC) contender(s *slicing) (c contender, ok bool) {
	run := l.runs(s)
	if run == nil {
		return c, false
	}
	return s.repeated(l.name, func(reps int) error { run(reps); return nil }), true
}
