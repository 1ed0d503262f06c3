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

// maxParts bounds the parts of a job, each of which every process knows.
const maxParts = 100_000

// setPart takes the value of -part.
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
//	job.json  what the job is, the same for all of them
//	data      the output, until it takes its name
//	1, 2, ... an empty file for each part that is done
//
// The folder appears with the first two in it, and only data ever goes, when all parts are
// done: what another machine sees late is never made twice. A process that dies leaves a
// part that is not marked, which is done again.
type share struct {
	folder string
	root   *os.Root // the folder, which another of its name is not
	parts  int
	input  fs.FileInfo // before it was opened
	to     *target
}

func (s *share) at(name string) string { return filepath.Join(s.folder, name) }

// named gives an error of a name in the folder the folder's name.
func (s *share) named(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", s.folder, err)
}

// copyPart does the job of -part.
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

// newShare returns the share of the job, with the folder not opened yet, if parts can be made
// of the input and the output.
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

// split returns the parts of the slice, which are fewer than n if that has fewer elements.
func (s *slice) split(n int) ([]slice1.Shard, error) {
	if s.empty {
		return nil, nil
	}
	return s.desc.Split(n)
}

// join finds the folder of the job, and its job to be the same, or makes it.
func (j *job) join(work *share, s *slice, header []byte, shards []slice1.Shard) error {
	text, err := j.describe(s, work.input, header, shards)
	if err != nil {
		return err
	}
	switch _, err := os.Stat(work.folder); {
	case errors.Is(err, fs.ErrNotExist):
		// The folder is there before the output of the same job is.
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

// writeSynced writes a file that begins with text, is size bytes long, and is on the disk.
func writeSynced(name string, text []byte, size int64) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	// Not the text first: a client of NFS that has written all of a file's only page sends
	// all of it with a later part, too.
	err = f.Truncate(size)
	_, err2 := f.WriteAt(text, 0)
	return errors.Join(err, err2, f.Sync(), f.Close())
}

// describe returns what must be the same for all parts.
func (j *job) describe(s *slice, input fs.FileInfo, header []byte, shards []slice1.Shard) ([]byte, error) {
	file, member, _ := cutMember(j.in)
	cuts := sha256.New()
	for _, shard := range shards {
		fmt.Fprintln(cuts, shard.Offset, shard.Desc.Output.Sizes)
	}
	text, err := json.MarshalIndent(struct {
		Parts     int
		Cuts      string // where they begin and how long they are
		Header    string
		BigEndian bool
		Input     string // in whatever folder: other machines may have it elsewhere
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

// doPart slices the part into its place on the disk.
func (j *job) doPart(whole *slice, base int64, shards []slice1.Shard, work *share) error {
	// Not for reading: a client of NFS would read the pages that two parts share, and send
	// all of such a page, with what was there before another machine wrote its part.
	f, err := work.root.OpenFile("data", os.O_WRONLY, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // all are done, this one too
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
	// An input that is gone was read to the end.
	if in, gone := os.Stat(file); err == nil && gone == nil && (in.Size() != work.input.Size() || !in.ModTime().Equal(work.input.ModTime())) {
		err = fmt.Errorf("%s changed while it was read", file)
	}
	return errors.Join(err, f.Close())
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

// mark makes the empty file that says a part is done, which is on the disk by then. It is
// on the disk, too, when mark returns, whoever made it.
func (s *share) mark(name string) error {
	if err := s.stays(); err != nil {
		return err
	}
	f, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	switch {
	case err == nil:
		err = f.Close()
	case errors.Is(err, fs.ErrExist):
		err = nil // another process did it, too
	}
	return errors.Join(s.named(err), syncFolder(s.folder), syncFolder(filepath.Dir(s.folder)))
}

// stays returns an error if the folder does not have its name any longer. A folder that has
// the name then belongs to another job, or to a new start of this one.
func (s *share) stays() error {
	here, err := s.root.Stat(".")
	there, err2 := os.Stat(s.folder)
	if err != nil || err2 != nil || !os.SameFile(here, there) {
		return fmt.Errorf("%s was taken away while a part was done", s.folder)
	}
	return nil
}

// finish gives the output its name if all parts are done and no other process does. It
// reports whether the output has it, or had it.
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
		// Where no renaming keeps what is there, the other process takes two steps.
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

// renamed reports whether the output has its name. If it still has its name among the parts
// too, since a process ended between linking the one and removing the other, renamed removes
// the latter.
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
