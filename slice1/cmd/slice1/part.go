package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/outofcore"
)

// setPart takes the value of -part.
func (j *job) setPart(value string) error {
	part, parts, ok := strings.Cut(value, "/")
	i, err := strconv.Atoi(part)
	n, err2 := strconv.Atoi(parts)
	if !ok || err != nil || err2 != nil || i < 1 || n < i {
		return errors.New("not i/n with i from 1 to n")
	}
	j.part, j.parts = i, n
	return nil
}

// share is a job that several processes do, each a part of it. Its folder, beside the
// output, holds
//
//	job.json  what the job is, the same for all of them
//	data      the output, until it takes its name
//	1, 2, ... an empty file for each part that is done
//
// The folder appears with the first two in it, and only data ever goes, when all parts are
// done: what another machine sees late is never made twice. A process that dies leaves a
// part that is not marked, which is done again.
type share struct {
	folder string
	parts  int
	to     *target
}

func (s *share) at(name string) string { return filepath.Join(s.folder, name) }

// copyPart does the job of -part.
func (j *job) copyPart() error {
	format, err := j.format()
	switch {
	case err != nil:
		return err
	case format != "npy" && format != "raw":
		return usagef("-part writes npy or raw, not %s", format)
	case j.in == "-" || strings.HasPrefix(j.in, "-:") || j.out == "-":
		return usagef("-part is for files, not for pipes")
	}
	to, stream, err := newTarget(j.out, true)
	switch {
	case err != nil:
		return err
	case stream:
		return usagef("-part is for files, and %s is none", j.out)
	}
	to.force = j.force
	whole, err := j.load()
	if err != nil {
		return err
	}
	defer whole.in.close()
	if err := j.fits(whole, format); err != nil {
		return err
	}
	if whole.strided() {
		return usagef("%s: -part takes slices without output strides", j.desc)
	}
	shards, err := whole.split(j.parts)
	if err != nil {
		return err
	}
	header := []byte(nil)
	if format == "npy" {
		header = whole.header()
	}
	work, err := j.join(whole, header, shards, to)
	if err != nil {
		return err
	}
	switch _, err := os.Stat(work.at(strconv.Itoa(j.part))); {
	case errors.Is(err, fs.ErrNotExist):
		if err := j.doPart(whole, int64(len(header)), shards, work); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	return work.finish()
}

// split returns the parts of the slice, which are fewer than n if that has fewer elements.
func (s *slice) split(n int) ([]slice1.Shard, error) {
	if s.empty {
		return nil, nil
	}
	return s.desc.Split(n)
}

// join finds the folder of the job, and its job to be the same, or makes it.
func (j *job) join(s *slice, header []byte, shards []slice1.Shard, to *target) (*share, error) {
	work := &share{folder: to.path + ".parts", parts: j.parts, to: to}
	text, err := j.describe(s, header, shards)
	if err != nil {
		return nil, err
	}
	switch _, err := os.Stat(work.folder); {
	case errors.Is(err, fs.ErrNotExist):
		// The folder is there before the output of the same job is.
		if to.old != nil && !to.force {
			return nil, to.exists()
		}
		if err := work.begin(text, header, s.size()); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	}
	there, err := os.ReadFile(work.at("job.json"))
	switch {
	case err != nil:
		return nil, err
	case !bytes.Equal(there, text):
		return nil, fmt.Errorf("%s is of another job: of another slice, input or number of parts; without that folder, this one begins", work.folder)
	}
	return work, nil
}

// begin makes the folder, with all that is in it at the beginning, or finds that another
// process has done so.
func (s *share) begin(text, header []byte, size int64) error {
	path := filepath.Dir(s.folder)
	made := &share{folder: filepath.Join(path, fmt.Sprintf(".slice1-%08x.tmp", rand.Uint32()))}
	err := os.Mkdir(made.folder, 0o777)
	if err != nil {
		return s.to.named(err, made.folder)
	}
	err = errors.Join(writeSynced(made.at("job.json"), text, int64(len(text))),
		writeSynced(made.at("data"), header, int64(len(header))+size), syncFolder(made.folder))
	if err == nil {
		if err = os.Rename(made.folder, s.folder); err == nil {
			return syncFolder(path)
		}
		if isFolder(s.folder) {
			err = nil
		}
	}
	for _, name := range []string{made.at("job.json"), made.at("data"), made.folder} {
		os.Remove(name)
	}
	return err
}

// writeSynced writes a file that begins with text, is size bytes long, and is on the disk.
func writeSynced(name string, text []byte, size int64) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Truncate(size), f.Sync(), f.Close())
}

