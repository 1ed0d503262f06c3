package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/cmd/slice1/internal/outofcore"
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

// jobFile is added to the output's name to name the file that describes the job.
const jobFile = ".job"

// createPart makes s part j.part of itself, and returns its place in the output. Its
// end waits until the part is on the disk. The first process makes OUT.job, which describes the
// job. The others compare it with their job. A process then makes the output, with its full length,
// and adds an empty line to OUT.job. Only then it writes its part. So parts run in any order, at
// the same time, and again. A process that finds the empty line, and no output or one of another
// length, knows that parts may be lost.
func (j *job) createPart(s *slice, file *target, format string) (output outofcore.Output, end func(error) error, err error) {
	switch {
	case s.in.was == nil:
		return output, nil, usagef("-part is for files, and %s is none", s.in.name)
	case file.old != nil && os.SameFile(s.in.was, file.old):
		return output, nil, usagef("%s is input and output: -part leaves its input as it is", j.out)
	case s.strided():
		return output, nil, usagef("%s: -part takes slices without output strides", j.desc)
	}
	header := s.header(format)
	begun, err := j.join(file, s, header)
	if err != nil {
		return output, nil, err
	}
	f, err := openPart(file.path, header, s.size(), begun)
	if err != nil {
		return output, nil, err
	}
	output = outofcore.Output{W: f, File: f, Base: int64(len(header))}
	if !begun {
		err = begin(file.path + jobFile)
	}
	if err == nil && !s.empty {
		var shards []slice1.Shard
		shards, err = s.desc.Split(j.parts)
		if s.empty = j.part > len(shards); !s.empty { // there are no more parts than elements
			shard := shards[j.part-1]
			output.Base += shard.Offset
			s.desc, s.shape = shard.Desc, shard.Desc.Output.Sizes
			if s.in.Inner > 1 {
				s.shape = s.shape[:len(s.shape)-1] // without the axis of an element's parts
			}
		}
	}
	return output, func(err error) error { return errors.Join(err, f.Sync(), f.Close()) }, err
}

// join makes OUT.job, the file that describes the job, or compares it. It returns whether parts may
// have been written. It is an error if the file describes another job. If there is no such file, it
// is an error if the output exists and -force is not given.
func (j *job) join(file *target, s *slice, header []byte) (begun bool, err error) {
	input, member := splitMember(j.in)
	info, name := s.in.was, file.path+jobFile
	text := fmt.Appendf(nil, "%d parts of a slice\ninput %q, %d bytes of %v, -raw %q, -skip %d, -orient %d, big-endian %v\nheader %q\n", j.parts, filepath.Base(input)+":"+member,
		info.Size(), info.ModTime().UTC(), j.raw, j.skip, j.orient, s.in.BigEndian, header)
	if !s.empty {
		job, err := s.explainJSON()
		if err != nil {
			return false, err
		}
		text = append(text, job...)
	}
	there, err := readJob(name)
	if errors.Is(err, fs.ErrNotExist) {
		if file.old != nil && !j.force {
			return false, file.exists()
		}
		failed := writeNew(name, text)
		if failed == nil {
			return false, nil
		}
		if there, err = readJob(name); err != nil { // else another process came first
			return false, failed
		}
	}
	lines := bytes.TrimPrefix(there, text)
	if err == nil && (!bytes.HasPrefix(there, text) || len(bytes.TrimLeft(lines, "\n")) > 0) {
		err = fmt.Errorf("%s is of another job: of another slice, input or number of parts; without that file, this one begins", name)
	}
	return len(lines) > 0, err
}

// begin adds an empty line to OUT.job. Several processes may do so.
func begin(name string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString("\n")
	return errors.Join(err, f.Close())
}

// writeNew makes a file with a text. As soon as the file has its name, it holds the whole text and
// is on the disk. It is an error if there is a file of that name.
func writeNew(name string, text []byte) error {
	f, err := (&target{path: name}).create()
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return f.end(errors.Join(err, f.Sync()))
}

// openPart opens the output for writing, with its header and its full length. It makes them if need
// be. If parts have begun, another length is an error instead. A longer file is always an error,
// since it is not of this job, and so is a disk with too little space.
func openPart(name string, header []byte, size int64, begun bool) (*os.File, error) {
	// The file is not opened for reading. Otherwise a client of NFS would read a page that two
	// parts share, and would later send the whole page. It would overwrite the part that another
	// machine had written meanwhile.
	flags := os.O_WRONLY
	if !begun {
		flags |= os.O_CREATE
	}
	f, err := os.OpenFile(name, flags, 0o666)
	lost := fmt.Errorf("%s was removed or cut off after parts were done; without %s%s, all of them begin again", name, name, jobFile)
	if begun && errors.Is(err, fs.ErrNotExist) {
		return nil, lost
	}
	if err != nil {
		return nil, err
	}
	size += int64(len(header))
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.Size() < size && begun:
		err = lost
	case info.Size() > size:
		err = fmt.Errorf("%s has %d bytes, more than the %d of this job; remove it first", name, info.Size(), size)
	case info.Size() < size:
		err = lengthen(f, info.Size(), size) // all processes make it equally long
	}
	if err == nil {
		_, err = f.WriteAt(header, 0)
	}
	if err != nil {
		err = errors.Join(err, f.Close())
	}
	return f, err
}
