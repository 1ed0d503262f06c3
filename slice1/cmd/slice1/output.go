package main

import (
	"archive/zip"
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/cmd/slice1/internal/outofcore"
	"github.com/seed2e45c115/dml/slice1/imageslice"
	"github.com/seed2e45c115/dml/slice1/npy"
)

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

// write slices s and writes the result in the given format.
func (j *job) write(s *slice, format string, dst outofcore.Output) error {
	if lost := j.lost(s); lost != "" && !j.quiet {
		j.note(s.in.name + ": " + lost)
	}
	switch {
	case j.parts > 0:
		return j.run(s, dst)
	case holds[format] != "" && (format != "pnm" || !s.out.BigEndian && s.out.Type != slice1.Uint8):
		return j.writePicture(s, format, dst.W)
	case format != "npz":
		return j.writeArray(s, format, dst)
	}
	if f := fileOf(dst); f != nil {
		if err := roomFor(f, s.size()); err != nil {
			return err
		}
	}
	z := zip.NewWriter(dst.W)
	epoch := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC) // the first date that a ZIP can hold; NumPy writes it too
	w, err := z.CreateHeader(&zip.FileHeader{Name: j.member(), Method: zip.Store, Modified: epoch})
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
	case file != nil && !s.in.open:
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
	h := s.out.Header
	h.Shape = s.shape
	header, err := npy.AppendHeader(nil, h)
	if err != nil {
		panic(err) // an output has a type of .npy, and fewer elements than its input
	}
	return header
}

// member returns the name in the archive of the member that is written.
func (j *job) member() string {
	return strings.TrimSuffix(cmp.Or(j.outMember, "arr_0"), ".npy") + ".npy"
}

// loses returns an error if OUT exists and has other members than the one that is written. A file
// that is no archive is taken for one that has.
func (j *job) loses() error {
	z, err := zip.OpenReader(j.out)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		defer z.Close()
		if len(z.File) == 1 && z.File[0].Name == j.member() {
			return nil
		}
	}
	return fmt.Errorf("%s exists, and its other members would be lost; write a new file", j.out)
}

// checkPicture returns an error if a picture format cannot hold the result of s. The reason is its
// type, its shape, an extent that is 0 or too large, or that floats or booleans would become
// samples although no flag says which of them is white.
func (j *job) checkPicture(s *slice, format string) error {
	shape, typ := s.shape, s.out.Type
	channels, name := channelsOf(shape), strings.ToUpper(format)
	if s.out.Descr != "" || !holdsType(format, typ) {
		return fmt.Errorf("%s, not %v %v%s", holds[format], s.out.typeName(), brackets(shape), j.advice(s.in))
	}
	if len(shape) < 2 || len(shape) > 3 || channels != 1 && channels != 3 && channels != 4 {
		return fmt.Errorf("%s, not %v %v", holds[format], s.out.typeName(), brackets(shape))
	}
	if (isFloat(s.in.Type) || isBool(s.in.Header)) && j.count() == 0 {
		_, white, _ := bounds(typ)
		return fmt.Errorf("a %s has samples of 0 to %.0f: -scale %.0[2]f makes them of numbers from 0 to 1, -scale 1 of numbers from 0 to %.0[2]f", name, white)
	}
	if channels == 4 && format != "png" {
		return fmt.Errorf("%s, not %v; [..., :3] leaves alpha out", holds[format], brackets(shape))
	}
	height, width := int64(shape[0]), int64(shape[1])
	if height == 0 || width == 0 {
		return fmt.Errorf("a %s cannot be empty, as %v is", name, brackets(shape))
	}
	limit := int64(math.MaxInt32)
	if format == "jpeg" {
		limit = math.MaxUint16
	}
	const sample = 8 // bytes of the largest pixel
	if height > limit || width > limit || height*width > maxAlloc/sample {
		return fmt.Errorf("%v is too large for a %s", brackets(shape), name)
	}
	return nil
}

// writePicture slices s into memory and writes it as a PNG, JPEG or PNM. checkPicture must have
// accepted it.
func (j *job) writePicture(s *slice, format string, w io.Writer) error {
	size, channels := s.out.Type.Size(), channelsOf(s.shape)
	samples := int64(channels) // of a pixel in memory
	if channels == 3 && format != "pnm" {
		samples = 4
	}
	if err := s.in.claim(int64(s.shape[0]) * int64(s.shape[1]) * samples * int64(size)); err != nil {
		return err
	}
	var m image.Image
	var pix []byte
	if format == "pnm" {
		pix = make([]byte, s.size())
	} else {
		m = newImage(s.shape[1], s.shape[0], channels, size == 2)
		pix, _, _ = imageslice.View(m)
		if channels == 3 { // a pixel takes 4 samples
			strides := s.desc.Output.MemoryStrides()
			for i, n := range strides {
				if n > 1 { // outside the channels
					strides[i] = n / 3 * 4
				}
			}
			s.desc.Output.Strides = strides
		}
	}
	err := j.timed(s, false, func(plan plan) error { return j.into(plan, s, pix) })
	if err != nil {
		return err
	}
	if size == 2 && !s.out.BigEndian { // all formats have big-endian samples
		swapPairs(pix)
	}
	b := bufio.NewWriterSize(w, 64<<10) // encoders write a few bytes at a time
	switch format {
	case "png":
		if o, ok := m.(interface{ Opaque() bool }); ok && channels == 4 && o.Opaque() {
			m = withAlpha{m}
		}
		err = png.Encode(b, m)
	case "jpeg":
		err = jpeg.Encode(b, m, &jpeg.Options{Quality: cmp.Or(j.quality, 90)})
	case "pnm":
		_, _ = b.Write(s.pnmHeader()) // b keeps its error
		_, err = b.Write(pix)
	}
	if err != nil {
		return err
	}
	return b.Flush()
}
