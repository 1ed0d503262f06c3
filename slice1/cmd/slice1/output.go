package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/cmd/slice1/internal/outofcore"
	"github.com/seed2e45c115/dml/slice1/imageslice"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// refuses returns the error of a picture format that cannot hold s.
func (f *format) refuses(s *slice, advice string) error {
	return fmt.Errorf("a %s holds %s of shape [height, width] or [height, width, channels] with %s channels, not %v %v%s",
		strings.ToUpper(f.name), f.types, f.channels, s.result.typeName(), brackets(s.shape), advice)
}

// splitOut splits the name of OUT, if it is like out.npz:x, into a file and a member.
func (j *job) splitOut() {
	const ending = ".npz:"
	if i := strings.LastIndex(strings.ToLower(j.target), ending) + len(ending); i >= len(ending) && i < len(j.target) {
		j.target, j.member = j.target[:i-1], j.target[i:]
	}
}

// extension returns the extension of a file's name, in lower case and without the point.
func extension(name string) string {
	return strings.TrimPrefix(strings.ToLower(filepath.Ext(name)), ".")
}

// setFormat sets the format of OUT. -to decides, or else OUT's extension. Without -to and a known
// extension, standard output, a device and a named pipe get "raw" from raw elements, else "npy".
// Any other OUT is then a usage error.
func (j *job) setFormat() error {
	if j.format = formatOf(cmp.Or(j.ending, extension(j.target))); j.format != nil {
		return nil
	}
	info, err := os.Stat(j.target)
	if j.target != "-" && (err != nil || info.Mode().IsRegular() || info.IsDir()) {
		return usagef("%s: output is .npy, .npz, .raw, .bin, .png, .jpg, .ppm or .pgm; -to says which for other names", j.target)
	}
	j.format = formatOf("npy")
	if j.raw != "" {
		j.format = formatOf("raw")
	}
	return nil
}

// fits returns an error if the result is too large, if the format cannot hold it, or if OUT's
// member or -quality are for another format.
func (j *job) fits(s *slice) error {
	name := j.format.name
	switch err := s.checkSize(); {
	case j.parts > 0 && (name != "npy" && name != "raw" || j.member != ""):
		return usagef("-part writes npy or raw, not %s", name)
	case err != nil:
		return err
	case j.member != "" && name != "npz":
		return usagef("%s:%s: members are of .npz", j.target, j.member)
	case s.strided() && name != "raw":
		return usagef("%s: output strides and a TotalSize beyond the elements need raw output", j.desc)
	case j.quality != 0 && name != "jpeg":
		return usagef("-quality is for JPEG")
	case j.format.picture():
		return j.checkPicture(s)
	}
	return nil
}

// write slices s and writes the result.
func (j *job) write(s *slice, dst outofcore.Output) error {
	if lost := j.lost(s); lost != "" {
		j.note(s.input.name + ": " + lost)
	}
	switch f := j.format; {
	case j.parts > 0:
		return j.run(s, dst)
	case f.picture() && (f.name != "pnm" || !s.result.BigEndian && s.result.Type != slice1.Uint8):
		return j.writePicture(s, dst.W)
	case f.name != "npz":
		return j.writeArray(s, f.name, dst)
	}
	if f := fileOf(dst); f != nil {
		if err := roomFor(f, s.size()); err != nil {
			return err
		}
	}
	z := zip.NewWriter(dst.W)
	epoch := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC) // the first date that a ZIP can hold; NumPy writes it too
	w, err := z.CreateHeader(&zip.FileHeader{Name: j.memberName(), Method: zip.Store, Modified: epoch})
	if err != nil {
		return err
	}
	return errors.Join(j.writeArray(s, "npy", outofcore.Output{W: w}), z.Close())
}

