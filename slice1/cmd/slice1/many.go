package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

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

// many writes the slice of each input to the folder j.out. It prints a line for each input that
// fails, and then returns an error. If all inputs fail, it removes a folder that it made.
func (j *job) many(inputs []string) error {
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
	if err := makeFolder(j.out); err != nil {
		return err
	}
	start, done := time.Now(), 0
	errs, said := make([]error, len(inputs)), make([]bytes.Buffer, len(inputs))
	j.together(inputs, func(i int, one *job) {
		one.out, one.stderr = outputs[i], &said[i]
		errs[i] = one.copy()
	})
	for i, err := range errs {
		_, _ = j.stderr.Write(said[i].Bytes())
		if err == nil {
			done++
			continue
		}
		fmt.Fprintf(j.stderr, "slice1: %s\n", message(named(inputs[i], err)))
	}
	switch {
	case done == 0:
		removeFolders()
	case done == len(inputs) && !j.quiet:
		noun := "files"
		if done == 1 {
			noun = "file"
		}
		fmt.Fprintf(j.stderr, "slice1: %d %s done in %v\n", done, noun, time.Since(start).Round(time.Millisecond))
	}
	if done < len(inputs) {
		return fmt.Errorf("%d of %d files done, %d failed", done, len(inputs), len(inputs)-done)
	}
	return nil
}

// makeFolder makes a folder and those around it. What it makes is unfinished.
func makeFolder(name string) error {
	missing := []string(nil)
	for folder := filepath.Clean(name); ; folder = filepath.Dir(folder) {
		if _, err := os.Stat(folder); err == nil {
			break
		}
		missing = append(missing, folder)
	}
	unfinished.Lock()
	defer unfinished.Unlock()
	unfinished.folders = missing
	return os.MkdirAll(name, 0o777)
}

// removeFolders removes the folders that makeFolder made, as far as they are empty.
func removeFolders() {
	for _, folder := range unfinished.folders {
		os.Remove(folder)
	}
}

// checkText returns an error that the job has with any input: the file of -desc cannot be read, or
// the index has a wrong syntax. Otherwise it returns nil.
func (j *job) checkText() error {
	if _, err := j.loadDesc(); err != nil || j.desc != "" {
		return err
	}
	const mostAxes = 8
	err := j.choose(&slice{in: &array{source: &source{}, Header: npy.Header{Type: slice1.Uint8, Shape: make([]int, mostAxes)}}})
	if text, ok := errors.AsType[*slice1.IndexError](err); ok && text.Err == nil {
		return err
	}
	return nil
}

// outputs returns the paths of the outputs of these inputs. It is a usage error if two inputs have
// one output.
func (j *job) outputs(inputs []string) ([]string, error) {
	made, outputs := map[string]string{}, make([]string, len(inputs))
	for i, in := range inputs {
		outputs[i] = filepath.Join(j.out, j.baseName(in))
		key := outputs[i]
		if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
			key = strings.ToLower(key) // file systems of Windows and macOS mostly ignore case
		}
		if other, taken := made[key]; taken {
			return nil, usagef("%s and %s would both be %s", other, in, outputs[i])
		}
		made[key] = in
	}
	return outputs, nil
}

// baseName returns the name that the output of an input gets in a folder: the input's file name,
// with the value of -to as its extension if -to is given, and .png for .gif. For the member x of
// in.npz it is in-x.npz.
func (j *job) baseName(in string) string {
	file, member := splitMember(in)
	name := filepath.Base(file)
	ext := filepath.Ext(name)
	name = strings.TrimSuffix(name, ext)
	if member = strings.TrimSuffix(member, ".npy"); member != "" {
		name += "-" + strings.NewReplacer("/", "-", `\`, "-").Replace(member)
	}
	if strings.EqualFold(ext, ".gif") { // which is not written
		ext = ".png"
	}
	switch {
	case j.to != "":
		ext = "." + j.to
	case j.converts() && j.raw == "" && holds[formats[strings.TrimPrefix(strings.ToLower(ext), ".")]] != "" && j.typ != slice1.Uint8 && j.typ != slice1.Uint16:
		ext = ".npy"
	}
	return name + ext
}

// together calls f for each input, for as many at once as the job has goroutines, at most
// mostTogether, and for one after the other if they go to a GPU. f gets the input's number, from 0
// on, and a copy of the job for it, with a share of the goroutines.
func (j *job) together(inputs []string, f func(i int, one *job)) {
	workers := min(j.goroutines(), len(inputs), mostTogether)
	if j.gpu {
		workers = 1
	}
	sizes, total := make([]int64, len(inputs)), int64(0)
	for i, in := range inputs {
		file, _ := splitMember(in)
		if info, err := os.Stat(file); err == nil {
			sizes[i] = info.Size()
		}
		total += sizes[i]
	}
	bar := j.newMeter(total)
	var wg sync.WaitGroup
	var next atomic.Int64
	for range workers {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(inputs)); i = next.Add(1) - 1 {
				one := *j
				one.in, one.workers = inputs[i], max(j.goroutines()/len(inputs), 1)
				f(int(i), &one)
				bar.add(sizes[i])
			}
		})
	}
	wg.Wait()
	bar.done()
}
