package engine

import (
	"time"

	"github.com/seed2e45c115/dml/slice1/dtype"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Settings say what a user asks for. The zero value asks for nothing.
type Settings struct {
	Kernel      string        // "" for any
	Candidate   string        // "" for any
	Parallelism int           // goroutines at most, the caller's included; 0 for GOMAXPROCS
	Streaming   int64         // least bytes of output for which stores are non-temporal; 0 for the default, negative for never
	Measure     time.Duration // the most time to spend on runs on scratch memory until the plan settles; none if it is not positive
	Fixed       bool          // only estimates decide
	Swap        bool          // the bytes of the source's elements are in the order that is not the machine's
	Samples     [2]bool       // whether elements of the source, and of the destination, are program.Sample
}

// Numbers ask for elements of another type.
type Numbers struct {
	Type        dtype.DataType // of the elements written
	Axis        int            // of the output, along which the values go if there are several
	Scale, Bias []float32      // one value each, or one for each index of the axis
}

// HasValue reports whether there is a value. It is false for nil.
func (n *Numbers) HasValue() bool { return n != nil && (len(n.Scale) > 0 || len(n.Bias) > 0) }

// Option sets one field of Settings, or asks for numbers. The zero Option does neither. It is
// small, since to copy the options of a tiny slice takes as long as the slice.
type Option struct {
	field   Field
	number  int64 // what a field that is no text becomes; true is 1
	text    string
	numbers Numbers
}

// Field is what an Option sets.
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

// Number returns the option that sets a field that is no text. Of WithSamples, bit 0 is for the
// source and bit 1 for the destination.
func (f Field) Number(n int64) Option { return Option{field: f, number: n} }

// Text returns the option that sets a field that is a text.
func (f Field) Text(s string) Option { return Option{field: f, text: s} }

// Option returns the option that asks for n.
func (n Numbers) Option() Option { return Option{field: WithNumbers, numbers: n} }

// Field returns the field that o sets, or 0.
func (o *Option) Field() Field { return o.field }

// Configure sets what the options ask for. The last one of several for a field counts. It returns
// the numbers that they ask for, in the memory of opts, or nil.
func (s *Settings) Configure(opts []Option) (numbers *Numbers) {
	for i := range opts {
		switch o := &opts[i]; o.field {
		case WithKernel:
			s.Kernel = o.text
		case WithCandidate:
			s.Candidate = o.text
		case WithParallelism:
			s.Parallelism = int(o.number)
		case WithStreaming:
			s.Streaming = o.number
		case WithMeasure:
			s.Measure = time.Duration(o.number)
		case WithLearning:
			s.Fixed = o.number == 0
		case WithByteOrder:
			s.Swap = o.number != 0
		case WithNumbers:
			numbers = &o.numbers
		case WithSamples:
			s.Samples = [2]bool{o.number&1 != 0, o.number&2 != 0}
		}
	}
	return numbers
}

// elementTypes maps a data type of DirectML to its type of numbers.
var elementTypes = [...]program.ElementType{dtype.Uint8: program.Uint8, dtype.Int8: program.Int8, dtype.Uint16: program.Uint16,
	dtype.Int16: program.Int16, dtype.Uint32: program.Uint32, dtype.Int32: program.Int32, dtype.Uint64: program.Uint64,
	dtype.Int64: program.Int64, dtype.Float16: program.Float16, dtype.Float32: program.Float32, dtype.Float64: program.Float64}

// ElementTypeOf returns t's type of numbers, or Opaque if there is no such data type.
func ElementTypeOf(t dtype.DataType) program.ElementType {
	switch {
	case t == dtype.BFloat16:
		return program.BFloat16
	case uint64(t) < uint64(len(elementTypes)):
		return elementTypes[t]
	}
	return program.Opaque
}
