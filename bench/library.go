package main

import "slices"

// The peers that are libraries in C.
const (
	libyuv = "libyuv"
	volk   = "volk"
	fftw   = "fftw"
)

// All peers. peer.py has the same names for those in Python.
var (
	peersInPython = []string{numpy, onnxRuntime}
	peersInC      = []string{libyuv, volk, fftw}
)

func peerNames() []string { return slices.Concat(peersInPython, peersInC) }

func isPeer(name string) bool { return slices.Contains(peerNames(), name) }

// A peerInC is a library in C that was found when the program began.
type peerInC struct {
	name, version string
	// runs returns a function that does a slicing reps times, or nil if the library has no
	// such operation. That function repeats in C, as the library's users would.
	runs func(s *slicing) func(reps int)
}

// contender returns the library as a contender. ok reports whether it can do the slicing.
func (l *peerInC) contender(s *slicing) (c contender, ok bool) {
	run := l.runs(s)
	if run == nil {
		return c, false
	}
	return s.repeated(l.name, func(reps int) error { run(reps); return nil }), true
}
