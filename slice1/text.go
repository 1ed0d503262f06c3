package slice1

import (
	"fmt"
	"strconv"
	"strings"
)

// MarshalText returns the same name as String. It returns ErrDataType for a value that is not a
// constant of this package. The JSON of a descriptor has this name.
func (t DataType) MarshalText() ([]byte, error) {
	if t.Size() == 0 {
		return nil, fmt.Errorf("slice1: %v: %w", t, ErrDataType)
	}
	return []byte(t.String()), nil
}

// UnmarshalText sets t to the constant with the given name, like "float32". Other text is
// ErrDataType and leaves t unchanged.
func (t *DataType) UnmarshalText(text []byte) error {
	if string(text) == BFloat16.String() {
		*t = BFloat16
		return nil
	}
	for i, known := range dataTypes {
		if known.name == string(text) && known.size > 0 {
			*t = DataType(i)
			return nil
		}
	}
	return fmt.Errorf("slice1: %q: %w", text, ErrDataType)
}

// MarshalJSON leaves out Strides if it is nil, and TotalSize and BaseAlign if they are 0. An
// unknown DataType is ErrDataType.
func (t TensorDesc) MarshalJSON() ([]byte, error) {
	name, err := t.DataType.MarshalText()
	if err != nil {
		return nil, err
	}
	list := func(l []int) string { return strings.ReplaceAll(fmt.Sprint(l), " ", ",") }
	text := fmt.Appendf(nil, `{"DataType":%q,"Sizes":%s`, name, list(t.Sizes))
	if t.Strides != nil {
		text = fmt.Appendf(text, `,"Strides":%s`, list(t.Strides))
	}
	if t.TotalSize != 0 {
		text = fmt.Appendf(text, `,"TotalSize":%d`, t.TotalSize)
	}
	if t.BaseAlign != 0 {
		text = fmt.Appendf(text, `,"BaseAlign":%d`, t.BaseAlign)
	}
	return append(text, '}'), nil
}

// String returns a line of text for people, with offset+size/stride for the window of each axis. d
// may be nil or invalid.
//
//	float32 [4 4] window 0+4/-2,1+3/2 to [2 2] strides [8 1]
func (d *Desc) String() string {
	if d == nil {
		return "nil descriptor"
	}
	windows := make([]string, 0, len(d.WindowOffsets))
	for i := range min(len(d.WindowOffsets), len(d.WindowSizes), len(d.WindowStrides)) {
		windows = append(windows, fmt.Sprintf("%d+%d/%d", d.WindowOffsets[i], d.WindowSizes[i], d.WindowStrides[i]))
	}
	return fmt.Sprintf("%v %s window %s to %s", d.Input.DataType, d.Input.extents(), strings.Join(windows, ","), d.Output.extents())
}

// extents returns the extents as text, with the memory strides unless they are nil.
func (t *TensorDesc) extents() string {
	if t.Strides == nil {
		return fmt.Sprint(t.Sizes)
	}
	return fmt.Sprint(t.Sizes, " strides ", t.Strides)
}

// Kernel returns the name of the kernel that a run takes if it begins at once. [Plan.LastKernel]
// returns the last run's. Like the other methods that describe a plan, Kernel waits for no run.
func (p *Plan) Kernel() string {
	if !p.valid() {
		return ""
	}
	return p.entry.Upcoming().Kernel.String()
}

// LastKernel returns the name of the last run's kernel, or "" before the first run. With it a
// program can count runs by kernel: while plans learn, runs take kernels in turn. Plans of slices
// that run alike share what they know. So the last run may belong to another plan or another
// goroutine.
func (p *Plan) LastKernel() string {
	if p.valid() {
		if w := p.entry.LastWay(); w != nil {
			return w.Kernel.String()
		}
	}
	return ""
}

