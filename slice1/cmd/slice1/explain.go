package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

// explain prints what copy would do with the input.
func (j *job) explain() error {
	s, err := j.load()
	if err != nil {
		return err
	}
	defer s.in.close()
	var b strings.Builder
	in := &s.desc.Input
	fmt.Fprintf(&b, "input   %v %v", in.DataType, brackets(s.in.shape))
	if in.Strides != nil {
		fmt.Fprintf(&b, ", strides %v", brackets(in.Strides))
	}
	fmt.Fprintf(&b, "\noutput  %v %v\n", in.DataType, brackets(s.shape))
	if s.empty {
		b.WriteString("empty, nothing to copy\n")
	} else {
		p, err := j.plan(s.desc)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "window  %s\n%s\n", windowText(s.desc), strings.TrimSuffix(p.String(), "\n"))
		if err := p.Close(); err != nil {
			return err
		}
	}
	_, err = io.WriteString(j.stdout, b.String())
	return err
}

// windowText is what -window takes.
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

// brackets prints as NumPy's users write shapes: [2, 3].
type brackets []int

func (s brackets) String() string {
	words := make([]string, len(s))
	for i, n := range s {
		words[i] = strconv.Itoa(n)
	}
	return "[" + strings.Join(words, ", ") + "]"
}
