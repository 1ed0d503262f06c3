package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/cmd/slice1/internal/outofcore"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// copy slices IN into OUT, or part j.part of the slice into its place there.
func (j *job) copy() error {
	if err := j.setFormat(); err != nil {
		return err
	}
	file, stream, taken := (*target)(nil), true, error(nil)
	if j.target != "-" {
		if file, stream, taken = newTarget(j.target, j.force || j.parts > 0); !stream && j.member != "" {
			taken = cmp.Or(j.loses(), taken)
		}
		if taken != nil && j.source == "-" {
			return taken // before standard input is read in vain
		}
	}
	if j.parts > 0 && (j.source == "-" || stream) {
		return usagef("-part is for files, and a pipe or a device is none")
	}
	j.flows = !j.format.picture() && !j.gpu && j.desc == ""
	j.unknown = j.flows && (j.format.name == "raw" || j.format.name == "npy" && !stream) // a header that is written first has the number
	s, err := j.load()
	if err != nil {
		return err
	}
	defer s.input.Close()
	if taken != nil {
		return taken
	}
	if err := j.fits(s); err != nil {
		return err
	}
	output, end, err := j.create(s, file, stream)
	if err != nil {
		return err
	}
	if err = j.write(s, output); err == nil {
		err = s.input.unchanged()
	}
	return end(err)
}

// create returns an output, and a function that ends the output. For a nil error the
// function completes the output. For another error it removes the output if it is a whole file.
func (j *job) create(s *slice, file *target, stream bool) (output outofcore.Output, end func(error) error, err error) {
	switch {
	case j.parts > 0:
		return j.createPart(s, file)
	case j.target == "-":
		return outofcore.Output{W: j.stdout}, func(err error) error { return err }, nil
	case stream:
		f, err := os.OpenFile(j.target, os.O_WRONLY, 0)
		return outofcore.Output{W: f}, func(err error) error { return errors.Join(err, f.Close()) }, err
	}
	f, err := file.create()
	if err != nil {
		return output, nil, err
	}
	return outofcore.Output{W: f.File, File: f.File}, func(err error) error {
		return f.end(errors.Join(err, s.input.Close())) // Windows does not replace an open file, and the input may be the target
	}, nil
}

// load opens the input and makes the slice that the job takes of it. It prints the notes about the
// input, and one about a name that NumPy gives to another type.
func (j *job) load() (*slice, error) {
	if j.source == "" {
		return nil, usagef("the name of an input is empty")
	}
	saved, err := j.loadDesc()
	if err != nil {
		return nil, err
	}
	input, err := j.open(saved)
	if err != nil {
		return nil, err
	}
	s := &slice{input: input}
	if saved == nil {
		err = j.resolve(s)
	} else if err = s.fit(saved, j.desc); err == nil {
		err = j.arrange(s)
	}
	if err == nil {
		err = j.prepare(s)
	}
	if err != nil {
		return nil, errors.Join(err, input.Close())
	}
	for _, names := range [...][2]string{{"-raw", j.raw}, {"-to", j.typName}} {
		if flag, name := names[0], names[1]; name == "i8" || name == "u8" {
			j.note(fmt.Sprintf("%s %s is of 8 bits; what NumPy calls %s, 8 bytes each, is %s %s64", flag, name, name, flag, name[:1]))
		}
	}
	for _, note := range s.input.notes {
		j.note(note)
	}
	return s, nil
}

// explain prints what method copy would do with the input, as JSON with -json and else as text. It
// does not slice. A result that is too large is an error, as it is for copy.
func (j *job) explain() error {
	s, err := j.load()
	if err != nil {
		return err
	}
	defer s.input.Close()
	if err := s.checkSize(); err != nil {
		return err
	}
	explain := j.explainText
	if j.json {
		explain = (*slice).explainJSON
	}
	text, err := explain(s)
	if err == nil {
		_, err = j.stdout.Write(text)
	}
	return err
}