// describe returns what must be the same for all parts.
func (j *job) describe(s *slice, header []byte, shards []slice1.Shard) ([]byte, error) {
	file, _, _ := cutMember(j.in)
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	cuts := sha256.New()
	for _, shard := range shards {
		fmt.Fprintln(cuts, shard.Offset, shard.Desc.Output.Sizes)
	}
	text, err := json.MarshalIndent(struct {
		Parts     int
		Cuts      string // where they begin and how long they are
		Header    string
		BigEndian bool
		InputSize int64
		InputTime time.Time
		Job       *savedJob
	}{j.parts, fmt.Sprintf("%x", cuts.Sum(nil)), fmt.Sprintf("%q", header), s.in.bigEndian, info.Size(), info.ModTime().UTC().Truncate(time.Second), s.save()}, "", "  ")
	return append(text, '\n'), err
}

// doPart slices the part into its place and marks it as done.
func (j *job) doPart(whole *slice, base int64, shards []slice1.Shard, work *share) error {
	f, err := os.OpenFile(work.at("data"), os.O_RDWR, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // all are done, this one too
	case err != nil:
		return err
	}
	if j.part <= len(shards) {
		err = j.runPart(whole, &shards[j.part-1], f, base)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return work.mark(strconv.Itoa(j.part))
}

// runPart slices a shard into the file of the whole, whose elements begin at base.
func (j *job) runPart(whole *slice, shard *slice1.Shard, f *os.File, base int64) error {
	ctx := context.Background() // a signal ends the process: what it leaves is of use
	d := *shard.Desc
	d.Output = slice1.TensorDesc{DataType: d.Output.DataType, Sizes: d.Output.Sizes}
	origin := position(shard.Offset/int64(d.Output.DataType.Size()), whole.desc.Output.Sizes)
	s := &slice{in: whole.in, desc: &d, shape: d.Output.Sizes}
	if whole.in.inner > 1 {
		s.shape = s.shape[:len(s.shape)-1] // without the parts of an element
	}
	sizes := whole.desc.Output.Sizes
	place := outofcore.Place(&d, origin, sizes)
	system := j.bySystem(s) && place.Runs() == 1
	return j.timed(s, system, func(p plan) error {
		switch {
		case system:
			if _, err := f.Seek(base+place.First, io.SeekStart); err != nil {
				return err
			}
			return j.copyRun(ctx, s, sink{w: f})
		case j.gpu:
			out := make([]byte, place.Bytes())
			if err := j.into(ctx, p, s, out); err != nil {
				return err
			}
			place.First += base
			return place.Write(f, out)
		}
		return j.slicer(s.in, p.Kernel()).PartToFile(ctx, &d, origin, sizes, f, base)
	})
}

// position returns the indices of an element of a row-major array.
func position(element int64, sizes []int) []int {
	at := make([]int, len(sizes))
	for axis := len(sizes) - 1; axis >= 0; axis-- {
		at[axis] = int(element % int64(sizes[axis]))
		element /= int64(sizes[axis])
	}
	return at
}

// mark makes the empty file that says a part is done, which is on the disk by then.
func (s *share) mark(name string) error {
	f, err := os.OpenFile(s.at(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil // another process did it, too
	case err != nil:
		return err
	}
	return errors.Join(f.Close(), syncFolder(s.folder))
}

// finish gives the output its name if all parts are done and no other process does.
func (s *share) finish() error {
	entries, err := os.ReadDir(s.folder)
	if err != nil {
		return err
	}
	done := 0
	for _, e := range entries {
		if i, err := strconv.Atoi(e.Name()); err == nil && i >= 1 && i <= s.parts {
			done++
		}
	}
	if done < s.parts || s.renamed() {
		return nil
	}
	if s.to.old != nil {
		if err := os.Chmod(s.at("data"), s.to.old.Mode().Perm()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := s.to.takeName(s.at("data")); err != nil {
		// Where no renaming keeps what is there, the other process takes two steps.
		for range 8 {
			if s.renamed() {
				return nil
			}
			time.Sleep(50 * time.Millisecond)
		}
		return s.to.named(err, s.at("data"))
	}
	return syncFolder(filepath.Dir(s.to.path))
}

// renamed reports whether the output has its name. It takes away the other one, where
// a process has ended between the two.
func (s *share) renamed() bool {
	data, err := os.Stat(s.at("data"))
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	out, err := os.Stat(s.to.path)
	return err == nil && os.SameFile(data, out) && os.Remove(s.at("data")) == nil
}

// syncFolder puts the names in a folder on the disk, where the system can.
func syncFolder(name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
