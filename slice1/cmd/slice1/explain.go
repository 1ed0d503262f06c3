package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/outofcore"
)

// explanation says what a job would do, for people.
type explanation struct {
	Kernel       string   // its name, or systemKernel if the system would copy
	Why          string   // the reason for this kernel
	Nest         []string // the lines of rawNest
	Plan         []string // the plan's description of itself, line by line
	Candidates   []string `json:",omitempty"` // the ways to run the plan, each with a time: measured, or estimated for data in the smallest cache that holds it
	BytesRead    int64    // the bytes of the elements taken; of one that is repeated, for each time
	BytesSpanned int64    // the bytes of the input from the first to the last of these elements
	BytesWritten int64    // the bytes of raw output, with the gaps of output strides
}

// explain prints what method copy would do with the input: as JSON with -json, else as text. It does
// not slice.
func (j *job) explain() error {
	s, err := j.load()
	if err != nil {
		return err
	}
	defer s.in.close()
	var e *explanation
	if !s.empty {
		if e, err = j.examine(s); err != nil {
			return err
		}
	}
	if j.json {
		return j.explainJSON(s, e)
	}
	_, err = io.WriteString(j.stdout, j.explainText(s, e))
	return err
}

func (j *job) explainJSON(s *slice, e *explanation) error {
	if s.empty {
		return fmt.Errorf("%w: there is no descriptor of it", slice1.ErrEmpty)
	}
	saved := s.save()
	saved.Explain = e
	text, err := json.MarshalIndent(saved, "", "  ")
	if err != nil {
		return err
	}
	_, err = j.stdout.Write(append(shortLists(text), '\n'))
	return err
}

func (j *job) explainText(s *slice, e *explanation) string {
	var b strings.Builder
	in := &s.desc.Input
	fmt.Fprintf(&b, "input   %v %v", s.in.typeName(), brackets(s.in.shape))
	if in.Strides != nil {
		fmt.Fprintf(&b, ", strides %v", brackets(in.Strides))
	}
	fmt.Fprintf(&b, "\noutput  %v %v\n", s.in.typeName(), brackets(s.shape))
	if s.empty {
		b.WriteString("empty, nothing to copy\n")
		return b.String()
	}
	fmt.Fprintf(&b, "window  %s\n", windowText(s.desc))
	drawWindow(&b, s.desc)
	paragraph := func(name string, lines []string) {
		fmt.Fprintf(&b, "%-8s%s\n", name, strings.Join(lines, "\n        "))
	}
	paragraph("nest", e.Nest)
	paragraph("plan", e.Plan)
	if len(e.Candidates) > 0 {
		paragraph("ways", e.Candidates)
	}
	paragraph("kernel", []string{e.Kernel + ": " + e.Why})
	fmt.Fprintf(&b, "reads   %d bytes, within %d\nwrites  %d bytes\n", e.BytesRead, e.BytesSpanned, e.BytesWritten)
	return b.String()
}

// examine plans s, which must not be empty, and returns what the plan would do.
func (j *job) examine(s *slice) (*explanation, error) {
	p, err := j.plan(s.desc)
	if err != nil {
		return nil, err
	}
	e := &explanation{
		Kernel: p.Kernel(),
		Nest:   rawNest(s.desc), Plan: strings.Split(strings.TrimSpace(p.String()), "\n"),
		BytesRead: s.size(), BytesSpanned: outofcore.Span(outofcore.Smallest(s.desc)),
	}
	measured := false
	for _, c := range p.Candidates() {
		line := fmt.Sprintf("%-16s %10.1f ns", c.Name, c.Cost)
		if c.Measured {
			line += ", measured"
			measured = true
		}
		if c.Chosen {
			line += ", chosen"
		}
		e.Candidates = append(e.Candidates, line)
	}
	e.Why = j.why(e.Kernel, measured)
	if j.bySystem(s) {
		e.Kernel, e.Why = systemKernel, "the elements are one run of the file"
	}
	if e.BytesWritten, err = outBytes(&s.desc.Output); err != nil {
		return nil, err
	}
	return e, p.Close()
}

// why returns the reason why a plan has its kernel, whose name is given. measured is true if
// candidates were raced.
func (j *job) why(kernel string, measured bool) string {
	switch forced := os.Getenv("SLICE1_KERNEL"); {
	case j.gpu:
		return "-device asks for it"
	case j.kernel != "":
		return "-kernel asks for it"
	case forced != "":
		return "SLICE1_KERNEL asks for it"
	case measured:
		return "the fastest of those measured"
	}
	var stronger, missing []string
	past := false
	for _, k := range slice1.Kernels() {
		switch {
		case k.Name == kernel:
			past = true
		case past && k.Usable:
			stronger = append(stronger, k.Name)
		case past:
			missing = append(missing, k.Name+" ("+k.Reason+")")
		}
	}
	why := "the strongest this build and processor have"
	switch {
	case len(stronger) > 0:
		why = "a slice so small or plain gains nothing from " + strings.Join(stronger, ", ")
	case len(missing) > 0:
		why += "; not " + strings.Join(missing, ", ")
	}
	return why
}

// rawNest returns a descriptor as lines of text: for each axis a loop, with the steps in source
// and destination in bytes, and at the end the copy of one element.
func rawNest(d *slice1.Desc) []string {
	size := int64(d.Input.DataType.Size())
	lines, indent, first := []string{}, "", int64(0)
	for _, a := range d.Axes() {
		first += a.Start * a.Src * size
		step := int64(0)
		if a.Out > 1 {
			step = a.Step * a.Src * size
		}
		lines = append(lines, fmt.Sprintf("%sfor %d: source %+d, destination %+d", indent, a.Out, step, a.Dst*size))
		indent += "  "
	}
	unit := "bytes"
	if size == 1 {
		unit = "byte"
	}
	return append(lines, fmt.Sprintf("%scopy %d %s, first from source %d to destination 0", indent, size, unit, first))
}

// windowText returns the window of d in the syntax of -window.
func windowText(d *slice1.Desc) string {
	axes := make([]string, len(d.WindowSizes))
	for i := range axes {
		axes[i] = fmt.Sprintf("%d+%d/%d", d.WindowOffsets[i], d.WindowSizes[i], d.WindowStrides[i])
	}
	return strings.Join(axes, ",")
}

func listKernels(w io.Writer) error {
	for _, k := range slice1.Kernels() {
		state := "usable"
		if !k.Usable {
			state = k.Reason
		}
		if _, err := fmt.Fprintf(w, "%-8s %s\n", k.Name, state); err != nil {
			return err
		}
	}
	return nil
}

// brackets is a shape that prints as a list of Python does: [2, 3].
type brackets []int

func (s brackets) String() string {
	words := make([]string, len(s))
	for i, n := range s {
		words[i] = strconv.Itoa(n)
	}
	return "[" + strings.Join(words, ", ") + "]"
}
