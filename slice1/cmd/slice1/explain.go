package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

// explain prints what method copy would do with the input, as JSON with -json and else as text. It
// does not slice. A result that is too large is an error, as it is for copy.
func (j *job) explain() error {
	s, err := j.load()
	if err != nil {
		return err
	}
	defer s.in.Close()
	if s.size() < 0 && !s.in.open {
		return s.tooLarge()
	}
	text := []byte(nil)
	if j.json {
		text, err = s.explainJSON()
	} else {
		text, err = j.explainText(s)
	}
	if err == nil {
		_, err = j.stdout.Write(text)
	}
	return err
}

// explainJSON returns the job of s as -desc reads it.
func (s *slice) explainJSON() ([]byte, error) {
	if s.empty {
		return nil, fmt.Errorf("%w: there is no descriptor of it", slice1.ErrEmpty)
	}
	d := *s.desc
	if s.in.picture && slices.Equal(d.Input.Sizes, s.in.Shape) { // no -axes
		d.Input.Strides = nil // they are the decoder's
	}
	text, err := json.MarshalIndent(savedJob{d, s.shape}, "", "  ")
	return append(numberList.ReplaceAllFunc(text, func(list []byte) []byte { // on one line
		return bytes.ReplaceAll(bytes.Join(bytes.Fields(list), nil), []byte(","), []byte(", "))
	}), '\n'), err
}

var numberList = regexp.MustCompile(`\[[\s\d,-]+\]`)

// explainText returns the type and the shape of input and output, the window as offset+size/stride
// for each axis, the bytes, and the plan: its kernel and the loop nest that it runs. With -v it
// also has the ways that the planner compared, with their estimated or measured times.
func (j *job) explainText(s *slice) ([]byte, error) {
	in, strides := &s.desc.Input, ""
	if in.Strides != nil {
		strides = fmt.Sprintf(", strides %v", brackets(in.Strides))
	}
	b := fmt.Appendf(nil, "input   %v %v%s\noutput  %v %v\n", s.in.typeName(), brackets(s.in.Shape), strides, s.out.typeName(), brackets(s.shape))
	if s.empty {
		return append(b, "empty, nothing to copy\n"...), nil
	}
	p, err := j.plan(s, s.desc)
	if err != nil {
		return nil, err
	}
	defer p.close()
	windows := make([]string, len(s.desc.WindowSizes))
	for i := range windows {
		windows[i] = fmt.Sprintf("%d+%d/%d", s.desc.WindowOffsets[i], s.desc.WindowSizes[i], s.desc.WindowStrides[i])
	}
	b = fmt.Appendf(b, "window  %s\nreads   %d bytes\nwrites  %d bytes\nplan    %s\n", strings.Join(windows, ","), s.size(), s.spans(),
		strings.ReplaceAll(strings.TrimSpace(p.text), "\n", "\n        "))
	if _, _, system := j.bySystem(s); system {
		b = append(b, "        the elements are one run of the file, which the system copies\n"...)
	}
	if !j.verbose {
		return b, nil
	}
	label := "ways"
	for _, c := range p.ways {
		notes := ""
		if c.Measured {
			notes = ", measured"
		}
		if c.Chosen {
			notes += ", chosen"
		}
		b = fmt.Appendf(b, "%-8s%-16s %10.1f ns%s\n", label, c.Name, c.Cost, notes)
		label = ""
	}
	return b, nil
}

// kernelList returns a line for each kernel, which says whether it can be used or why not.
func kernelList() (list string) {
	for _, k := range slice1.Kernels() {
		state := "usable"
		if !k.Usable {
			state = k.Reason
		}
		list += fmt.Sprintf("%-8s %s\n", k.Name, state)
	}
	return list
}
