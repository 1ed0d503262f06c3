package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/cmd/slice1/internal/outofcore"
)

// explain prints what method copy would do with the input, as JSON with -json and else as text. It
// does not slice.
func (j *job) explain() error {
	s, err := j.load()
	if err != nil {
		return err
	}
	defer s.in.Close()
	if j.json {
		return j.explainJSON(s)
	}
	return j.explainText(s)
}

func (j *job) explainJSON(s *slice) error {
	if s.empty {
		return fmt.Errorf("%w: there is no descriptor of it", slice1.ErrEmpty)
	}
	if s.affine != nil {
		return usagef("-desc moves elements, and -explain -json is not for numbers of another type")
	}
	d := *s.desc
	if s.in.picture && slices.Equal(d.Input.Sizes, s.in.Shape) { // no -axes
		d.Input.Strides = nil // they are the decoder's
	}
	text, err := json.MarshalIndent(savedJob{d, s.shape}, "", "  ")
	if err != nil {
		return err
	}
	text = numberList.ReplaceAllFunc(text, func(list []byte) []byte { // on one line
		return bytes.ReplaceAll(bytes.Join(bytes.Fields(list), nil), []byte(","), []byte(", "))
	})
	_, err = j.stdout.Write(append(text, '\n'))
	return err
}

var numberList = regexp.MustCompile(`\[[\s\d,-]+\]`)

// explainText prints the type and the shape of input and output, the window as offset+size/stride
// for each axis, the bytes, and the plan: its kernel and the loop nest that it runs. With -v it
// also prints the ways that the planner compared, with their estimated or measured times.
func (j *job) explainText(s *slice) error {
	var b strings.Builder
	in := &s.desc.Input
	fmt.Fprintf(&b, "input   %v %v", s.in.typeName(), brackets(s.in.Shape))
	if in.Strides != nil {
		fmt.Fprintf(&b, ", strides %v", brackets(in.Strides))
	}
	fmt.Fprintf(&b, "\noutput  %v %v\n", s.out.typeName(), brackets(s.shape))
	if s.empty {
		b.WriteString("empty, nothing to copy\n")
	} else if err := j.explainPlan(&b, s); err != nil {
		return err
	}
	_, err := io.WriteString(j.stdout, b.String())
	return err
}

func (j *job) explainPlan(b *strings.Builder, s *slice) error {
	p, err := j.plan(s, s.desc)
	if err != nil {
		return err
	}
	defer p.close()
	windows := make([]string, len(s.desc.WindowSizes))
	for i := range windows {
		windows[i] = fmt.Sprintf("%d+%d/%d", s.desc.WindowOffsets[i], s.desc.WindowSizes[i], s.desc.WindowStrides[i])
	}
	fmt.Fprintf(b, "window  %s\n", strings.Join(windows, ","))
	fmt.Fprintf(b, "reads   %d bytes, within %d\nwrites  %d bytes\n", s.size(), outofcore.Span(outofcore.Smallest(s.desc)), s.spans())
	fmt.Fprintf(b, "plan    %s\n", strings.ReplaceAll(strings.TrimSpace(p.text), "\n", "\n        "))
	if _, _, system := j.bySystem(s); system {
		b.WriteString("        the elements are one run of the file, which the system copies\n")
	}
	if !j.verbose {
		return nil
	}
	label := "ways"
	for _, c := range p.ways {
		fmt.Fprintf(b, "%-8s%-16s %10.1f ns", label, c.Name, c.Cost)
		if c.Measured {
			b.WriteString(", measured")
		}
		if c.Chosen {
			b.WriteString(", chosen")
		}
		b.WriteByte('\n')
		label = ""
	}
	return nil
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

// brackets is a shape that prints like a list of Python: [2, 3].
type brackets []int

func (s brackets) String() string {
	return strings.ReplaceAll(fmt.Sprint([]int(s)), " ", ", ")
}