// writeArray slices s and writes the result, after its header. A file gets its header last, since
// the header says how many rows came.
func (j *job) writeArray(s *slice, format string, dst outofcore.Output) (err error) {
	start, file := s.header(format), fileOf(dst)
	switch {
	case file == nil && len(start) > 0:
		_, err = dst.W.Write(start)
	case file != nil && !s.input.open:
		err = lengthen(file, 0, int64(len(start))+max(s.size(), s.spans()))
	}
	if err != nil {
		return err
	}
	dst.Base = int64(len(start))
	if err = j.run(s, dst); err == nil && file != nil {
		_, err = file.WriteAt(s.header(format), 0)
	}
	return err
}

// header returns what stands before the elements in a format: nothing in raw.
func (s *slice) header(format string) []byte {
	switch format {
	case "raw":
		return nil
	case "pnm":
		return s.pnmHeader()
	}
	h := s.result.Header
	h.Shape = s.shape
	header, err := npy.AppendHeader(nil, h)
	if err != nil {
		panic(err) // an output has a type of .npy, and fewer elements than its input
	}
	return header
}

// memberName returns the name in the archive of the member that is written.
func (j *job) memberName() string {
	return strings.TrimSuffix(cmp.Or(j.member, "arr_0"), ".npy") + ".npy"
}

// loses returns an error if OUT exists and has other members than the one that is written. A file
// that is no archive is taken for one that has.
func (j *job) loses() error {
	z, err := zip.OpenReader(j.target)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		defer z.Close()
		if len(z.File) == 1 && z.File[0].Name == j.memberName() {
			return nil
		}
	}
	return fmt.Errorf("%s exists, and its other members would be lost; write a new file", j.target)
}

// checkPicture returns an error if a picture format cannot hold the result of s. The reason is its
// type, its shape, an extent that is 0 or too large, or that floats or booleans would become
// samples although no flag says which of them is white.
func (j *job) checkPicture(s *slice) error {
	const sample = 8 // bytes of the largest pixel
	f, shape, name := j.format, s.shape, strings.ToUpper(j.format.name)
	channels := channelsOf(shape)
	switch _, white, _ := bounds(s.result.Type); {
	case s.result.Descr != "" || !f.holdsType(s.result.Type):
		return f.refuses(s, j.advice(s.input))
	case len(shape) < 2 || len(shape) > 3 || channels != 1 && channels != 3 && channels != 4:
		return f.refuses(s, "")
	case (isFloat(s.input.Type) || isBool(s.input.Header)) && j.count() == 0:
		return fmt.Errorf("a %s has samples of 0 to %.0f: -scale %.0[2]f makes them of numbers from 0 to 1, -scale 1 of numbers from 0 to %.0[2]f", name, white)
	case channels == 4 && f.name != "png":
		return f.refuses(s, "; [..., :3] leaves alpha out")
	case shape[0] == 0 || shape[1] == 0:
		return fmt.Errorf("a %s cannot be empty, as %v is", name, brackets(shape))
	case max(shape[0], shape[1]) > f.limit || sizeOf(sample, shape[:2]) < 0:
		return fmt.Errorf("%v is too large for a %s", brackets(shape), name)
	}
	return nil
}

// writePicture slices s into memory and writes it as a PNG, JPEG or PNM. checkPicture must have
// accepted it.
func (j *job) writePicture(s *slice, w io.Writer) error {
	height, width, channels, size := s.shape[0], s.shape[1], channelsOf(s.shape), s.result.Type.Size()
	pnm, samples := j.format.name == "pnm", channels
	if channels == 3 && !pnm { // the pixels of a picture in memory have four samples
		samples = 4
		strides := s.desc.Output.MemoryStrides()
		for i, n := range strides {
			if n > 1 { // outside the channels
				strides[i] = n / 3 * 4
			}
		}
		s.desc.Output.Strides = strides
	}
	if err := s.input.claim(sizeOf(int64(samples*size), s.shape[:2])); err != nil {
		return err
	}
	var m image.Image
	var pix []byte
	if pnm {
		pix = make([]byte, s.size())
	} else {
		m = newImage(width, height, channels, size == 2)
		pix, _, _ = imageslice.View(m)
	}
	if err := j.timed(s, false, func(plan plan) error { return j.sliceInto(plan, s, pix) }); err != nil {
		return err
	}
	if size == 2 && !s.result.BigEndian { // all formats have big-endian samples
		swapPairs(pix)
	}
	b := bufio.NewWriterSize(w, 64<<10) // encoders write a few bytes at a time
	var err error
	switch opaque, ok := m.(interface{ Opaque() bool }); {
	case pnm:
		_, _ = b.Write(s.pnmHeader()) // b keeps its error
		_, err = b.Write(pix)
	case j.format.name == "jpeg":
		err = jpeg.Encode(b, m, &jpeg.Options{Quality: cmp.Or(j.quality, 90)})
	case channels == 4 && ok && opaque.Opaque():
		err = png.Encode(b, withAlpha{m})
	default:
		err = png.Encode(b, m)
	}
	if err != nil {
		return err
	}
	return b.Flush()
}