// explainText returns the type and the shape of input and output, the window as offset+size/stride
// for each axis, the bytes, and the plan: its kernel and the loop nest that it runs. With -v it
// also has the ways that the planner compared, with their estimated or measured times.
func (j *job) explainText(s *slice) ([]byte, error) {
	input, strides := &s.desc.Input, ""
	if input.Strides != nil {
		strides = fmt.Sprintf(", strides %v", brackets(input.Strides))
	}
	b := fmt.Appendf(nil, "input   %v %v%s\noutput  %v %v\n", s.input.typeName(), brackets(s.input.Shape), strides, s.result.typeName(), brackets(s.shape))
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

// mostTogether is the most inputs that are done beside each other.
const mostTogether = 16

// isFolder reports whether name is an existing folder or ends in a path separator.
func isFolder(name string) bool {
	info, err := os.Stat(name)
	return name != "" && os.IsPathSeparator(name[len(name)-1]) || err == nil && info.IsDir()
}

// inputsOf returns the inputs that the arguments name. On Windows it expands patterns like *.png,
// since the shells there do not. Standard input is a usage error.
func inputsOf(args []string) (inputs []string, err error) {
	for _, arg := range args {
		if arg == "-" || strings.HasPrefix(arg, "-:") {
			return nil, usagef("standard input is an input alone, not one of several or for a folder")
		}
		found := []string(nil)
		if runtime.GOOS == "windows" {
			found, _ = filepath.Glob(arg) // a bad pattern, and one that no file matches, is taken as a name
		}
		if found == nil {
			found = []string{arg}
		}
		inputs = append(inputs, found...)
	}
	return inputs, nil
}

// copyEach writes the slice of each input to the folder j.target. It prints a line for each input
// that fails, and then returns an error. If all inputs fail, it removes a folder that it made.
func (j *job) copyEach(inputs []string) error {
	if min(j.workers, len(inputs)) > mostTogether {
		return usagef("-j %d: at most %d inputs are sliced at a time", j.workers, mostTogether)
	}
	if err := j.checkText(); err != nil {
		return err
	}
	outputs, err := j.outputs(inputs)
	if err != nil {
		return err
	}
	if err := makeFolder(j.target); err != nil {
		return err
	}
	start, done := time.Now(), 0
	errs, said := make([]error, len(inputs)), make([]bytes.Buffer, len(inputs))
	j.together(inputs, func(i int, single job) {
		single.target, single.stderr = outputs[i], &said[i]
		errs[i] = single.copy()
	})
	for i, err := range errs {
		_, _ = j.stderr.Write(said[i].Bytes())
		if err == nil {
			done++
		} else {
			fmt.Fprintf(j.stderr, "slice1: %s\n", message(named(inputs[i], err)))
		}
	}
	if done == 0 {
		removeFolders()
		return fmt.Errorf("no file done, %d failed", len(inputs))
	}
	if done < len(inputs) {
		return fmt.Errorf("%d of %s done, %d failed", done, plural(len(inputs), "file"), len(inputs)-done)
	}
	if !j.quiet {
		fmt.Fprintf(j.stderr, "slice1: %s done in %v\n", plural(done, "file"), time.Since(start).Round(time.Millisecond))
	}
	return nil
}

// checkText returns an error that the job has with any input: the file of -desc cannot be read, or
// the index has a wrong syntax. Otherwise it returns nil.
func (j *job) checkText() error {
	if _, err := j.loadDesc(); err != nil || j.desc != "" {
		return err
	}
	const mostAxes = 8
	err := j.choose(&slice{input: &array{source: &source{}, Header: npy.Header{Type: slice1.Uint8, Shape: make([]int, mostAxes)}}})
	if text, ok := errors.AsType[*slice1.IndexError](err); ok && text.Err == nil {
		return err
	}
	return nil
}

// outputs returns the paths of the outputs of these inputs. It is a usage error if two inputs have
// one output.
func (j *job) outputs(inputs []string) ([]string, error) {
	made, outputs := map[string]string{}, make([]string, len(inputs))
	for i, name := range inputs {
		outputs[i] = filepath.Join(j.target, j.baseName(name))
		key := outputs[i]
		if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
			key = strings.ToLower(key) // file systems of Windows and macOS mostly ignore case
		}
		if earlier, taken := made[key]; taken {
			return nil, usagef("%s and %s would both be %s", earlier, name, outputs[i])
		}
		made[key] = name
	}
	return outputs, nil
}

// baseName returns the name that the output of an input gets in a folder: the input's file name,
// with the value of -to as its extension if -to is given, and .png for .gif. For the member x of
// in.npz it is in-x.npz.
func (j *job) baseName(input string) string {
	file, member := splitMember(input)
	ext := filepath.Ext(file)
	name := strings.TrimSuffix(filepath.Base(file), ext)
	if member = strings.TrimSuffix(member, ".npy"); member != "" {
		name += "-" + strings.NewReplacer("/", "-", `\`, "-").Replace(member)
	}
	if strings.EqualFold(ext, ".gif") { // which is not written
		ext = ".png"
	}
	switch {
	case j.ending != "":
		ext = "." + j.ending
	case j.converts() && j.raw == "" && formatOf(extension(ext)).picture() && j.typ != slice1.Uint8 && j.typ != slice1.Uint16:
		ext = ".npy"
	}
	return name + ext
}

// together calls f for each input, for as many at once as the job has goroutines, at most
// mostTogether, and for one after the other if they go to a GPU. f gets the input's number, from 0
// on, and a copy of the job for it, with a share of the goroutines.
func (j *job) together(inputs []string, f func(i int, single job)) {
	workers := min(j.goroutines(), len(inputs), mostTogether)
	if j.gpu {
		workers = 1
	}
	sizes, total := make([]int64, len(inputs)), int64(0)
	for i, name := range inputs {
		file, _ := splitMember(name)
		if info, err := os.Stat(file); err == nil {
			sizes[i] = info.Size()
		}
		total += sizes[i]
	}
	bar := newMeter(j.stderr, j.quiet, total)
	var wg sync.WaitGroup
	places := make(chan struct{}, workers)
	for i, name := range inputs {
		places <- struct{}{}
		wg.Go(func() {
			single := *j
			single.source, single.workers = name, max(j.goroutines()/len(inputs), 1)
			f(i, single)
			bar.add(sizes[i])
			<-places
		})
	}
	wg.Wait()
	bar.done()
}