// String describes a run that begins at once: its kernel, kind of inner loop, elements, parts,
// goroutines and loops with strides in bytes. It also lists the times of earlier runs.
func (p *Plan) String() string {
	if !p.valid() {
		return errNoPlan.Error()
	}
	e := p.entry
	n, w, size := &e.Problem().Nest, e.Described(e.Upcoming()), int64(p.srcType.Size())
	elements := int64(1)
	for _, d := range n.Dims[:n.Rank] {
		elements *= d.Extent
	}
	elements *= int64(n.Width) / size
	var text strings.Builder
	if p.conversion != nil {
		fmt.Fprintf(&text, "%v to %v, ", p.srcType, p.dstType)
	}
	fmt.Fprintf(&text, "kernel %s, kind %s, %s of %s", w.Kernel, w.Kind(), plural(elements, "element"), plural(size, "byte"))
	fmt.Fprintf(&text, ", %s on %s\n", plural(w.Parts(), "part"), plural(e.Goroutines(w), "goroutine"))
	indent := ""
	for _, d := range n.Dims[:n.Rank] {
		fmt.Fprintf(&text, "%sfor %d: source %+d, destination %+d\n", indent, d.Extent, d.Src, d.Dst)
		indent += "  "
	}
	verb := "copy"
	if p.conversion != nil {
		verb = "convert"
	}
	fmt.Fprintf(&text, "%s%s %s, first from source %d to destination %d", indent, verb, plural(int64(n.Width), "byte"), p.srcStart, n.DstOff)
	for i, c := range e.Known() {
		if i == 0 {
			text.WriteString("\ntried")
		} else {
			text.WriteByte(',')
		}
		fmt.Fprintf(&text, " %s %.3g us", c, float64(c.Cost)/1e6)
	}
	return text.String()
}

// Candidate is one way to run a plan.
type Candidate struct {
	// Name is the name for [WithCandidate]. It begins with the kernel. The kind follows: that of
	// the inner loop, which is left out for "go", or what a plan with numbers does with a part, or
	// "packed" for parts that are first sliced into scratch memory. "element long" has the longest
	// loop innermost. "nt" means non-temporal stores. The rest says how a slice of several parts is
	// cut, if not by the usual rule: into "boxes" with long stretches in the input and in the
	// output, into "bands" of whole rows, or, with numbers, into "long" parts of four times as many
	// elements. "by source" and "by destination" are the order of the parts, and of the loops
	// within a part. "in blocks" means blocks of some MiB, one after another.
	Name     string
	Cost     float64 // nanoseconds of one run
	Chosen   bool    // a run that begins at once takes this candidate
	Measured bool    // Cost is the time of runs, not an estimate
}

// Candidates returns the ways to run the plan with the kernels and stores that it may use.
// Candidates with times of runs come first, and each group is sorted by cost, cheapest first.
// Estimates are for one goroutine, with the data in the smallest cache that holds it. Candidates
// plans anew, and waits for no run.
func (p *Plan) Candidates() []Candidate {
	if !p.valid() {
		return nil
	}
	candidates, measured, chosen := p.entry.Candidates()
	var cs []Candidate
	for i, c := range candidates {
		cs = append(cs, Candidate{c.String(), float64(c.Cost) / 1000, c.SameWay(chosen), i < measured})
	}
	return cs
}

// plural returns a number with its noun, like "2 bytes".
func plural(n int64, noun string) string {
	switch {
	case n == 1:
	case noun == "axis":
		noun = "axes"
	case strings.HasSuffix(noun, "y"):
		noun = noun[:len(noun)-1] + "ies"
	default:
		noun += "s"
	}
	return strconv.FormatInt(n, 10) + " " + noun
}

// String returns NumPy's name of the type, like "float32". It is "DataType(n)" for a value that is
// not a constant of this package.
func (t DataType) String() string {
	switch {
	case t == BFloat16:
		return "bfloat16"
	case t.Size() == 0:
		return "DataType(" + strconv.FormatUint(uint64(t), 10) + ")"
	}
	return dataTypes[t].name
}
