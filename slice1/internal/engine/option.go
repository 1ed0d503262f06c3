package engine

// Option sets one field of Settings. The zero Option sets none.
type Option struct {
	settings Settings
	field    Field
}

// Field is a field of Settings that an Option sets.
type Field uint8

// The fields.
const (
	WithKernel Field = 1 + iota
	WithParallelism
	WithStreaming
	WithCandidate
	WithMeasure
	WithLearning
	WithByteOrder
	WithNumbers
	WithSamples
)

// String returns the name of the function of package slice1 that makes the option.
func (f Field) String() string { return fieldNames[f] }

var fieldNames = [...]string{"", "WithKernel", "WithParallelism", "WithStreaming", "WithCandidate", "WithMeasure", "WithLearning",
	"WithByteOrder", "WithNumbers", "WithSamples"}

// Of returns the option that sets a field to what s has.
func (f Field) Of(s Settings) Option { return Option{s, f} }

// Field returns the field that o sets, or 0.
func (o *Option) Field() Field { return o.field }

// Configure sets what the options ask for. The last one of several for a field counts.
func (s *Settings) Configure(opts []Option) {
	for i := range opts {
		switch o := &opts[i].settings; opts[i].field {
		case WithKernel:
			s.Kernel = o.Kernel
		case WithCandidate:
			s.Candidate = o.Candidate
		case WithParallelism:
			s.Parallelism = o.Parallelism
		case WithStreaming:
			s.Streaming = o.Streaming
		case WithMeasure:
			s.Measure = o.Measure
		case WithLearning:
			s.Fixed = o.Fixed
		case WithByteOrder:
			s.Swap = o.Swap
		case WithNumbers:
			s.Numbers = o.Numbers
		case WithSamples:
			s.Samples = o.Samples
		}
	}
}
