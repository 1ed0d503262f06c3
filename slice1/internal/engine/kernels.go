package engine

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
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
	Samples     [2]bool       // whether elements of the source, and of the destination, are program.Sample257
}

// Option sets one field of Settings, or asks for numbers. The zero Option does neither. It is
// small, since to copy the options of a tiny slice takes as long as the slice.
type Option struct {
	field   Field
	number  int64 // what a field that is no text becomes; true is 1
	text    string
	numbers Affine
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

// Number returns the option that sets a field that is no text. WithMeasure takes nanoseconds. Of
// WithSamples, bit 0 is for the source and bit 1 for the destination.
func (f Field) Number(n int64) Option { return Option{field: f, number: n} }

// Text returns the option that sets a field that is a text.
func (f Field) Text(s string) Option { return Option{field: f, text: s} }

// Option returns the option that asks for n.
func (n Affine) Option() Option { return Option{field: WithNumbers, numbers: n} }

// Field returns the field that o sets, or 0.
func (o *Option) Field() Field { return o.field }

// Set sets in s what o asks for. If o asks for numbers, it returns them, in o's memory.
func (o *Option) Set(s *Settings) *Affine {
	switch o.field {
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
		return &o.numbers
	case WithSamples:
		s.Samples = [2]bool{o.number&1 != 0, o.number&2 != 0}
	}
	return nil
}

// errDescends is the error for numbers that are not written upwards. Descriptors and pictures never
// ask for that.
var errDescends = errors.New("slice1: a loop of a conversion does not move the destination upwards")

// Configure sets the fields of p from Kernels on, from s and from the environment, and may lower
// RowsAtOnce. The error is ErrKernel, or ErrSyntax for a variable of the environment.
//
// The nest of a problem with numbers need not be in normal form: Configure orders and merges its
// loops. If one of them does not move the destination upwards, Configure returns another error.
func Configure(p *plan.Problem, s *Settings) (err error) {
	process := thisProcess()
	if p.Kernels, err = process.allowed(s); err != nil {
		return err
	}
	if !p.Cast.Opaque() {
		if slices.ContainsFunc(p.Nest.Dims[:p.Nest.Rank], func(d nest.Dim) bool { return d.Dst <= 0 }) {
			return errDescends
		}
		nest.Order(&p.Nest)
		nest.Coalesce(&p.Nest)
	}
	bytes := p.Bytes()
	p.Stores, p.Workers = storesOf(bytes, s.Streaming), workersOf(max(bytes, p.BytesRead), s.Parallelism)
	for _, d := range p.Nest.Dims[:p.Nest.Rank] {
		if d.Src == p.Pitch {
			p.RowsAtOnce = min(p.RowsAtOnce, d.Extent/int64(2*p.Workers))
		}
	}
	if p.Workers == 1 {
		p.RowsAtOnce = 0
	}
	p.Fixed = s.Fixed || !process.learns
	return nil
}

// storesOf returns how a slice of `bytes` bytes may store. A slice of at most plan.PartBytes has
// ordinary stores. A positive streaming asks for non-temporal stores for slices of that many bytes
// or more, and a negative one for none. 0 asks for the faster stores. By estimate these are
// non-temporal if the output does not fit the share of the last-level cache that a program may
// count on. Runs compare them from comparedFrom times the second-level cache on.
func storesOf(bytes, streaming int64) plan.Stores {
	switch {
	case bytes <= plan.PartBytes || streaming < 0 || streaming > bytes:
		return plan.Stores{Cached: true}
	case streaming > 0:
		return plan.Stores{NonTemporal: true}
	}
	h := plan.ThisHost()
	streams := bytes >= h.LastLevel
	return plan.Stores{Cached: true, NonTemporal: streams, Compared: !streams && bytes >= comparedFrom*h.L2}
}

// comparedFrom says from which size on, in second-level caches, runs compare both sorts of stores,
// whatever last-level cache the system reports. A guest may report the whole of a cache that it
// shares: on a Xeon that reports 260 MiB, 24 MiB of float32 took 2.3 times as long by ordinary
// stores.
const comparedFrom = 4

// workersOf returns how many goroutines may run a slice of `bytes` bytes, the caller's included.
func workersOf(bytes int64, parallelism int) int32 {
	if parallelism == 1 || bytes < plan.ParallelBytes {
		return 1
	}
	workers := runtime.GOMAXPROCS(0)
	if parallelism > 0 {
		workers = min(workers, parallelism)
	}
	return int32(min(int64(workers), bytes/plan.PartBytes)) // a part has PartBytes or more, so more goroutines would have none
}

// ErrSyntax says that a text cannot be understood: an index, a feature level or SLICE1_LEARN.
var ErrSyntax = errors.New("the text cannot be understood")

// ErrKernel says that the build or the host lacks a kernel, or that a problem lacks a candidate.
var ErrKernel = errors.New("the kernel is not available")

// HostKernel describes one kernel of this build.
type HostKernel struct {
	Name   string
	Usable bool   // this host can run it
	Reason string // why it is not usable, or ""

	number plan.Kernel
}

// process has what all slices of this process share.
type process struct {
	kernels []HostKernel // all of the build, weakest first; the first is "go", which every host can run
	choice  plan.Kernels // for slices that name no kernel: the one that SLICE1_KERNEL names, or all that this host can run
	forced  bool         // whether SLICE1_KERNEL names one
	err     error        // for slices that name no kernel: why they cannot run the one that SLICE1_KERNEL names
	invalid error        // for all slices: what is wrong with DML_CPU or SLICE1_LEARN
	learns  bool         // whether runs may be timed
}

var (
	lookAtProcess sync.Once
	theProcess    process
)

// thisProcess returns the state of this process. It reads the environment at its first call, not
// when packages are initialised. So the go command notices that the result of a test depends on the
// environment.
func thisProcess() *process {
	lookAtProcess.Do(func() { theProcess = newProcess(os.Getenv) })
	return &theProcess
}

func newProcess(getenv func(string) string) process {
	var p process
	host, err := cpuid.Host(), cpuid.Err()
	if err != nil {
		p.invalid = fmt.Errorf("slice1: %w: %w", ErrKernel, err)
	}
	p.kernels = []HostKernel{{Name: plan.Go.String(), Usable: true, number: plan.Go}}
	for _, inGo := range []bool{true, false} {
		for number, set := range program.Sets {
			k := HostKernel{Name: set.Name, number: plan.Kernel(number)}
			switch lacks := k.number.Lacks(host); {
			case lacks == "":
				k.Usable = true
			case err != nil:
				k.Reason = err.Error()
			default:
				k.Reason = "this processor has no " + strings.ToLower(lacks) + ", or it is masked"
			}
			if set.InGo == inGo && k.number.Built() {
				p.kernels = append(p.kernels, k)
			}
		}
	}
	for _, k := range p.kernels {
		if k.Usable {
			p.choice |= plan.OneKernel(k.number)
		}
	}
	if name := getenv("SLICE1_KERNEL"); name != "" {
		p.forced = true
		p.choice, p.err = p.named(name, "SLICE1_KERNEL is ")
	}
	switch value := getenv("SLICE1_LEARN"); value {
	case "", "on", "1", "true":
		p.learns = !Race // the race detector takes most of the time that runs would compare
	case "off", "0", "false":
	default:
		p.invalid = fmt.Errorf("slice1: %w: SLICE1_LEARN is %q; its values are on, off, 1, 0, true and false", ErrSyntax, value)
	}
	return p
}

// named returns the kernel `name` alone. The error is ErrKernel if the build has no such kernel or
// the host cannot run it. The text of the error has prefix before the name, for example
// "SLICE1_KERNEL is ".
func (p *process) named(name, prefix string) (plan.Kernels, error) {
	for i := range p.kernels {
		switch k := &p.kernels[i]; {
		case k.Name != name:
		case !k.Usable:
			return 0, fmt.Errorf("slice1: %w: %s%q; %s", ErrKernel, prefix, name, k.Reason)
		default:
			return plan.OneKernel(k.number), nil
		}
	}
	var names []string // only here, so that naming a kernel that the build has allocates nothing
	for _, k := range p.kernels {
		names = append(names, k.Name)
	}
	return 0, fmt.Errorf("slice1: %w: %s%q; this build for %s/%s has %s", ErrKernel, prefix, name, runtime.GOOS, runtime.GOARCH, strings.Join(names, ", "))
}

// allowed returns the kernels among which a slice may choose: the one that s names, or else the one
// that SLICE1_KERNEL names. If neither names one, the slice may use every usable kernel. Under the
// race detector it may then use "go" alone, unless s names a candidate.
func (p *process) allowed(s *Settings) (plan.Kernels, error) {
	switch {
	case p.invalid != nil:
		return 0, p.invalid
	case s.Kernel != "":
		return p.named(s.Kernel, "")
	case Race && !p.forced && s.Candidate == "": // the race detector does not see C's stores
		return plan.OneKernel(plan.Go), nil
	}
	return p.choice, p.err
}

// Kernels returns the kernels of this build, weakest first; "go" is always usable.
func Kernels() []HostKernel { return thisProcess().kernels }

// host returns the machine that a problem is planned for: the one of package plan, with what a
// call into C takes in this process if p learns. From that time follows which small slices run in
// plain Go. The time differs twofold among processors, versions of Go and virtual machines.
func host(p *plan.Problem) *plan.Host {
	if p.Fixed {
		return plan.ThisHost()
	}
	return measuredHost()
}
