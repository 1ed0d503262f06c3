package main

import (
	"archive/zip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/cmd/slice1/internal/outofcore"
)

// formats maps the extensions of OUT, without the point and in lower case, and the values of -to
// to output formats.
var formats = map[string]string{
	"npy": "npy", "npz": "npz", "raw": "raw", "bin": "raw", "png": "png",
	"jpg": "jpeg", "jpeg": "jpeg", "pnm": "pnm", "ppm": "pnm", "pgm": "pnm",
}

// splitOut splits j.out, if it is like out.npz:x, into the file j.out and the member j.outMember.
func (j *job) splitOut() {
	const ending = ".npz:"
	if i := strings.LastIndex(strings.ToLower(j.out), ending); i >= 0 && len(j.out) > i+len(ending) {
		j.out, j.outMember = j.out[:i+len(ending)-1], j.out[i+len(ending):]
	}
}

// formatOf returns the format of OUT: "npy", "npz", "raw", "png", "jpeg" or "pnm". -to decides, or
// else OUT's extension. Without -to and a known extension, standard output, a device and a named
// pipe get "raw" from raw elements, else "npy". Any other OUT is then a usage error.
func (j *job) formatOf() (string, error) {
	if j.to != "" {
		return formats[j.to], nil
	}
	if ext := strings.ToLower(filepath.Ext(j.out)); ext != "" && formats[ext[1:]] != "" {
		return formats[ext[1:]], nil
	}
	info, err := os.Stat(j.out)
	switch {
	case j.out != "-" && (err != nil || info.Mode().IsRegular() || info.IsDir()):
		return "", usagef("%s: output is .npy, .npz, .raw, .bin, .png, .jpg, .ppm or .pgm; -to says which for other names", j.out)
	case j.raw != "":
		return "raw", nil
	}
	return "npy", nil
}

// fits returns an error if the result is too large, if the format cannot hold it, or if OUT's
// member or -quality are for another format.
func (j *job) fits(s *slice, format string) error {
	switch {
	case j.parts > 0 && (format != "npy" && format != "raw" || j.outMember != ""):
		return usagef("-part writes npy or raw, not %s", format)
	case s.size() < 0 && !s.in.open:
		return s.tooLarge()
	case j.outMember != "" && format != "npz":
		return usagef("%s:%s: members are of .npz", j.out, j.outMember)
	case s.strided() && format != "raw":
		return usagef("%s: output strides and a TotalSize beyond the elements need raw output", j.desc)
	case j.quality != 0 && format != "jpeg":
		return usagef("-quality is for JPEG")
	case holds[format] != "":
		return j.checkPicture(s, format)
	}
	return nil
}

// fileOf returns the file that is written at any offset, or nil for a stream.
func fileOf(to outofcore.Output) *os.File {
	f, _ := to.File.(*os.File)
	return f
}

// seek makes the Writer of an output go on at the first element.
func seek(to outofcore.Output) (err error) {
	if f := fileOf(to); f != nil {
		_, err = f.Seek(to.Base, io.SeekStart)
	}
	return err
}

// write slices s and writes the result in the given format.
func (j *job) write(s *slice, format string, to outofcore.Output) error {
	if lost := j.lost(s); lost != "" && !j.quiet {
		j.note(s.in.name + ": " + lost)
	}
	switch {
	case j.parts > 0:
		return j.run(s, to)
	case holds[format] != "" && (format != "pnm" || !s.out.BigEndian && s.out.Type != slice1.Uint8):
		return j.writePicture(s, format, to.W)
	case format != "npz":
		return j.writeArray(s, format, to)
	}
	if f := fileOf(to); f != nil {
		if err := roomFor(f, s.size()); err != nil {
			return err
		}
	}
	z := zip.NewWriter(to.W)
	epoch := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC) // the first date that a ZIP can hold; NumPy writes it too
	w, err := z.CreateHeader(&zip.FileHeader{Name: j.member(), Method: zip.Store, Modified: epoch})
	if err != nil {
		return err
	}
	return errors.Join(j.writeArray(s, "npy", outofcore.Output{W: w}), z.Close())
}

// writeArray slices s and writes the result, after its header. A file gets its header last, since
// the header says how many rows came.
func (j *job) writeArray(s *slice, format string, to outofcore.Output) (err error) {
	start, file := s.header(format), fileOf(to)
	switch {
	case file == nil && len(start) > 0:
		_, err = to.W.Write(start)
	case file != nil && !s.in.open:
		err = lengthen(file, 0, int64(len(start))+max(s.size(), s.spans()))
	}
	if err != nil {
		return err
	}
	to.Base = int64(len(start))
	if err = j.run(s, to); err == nil && file != nil {
		_, err = file.WriteAt(s.header(format), 0)
	}
	return err
}

// lengthen lengthens a file from one length to another, with zeros. So a disk that is too small is
// an error at once and not in the middle.
func lengthen(f *os.File, from, to int64) error {
	if err := roomFor(f, to-from); err != nil {
		return err
	}
	return f.Truncate(to)
}
