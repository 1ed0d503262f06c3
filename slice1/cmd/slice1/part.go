package main

import (
	"bytes"
	"cmp"
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

// share is a job that several processes do, each a part of it. Its folder, beside the
// output, holds
//
//	job.json  what must be the same for all processes
//	data      the output, until it gets the output's name
//	1, 2, ... the marks: an empty file for each part that is done
//
// The folder appears with job.json and data in it. The only file that later goes is data, when
// all parts are done. A machine that sees the files late therefore makes none of them twice. If
// a process dies, its part has no mark; another process that is given the part does it again.
type share struct {
	folder string      // the path of the folder
	root   *os.Root    // the folder itself, also if another folder gets its path; nil before join
	parts  int         // the n of -part i/n
	input  fs.FileInfo // of the input's file, from before it was opened
	to     *target
}

func (s *share) at(name string) string { return filepath.Join(s.folder, name) }

// named returns an error with the folder's path before it, or nil for nil.
func (s *share) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", s.folder, err)
}

// copyPart does part j.part of the job, unless that is done, and marks it. If all parts are then
// done, it gives the output its name.
func (j *job) copyPart() error {
	format, err := j.format()
	switch {
	case err != nil:
		return err
	case format != "npy" && format != "raw":
		return usagef("-part writes npy or raw, not %s", format)
	}
	work, err := j.newShare()
	if err != nil {
		return err
	}
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
	if err := j.join(work, whole, header, shards); err != nil {
		return err
	}
	defer work.root.Close()
	name := strconv.Itoa(j.part)
	if _, err = work.root.Stat(name); errors.Is(err, fs.ErrNotExist) {
		err = j.doPart(whole, int64(len(header)), shards, work)
	}
	if err == nil {
		err = work.mark(name)
	}
	if err != nil {
		return err
	}
	named, err := work.finish()
	if _, gone := os.Stat(work.to.path); named && !j.quiet && errors.Is(gone, fs.ErrNotExist) {
		j.note(fmt.Sprintf("%s was complete and is not there; without %s, it is made anew", work.to.path, work.folder))
	}
	return err
}

// newShare returns the share of the job; join then makes or opens its folder. It is an error if the
// input is not a regular file, if the output exists and is not one, or if they are the same file.
func (j *job) newShare() (*share, error) {
	if j.in == "-" || strings.HasPrefix(j.in, "-:") || j.out == "-" {
		return nil, usagef("-part is for files, not for pipes")
	}
	to, stream, err := newTarget(j.out, true)
	switch {
	case err != nil:
		return nil, err
	case stream:
		return nil, usagef("-part is for files, and %s is none", j.out)
	}
	to.force = j.force
	file, _, _ := cutMember(j.in)
	in, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, err
	case !in.Mode().IsRegular():
		return nil, usagef("-part is for files, and %s is none", file)
	case to.old != nil && os.SameFile(in, to.old):
		return nil, usagef("%s is input and output: -part keeps its input, for parts that are done again", j.out)
	}
	return &share{folder: to.path + ".parts", parts: j.parts, input: in, to: to}, nil
}

// split returns the n parts of the slice, or as many as the slice has elements if these are fewer.
func (s *slice) split(n int) ([]slice1.Shard, error) {
	if s.empty {
		return nil, nil
	}
	return s.desc.Split(n)
}

// join opens the folder of the job, which it makes if there is none. It is an error if the folder is
// that of another job or, where it must be made, if the output exists and force is false.
func (j *job) join(work *share, s *slice, header []byte, shards []slice1.Shard) error {
	text, err := j.describe(s, work.input, header, shards)
	if err != nil {
		return err
	}
	switch _, err := os.Stat(work.folder); {
	case errors.Is(err, fs.ErrNotExist):
		// Without a folder, the file with the output's name is not the output of this job.
		if work.to.old != nil && !work.to.force {
			return work.to.exists()
		}
		if err := work.begin(text, header, s.size()); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	if work.root, err = os.OpenRoot(work.folder); err != nil {
		return err
	}
	there, err := fs.ReadFile(work.root.FS(), "job.json")
	switch {
	case err != nil:
		err = work.named(err)
	case !bytes.Equal(there, text):
		err = fmt.Errorf("%s is of another job: of another slice, input or number of parts; without that folder, this one begins", work.folder)
	default:
		return nil
	}
	return errors.Join(err, work.root.Close())
}

// begin makes the folder with two files: job.json, which holds text, and data, which holds the header
// and size zeros. The folder gets its path when both are on the disk. If another process has made the
// folder meanwhile, begin leaves that folder as it is and returns nil.
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
			return nil
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

// writeSynced makes a file of size bytes, which begins with text and goes on with zeros, and waits
// until it is on the disk.
func writeSynced(name string, text []byte, size int64) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	// The size is set first. If the text were all of the file, a client of NFS would hold the
	// whole page of it, and would send that page again when it writes a part there, over what
	// other machines have written.
	err = f.Truncate(size)
	_, err2 := f.WriteAt(text, 0)
	return errors.Join(err, err2, f.Sync(), f.Close())
}

