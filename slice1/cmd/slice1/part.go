package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxParts is the largest n of -part i/n. Each process computes all n parts.
const maxParts = 100_000

// setPart sets j.part and j.parts from the value of -part.
func (j *job) setPart(value string) error {
	part, parts, ok := strings.Cut(value, "/")
	i, err := strconv.Atoi(part)
	n, err2 := strconv.Atoi(parts)
	if !ok || err != nil || err2 != nil || i < 1 || n < i || n > maxParts {
		return fmt.Errorf("not i/n with i from 1 to n and n at most %d", maxParts)
	}
	j.part, j.parts = i, n
	return nil
}

// copyPart writes part j.part of the job into its place in the output, and waits until it is on the
// disk. Whoever comes first makes OUT.job, which says what the job is and is what the others compare,
// and whoever comes makes the output, of its full length. So parts run in any order, at once and again.
func (j *job) copyPart() error {
	format, err := j.format()
	switch {
	case err != nil:
		return err
	case format != "npy" && format != "raw" || j.outMember != "":
		return usagef("-part writes npy or raw, not %s", format)
	}
	file, member, _ := cutMember(j.in)
	for _, name := range []string{file, j.out} {
		if info, err := os.Stat(name); name == "-" || err == nil && !info.Mode().IsRegular() {
			return usagef("-part is for files, and %s is none", name)
		}
	}
	to, _, err := newTarget(j.out, true)
	if err != nil {
		return err
	}
	whole, err := j.load()
	if err != nil {
		return err
	}
	defer whole.in.Close()
	switch was := whole.in.was; {
	case was == nil:
		return usagef("-part is for files, and %s is none", file)
	case to.old != nil && os.SameFile(was, to.old):
		return usagef("%s is input and output: -part keeps its input, for parts that are done again", j.out)
	case whole.strided():
		return usagef("%s: -part takes slices without output strides", j.desc)
	}
	if err := j.fits(whole, format); err != nil {
		return err
	}
	header := []byte(nil)
	if format == "npy" {
		header = whole.header()
	}
	if err := j.join(to, whole, filepath.Base(file)+":"+member, header); err != nil {
		return err
	}
	f, err := openPart(to.path, header, whole.size())
	if err != nil {
		return err
	}
	err = j.runPart(whole, f, int64(len(header)))
	if err == nil {
		err = whole.in.unchanged()
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// join makes OUT.job, the file that says what the job is, or compares it. It is an error if it is that
// of another job or, where there is none, if the output exists and -force is not given.
func (j *job) join(to *target, s *slice, input string, header []byte) error {
	type job struct {
		Parts            int
		Input, Header    string
		Orient           int
		Skip, Size, Time int64 // of the input's file; Time in nanoseconds
		BigEndian        bool
		Job              *savedJob `json:",omitempty"`
	}
	describe := job{Parts: j.parts, Input: input, Header: fmt.Sprintf("%q", header), Orient: j.orient, Skip: j.skip,
		Size: s.in.was.Size(), Time: s.in.was.ModTime().UnixNano(), BigEndian: s.in.BigEndian}
	if !s.empty {
		describe.Job = &savedJob{*s.desc, s.shape}
	}
	text, err := json.MarshalIndent(describe, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	name := to.path + ".job"
	there, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		if to.old != nil && !j.force {
			return (&target{path: to.path}).exists()
		}
		if err = writeNew(name, text); err == nil {
			return nil
		}
		if there, err = os.ReadFile(name); err != nil { // another process came first
			return err
		}
	}
	if err == nil && !bytes.Equal(there, text) {
		err = fmt.Errorf("%s is of another job: of another slice, input or number of parts; without that file, this one begins", name)
	}
	return err
}

// writeNew makes a file that holds text from the moment on when it has its name, and is on the disk. It
// is an error if there is a file of that name.
func writeNew(name string, text []byte) error {
	f, err := (&target{path: name}).create()
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync()); err != nil {
		f.discard()
		return err
	}
	return f.commit()
}

// openPart opens the output for writing, with its header and its full length, which it makes if need
// be. It is an error if the file is longer: it is not of this job.
func openPart(name string, header []byte, size int64) (*os.File, error) {
	// The file is not opened for reading. Otherwise a client of NFS would read the pages that two
	// parts share, and would send such a page whole, with what was there before another machine
	// wrote its part.
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	size += int64(len(header))
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.Size() > size:
		err = fmt.Errorf("%s has %d bytes, more than the %d of this job; remove it first", name, info.Size(), size)
	case info.Size() < size:
		err = f.Truncate(size) // all processes make it equally long
	}
	if err == nil && len(header) > 0 {
		_, err = f.WriteAt(header, 0)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// runPart slices part j.part into its place in f, the file of the whole slice, whose elements begin at
// byte base. There are no more parts than elements.
func (j *job) runPart(whole *slice, f *os.File, base int64) error {
	if whole.empty {
		return nil
	}
	shards, err := whole.desc.Split(j.parts)
	if err != nil || j.part > len(shards) {
		return err
	}
	shard := &shards[j.part-1]
	s := &slice{in: whole.in, desc: shard.Desc, shape: shard.Desc.Output.Sizes}
	if whole.in.Inner > 1 {
		s.shape = s.shape[:len(s.shape)-1] // without the axis of an element's parts
	}
	return j.timed(s, false, func(p plan) error {
		return j.slicer(s.in, p.kernel).ToFile(context.Background(), s.desc, f, base+shard.Offset)
	})
}
