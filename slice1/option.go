package slice1

import (
	"encoding/binary"
	"time"

	"github.com/seed2e45c115/dml/slice1/internal/engine"
)

// Option changes how a plan is made and runs. The zero Option changes nothing.
type Option struct {
	settings engine.Settings
	set      optionField // the only one of settings' fields that counts
}

type optionField uint8

const (
	setKernel optionField = 1 + iota
	setParallelism
	setStreaming
	setCandidate
	setMeasure
	setLearning
	setByteOrder
)

// WithKernel makes the plan use the named kernel. The error is ErrKernel if this build has none of
// the name or this host cannot run it. "" is the default: the kernel that SLICE1_KERNEL names or,
// without that variable, the fastest; under the race detector, which does not see into C, it is
// "go".
func WithKernel(name string) Option { return Option{engine.Settings{Kernel: name}, setKernel} }

// WithParallelism lets a plan use at most n goroutines, the caller's included. 0 or less, the
// default, is GOMAXPROCS when the plan is made; more is the same. Slices of less than 4 MiB of
// output use one.
func WithParallelism(n int) Option {
	return Option{engine.Settings{Parallelism: max(0, n)}, setParallelism}
}

// WithStreaming sets the bytes of output, more than 256 KiB, from which on a plan uses non-temporal
// stores, which read no line first and leave none in the caches. 0, the default, lets runs decide
// for outputs larger than a program's share of the last-level cache; a negative number is never.
func WithStreaming(from int64) Option { return Option{engine.Settings{Streaming: from}, setStreaming} }

// WithCandidate makes the plan run the candidate of this name, one that [Plan.Candidates] lists for
// the plan without this option, or with [WithKernel] in its place. Another name is ErrKernel, and
// "" changes nothing. It is for tests and benchmarks.
func WithCandidate(name string) Option { return Option{engine.Settings{Candidate: name}, setCandidate} }

// WithMeasure lets NewPlan spend about budget on learning, on scratch memory of at most 64 MiB.
// Runs go on learning where it ends. 5 ms are enough for most slices; 0 or less, the default,
// measures nothing. Slices too large for the budget (more bytes than nanoseconds) are not measured.
// One slice is measured at a time; others skip it.
func WithMeasure(budget time.Duration) Option {
	return Option{engine.Settings{Measure: budget}, setMeasure}
}

// WithLearning(false) makes runs go by estimates alone: they are not timed, and what others have
// shown does not count. SLICE1_LEARN=off, 0 or false does so for all, and on, 1, true or no value
// changes nothing.
func WithLearning(on bool) Option { return Option{engine.Settings{Fixed: !on}, setLearning} }

// WithByteOrder sets the order of the bytes of a conversion's source; nil, the default, is the
// machine's. An order of the caller's own counts as the machine's if its Uint16 reads two bytes as
// the machine does, and else as the reverse one. The results are in the machine's order. [NewPlan]
// and [Copy] ignore the option, since their elements are opaque.
func WithByteOrder(src binary.ByteOrder) Option {
	probe := [...]byte{1, 0}
	return Option{engine.Settings{Swap: src != nil && src.Uint16(probe[:]) != binary.NativeEndian.Uint16(probe[:])}, setByteOrder}
}

func configure(opts []Option) (s engine.Settings) {
	for _, o := range opts {
		switch o.set {
		case setKernel:
			s.Kernel = o.settings.Kernel
		case setCandidate:
			s.Candidate = o.settings.Candidate
		case setParallelism:
			s.Parallelism = o.settings.Parallelism
		case setStreaming:
			s.Streaming = o.settings.Streaming
		case setMeasure:
			s.Measure = o.settings.Measure
		case setLearning:
			s.Fixed = o.settings.Fixed
		case setByteOrder:
			s.Swap = o.settings.Swap
		}
	}
	return s
}
