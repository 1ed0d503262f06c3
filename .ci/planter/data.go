package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// tests is a package, given by its path in the repository, and a pattern of its tests for go test
// -run.
type tests struct{ pkg, pattern string }

// A fault is one change of one source file that tests must see.
type fault struct {
	name, kernel, file string
	tests              tests
	function           string // the function that has the text; empty for the whole file
	find, put          string

	number int  // of the fault, from 1 on
	inBody bool // whether it is another body of a function in the shared build

	source, faulty []byte // of the file, without and with the fault
	err            error  // why the fault cannot be planted
}

var (
	section = regexp.MustCompile(`^\[(\S+) (\S+) (\S+) (.+)\]$`)
	spelled = regexp.MustCompile(`^(.+?)(?: in (\w+)\(\))?: (.+?) =>(?: (.*))?$`)
)

// load reads the faults of the tree at root.
func load(root string) ([]fault, error) {
	data, err := os.ReadFile(filepath.Join(root, ".ci/faults.txt"))
	if err != nil {
		return nil, err
	}
	faults, err := parse(string(data))
	for i := range faults {
		faults[i].read(root)
	}
	return faults, err
}

func parse(text string) (faults []fault, err error) {
	var shared fault // what the section says
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		head, fields := section.FindStringSubmatch(line), spelled.FindStringSubmatch(line)
		switch {
		case line == "" || line[0] == '#':
		case head != nil:
			shared = fault{kernel: head[1], file: head[2], tests: tests{head[3], head[4]}}
		case fields != nil && shared.file != "":
			f := shared
			f.name, f.function, f.find, f.put = fields[1], fields[2], fields[3], fields[4]
			if key := fmt.Sprint(f.name, f.function, f.kernel, f.file); seen[key] {
				return nil, fmt.Errorf("a second fault of %s and kernel %s is called %q", f.file, f.kernel, f.name)
			} else {
				seen[key], faults = true, append(faults, f)
			}
		default:
			return nil, fmt.Errorf("not a section and not a fault: %s", line)
		}
	}
	for i := range faults {
		faults[i].number = i + 1
	}
	return faults, nil
}

// read sets the sources of the fault and, if its file is a folder, the file to the one of that
// folder with the text. It sets err unless the text is on exactly one line of the function. If the
// fault names no function, the text must be on exactly one line of the file, or of all files of the
// folder.
func (f *fault) read(root string) {
	paths, _ := filepath.Glob(filepath.Join(root, f.file, "*.[gh]*")) // .go and .h
	if paths == nil {
		paths = []string{filepath.Join(root, f.file)}
	}
	lines, file := 0, f.file
	for _, path := range paths {
		source, err := os.ReadFile(path)
		if f.err = err; err != nil {
			return
		}
		if n, faulty := f.plant(source); n > 0 && !strings.HasSuffix(path, "_test.go") {
			lines, f.source, f.faulty = lines+n, source, faulty
			f.file, _ = filepath.Rel(root, path)
		}
	}
	if lines != 1 {
		f.err = fmt.Errorf("%d lines of %s have %s", lines, strings.TrimSpace(f.function+" "+file), f.find)
	}
}

// plant returns how many lines of the source's function, or of all the source if the fault names no
// function, have the text to find, and the source with the fault in the last of them.
func (f *fault) plant(source []byte) (lines int, faulty []byte) {
	found, offset := 0, 0
	inside := f.function == ""
	begin := regexp.MustCompile(`^[^\s}/*#].*\b` + regexp.QuoteMeta(f.function) + `[([]`)
	for line := range bytes.Lines(source) {
		begins, text := f.function != "" && begin.Match(line), bytes.TrimSpace(line)
		if begins && !bytes.HasSuffix(text, []byte(";")) {
			inside = true
		}
		if i := bytes.Index(line, []byte(f.find)); inside && i >= 0 {
			found = offset + i
			lines++
		}
		if f.function != "" && bytes.HasPrefix(line, []byte("}")) || begins && bytes.HasSuffix(text, []byte("}")) {
			inside = false
		}
		offset += len(line)
	}
	if lines == 0 {
		return 0, nil
	}
	return lines, slices.Concat(source[:found], []byte(f.put), source[found+len(f.find):])
}