// describe returns the text of job.json: what must be the same for all processes.
func (j *job) describe(s *slice, input fs.FileInfo, header []byte, shards []slice1.Shard) ([]byte, error) {
	file, member, _ := cutMember(j.in)
	cuts := sha256.New()
	for _, shard := range shards {
		fmt.Fprintln(cuts, shard.Offset, shard.Desc.Output.Sizes)
	}
	text, err := json.MarshalIndent(struct {
		Parts     int
		Cuts      string // a checksum of where the parts begin and of their extents
		Header    string
		BigEndian bool
		Input     string // the name without the folder, which may be another one on other machines
		Member    string
		Orient    int
		Skip      int64
		InputSize int64
		InputTime time.Time
		Job       *savedJob
	}{j.parts, fmt.Sprintf("%x", cuts.Sum(nil)), fmt.Sprintf("%q", header), s.in.bigEndian, filepath.Base(file), cmp.Or(j.member, member), j.orient, j.skip,
		input.Size(), input.ModTime().UTC().Truncate(time.Second), s.save()}, "", "  ")
	return append(text, '\n'), err
}

// doPart slices part j.part into its place in data, and waits until it is on the disk. It is an
// error if the input's file has another length or time of change after that than before.
func (j *job) doPart(whole *slice, base int64, shards []slice1.Shard, work *share) error {
	// data is not opened for reading. Otherwise a client of NFS would read the pages that two
	// parts share, and would send such a page whole, with what was there before another machine
	// wrote its part.
	f, err := work.root.OpenFile("data", os.O_WRONLY, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // data has the output's name, so that all parts are done
	case err != nil:
		return work.named(err)
	}
	if j.part <= len(shards) {
		err = j.runPart(whole, &shards[j.part-1], f, base)
	}
	if err == nil {
		err = f.Sync()
	}
	file, _, _ := cutMember(j.in)
	// If the input was removed meanwhile, it was still read to the end.
	if in, gone := os.Stat(file); err == nil && gone == nil && (in.Size() != work.input.Size() || !in.ModTime().Equal(work.input.ModTime())) {
		err = fmt.Errorf("%s changed while it was read", file)
	}
	return errors.Join(err, f.Close())
}

// runPart slices a shard into its place in f, the file of the whole slice, whose elements begin at
// byte base.
func (j *job) runPart(whole *slice, shard *slice1.Shard, f *os.File, base int64) error {
	ctx := context.Background() // signals are not caught: there is nothing to remove after one
	d := *shard.Desc
	d.Output = slice1.TensorDesc{DataType: d.Output.DataType, Sizes: d.Output.Sizes}
	origin := position(shard.Offset/int64(d.Output.DataType.Size()), whole.desc.Output.Sizes)
	s := &slice{in: whole.in, desc: &d, shape: d.Output.Sizes}
	if whole.in.inner > 1 {
		s.shape = s.shape[:len(s.shape)-1] // without the axis of an element's parts
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

// position returns the indices of an element of an array with these extents. Elements are counted
// in row-major order.
func position(element int64, sizes []int) []int {
	at := make([]int, len(sizes))
	for axis := len(sizes) - 1; axis >= 0; axis-- {
		at[axis] = int(element % int64(sizes[axis]))
		element /= int64(sizes[axis])
	}
	return at
}

// mark makes the mark of a part, whose data must be on the disk. When mark returns nil, the mark is
// on the disk, too, also if another process made it. It is an error if the folder has lost its path.
func (s *share) mark(name string) error {
	if err := s.stays(); err != nil {
		return err
	}
	f, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	switch {
	case err == nil:
		err = f.Close()
	case errors.Is(err, fs.ErrExist):
		err = nil // another process did the part, too
	}
	return errors.Join(s.named(err), syncFolder(s.folder), syncFolder(filepath.Dir(s.folder)))
}

// stays returns an error if the folder does not have its path any longer. If another folder has that
// path, it belongs to another job, or to a new start of this one.
func (s *share) stays() error {
	here, err := s.root.Stat(".")
	there, err2 := os.Stat(s.folder)
	if err != nil || err2 != nil || !os.SameFile(here, there) {
		return fmt.Errorf("%s was taken away while a part was done", s.folder)
	}
	return nil
}

// finish gives the output its name if all parts are done, unless another process does or did so. It
// reports whether the output got its name. The output may have been removed since.
func (s *share) finish() (named bool, err error) {
	entries, err := fs.ReadDir(s.root.FS(), ".")
	if err != nil {
		return false, err
	}
	done := 0
	for _, e := range entries {
		if i, err := strconv.Atoi(e.Name()); err == nil && i >= 1 && i <= s.parts && strconv.Itoa(i) == e.Name() {
			done++
		}
	}
	if done < s.parts {
		return false, nil
	}
	if err := s.stays(); err != nil {
		return false, err
	}
	if s.renamed() {
		return true, nil
	}
	if s.to.old != nil {
		if err := os.Chmod(s.at("data"), s.to.old.Mode().Perm()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	if err := s.to.takeName(s.at("data")); err != nil {
		// Another process may have given the output its name. Where it cannot rename without
		// replacing, it takes two steps for that, a link and a removal.
		for range 8 {
			if s.renamed() {
				return true, nil
			}
			time.Sleep(50 * time.Millisecond)
		}
		return false, s.to.named(err, s.at("data"))
	}
	return true, syncFolder(filepath.Dir(s.to.path))
}

// renamed reports whether the output has got its name: data is gone, or is the same file as the
// output. In the second case a process has linked the two and has not removed data, so that
// renamed removes it.
func (s *share) renamed() bool {
	data, err := os.Stat(s.at("data"))
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	out, err := os.Stat(s.to.path)
	return err == nil && os.SameFile(data, out) && os.Remove(s.at("data")) == nil
}

// syncFolder waits until the names in a folder are on the disk, if the system can do that; else it
// returns nil.
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