// withAlpha is a picture of which png.Encode keeps the alpha channel, though all of it is opaque.
type withAlpha struct{ image.Image }

func (withAlpha) Opaque() bool { return false }

// maxParts is the largest n of -part i/n. Each process computes all n parts.
const maxParts = 100_000

// setPart sets j.part and j.parts from the value of -part.
func (j *job) setPart(value string) error {
	part, parts, _ := strings.Cut(value, "/")
	i, err := strconv.Atoi(part)
	n, failed := strconv.Atoi(parts)
	if err != nil || failed != nil || i < 1 || n < i || n > maxParts {
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
func (j *job) createPart(s *slice, file *target) (output outofcore.Output, end func(error) error, err error) {
	switch {
	case s.input.stat == nil:
		return output, nil, usagef("-part is for files, and %s is none", s.input.name)
	case file.old != nil && os.SameFile(s.input.stat, file.old):
		return output, nil, usagef("%s is input and output: -part leaves its input as it is", j.target)
	case s.strided():
		return output, nil, usagef("%s: -part takes slices without output strides", j.desc)
	}
	header := s.header(j.format.name)
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
		err = addLine(file.path + jobFile)
	}
	if err == nil && !s.empty {
		var shards []slice1.Shard
		shards, err = s.desc.Split(j.parts)
		if s.empty = j.part > len(shards); !s.empty { // there are no more parts than elements
			shard := shards[j.part-1]
			output.Base += shard.Offset
			s.desc, s.shape = shard.Desc, shard.Desc.Output.Sizes
			if s.input.Inner > 1 {
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
	input, member := splitMember(j.source)
	info, name := s.input.stat, file.path+jobFile
	text := fmt.Appendf(nil, "%d parts of a slice\ninput %q, %d bytes of %v, %s, -skip %d, -orient %d\nheader %q\n", j.parts, filepath.Base(input)+":"+member,
		info.Size(), info.ModTime().UTC(), s.input.kind(), j.skip, j.orient, header)
	if !s.empty {
		saved, err := s.explainJSON()
		if err != nil {
			return false, err
		}
		text = append(text, saved...)
	}
	found, err := readJob(name)
	if errors.Is(err, fs.ErrNotExist) {
		if file.old != nil && !j.force {
			return false, file.exists()
		}
		failed := writeNew(name, text)
		if failed == nil {
			return false, nil
		}
		if found, err = readJob(name); err != nil { // else another process came first
			return false, failed
		}
	}
	lines, extends := bytes.CutPrefix(found, text)
	if err == nil && (!extends || len(bytes.TrimLeft(lines, "\n")) > 0) {
		err = fmt.Errorf("%s is of another job: of another slice, input or number of parts; without that file, this one begins", name)
	}
	return len(lines) > 0, err
}

// addLine adds an empty line to OUT.job. Several processes may do so.
func addLine(name string) error {
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
	switch info, failed := f.Stat(); {
	case failed != nil:
		err = failed
	case info.Size() > size:
		err = fmt.Errorf("%s has %d bytes, more than the %d of this job; remove it first", name, info.Size(), size)
	case info.Size() < size && begun:
		err = lost
	case info.Size() < size:
		err = lengthen(f, info.Size(), size) // all processes make it equally long
	}
	if err == nil {
		_, err = f.WriteAt(header, 0)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
