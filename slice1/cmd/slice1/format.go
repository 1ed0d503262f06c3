package main

import (
	"archive/zip"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
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

// cutOut splits j.out, if it is like out.npz:x, into the file j.out and the member j.outMember.
func (j *job) cutOut() {
	const ending = ".npz:"
	if i := strings.LastIndex(strings.ToLower(j.out), ending); i >= 0 && len(j.out) > i+len(ending) {
		j.out, j.outMember = j.out[:i+len(ending)-1], j.out[i+len(ending):]
	}
}

// format returns the format of OUT: "npy", "npz", "raw", "png", "jpeg" or "pnm". -to decides, or
// else OUT's extension. Without -to and a known extension, standard output, a device and a named
// pipe get "npy". Any other OUT is then a usage error.
func (j *job) format() (string, error) {
	if j.to != "" {
		if format := formats[j.to]; format != "" {
			return format, nil
		}
		return "", usagef("-to %s: output is npy, npz, raw, png, jpeg or pnm", j.to)
	}
	if j.out == "-" && j.typ != 0 && j.raw != "" {
		return "raw", nil
	}
	if j.out == "-" {
		return "npy", nil
	}
	if ext := strings.ToLower(filepath.Ext(j.out)); ext != "" && formats[ext[1:]] != "" {
		return formats[ext[1:]], nil
	}
	if info, err := os.Stat(j.out); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return "npy", nil
	}
	return "", usagef("%s: output is .npy, .npz, .raw, .bin, .png, .jpg, .ppm or .pgm; -to says which for other names", j.out)
}

// fits returns an error if the result is too large, if the format cannot hold it, or if OUT's
// member or -quality are for another format.
func (j *job) fits(s *slice, format string) error {
	switch {
	case s.size() < 0 && !s.in.open:
		return fmt.Errorf("%v of %v is too large", brackets(s.shape), s.out.typeName())
	case j.outMember != "" && format != "npz":
		return usagef("%s:%s: members are of .npz", j.out, j.outMember)
	case s.strided() && format != "raw":
		return usagef("%s: output strides and a TotalSize beyond the elements need raw output", j.desc)
	case j.quality != 0 && format != "jpeg":
		return usagef("-quality is for JPEG")
	case format == "png" || format == "jpeg" || format == "pnm":
		return checkPicture(s.out, s.shape, format)
	}
	return nil
}

// strided reports whether the output is more than its elements in row-major order: its strides
// leave gaps or have another order, or its TotalSize is larger.
func (s *slice) strided() bool {
	if s.empty {
		return false
	}
	out := &s.desc.Output
	packed := slice1.TensorDesc{DataType: out.DataType, Sizes: out.Sizes}.MemoryStrides()
	for i, stride := range out.MemoryStrides() {
		if out.Sizes[i] > 1 && stride != packed[i] {
			return true
		}
	}
	return out.TotalSize > max(s.size(), 0)
}

// sink is where output goes.
type sink struct {
	w    io.Writer
	file *os.File // the file that w writes to, if it can be written at any offset; else nil
	base int64    // the byte of file at which the elements begin
}

func (s sink) output() outofcore.Output {
	if s.file == nil {
		return outofcore.Output{W: s.w}
	}
	return outofcore.Output{File: s.file, Base: s.base}
}

// write slices s and writes the result in the given format.
func (j *job) write(s *slice, format string, to sink) error {
	if in := s.out; !j.quiet && format != "pnm" && in.maxSample != 0 && in.maxSample != 0xff && in.maxSample != 0xffff {
		j.note(fmt.Sprintf("%s: samples of up to %d, not scaled", in.name, in.maxSample))
	}
	if in := s.in; !j.quiet && format == "jpeg" && in.chroma != "" && channelsOf(s.shape) == 3 {
		j.note(fmt.Sprintf("%s: chroma of %s becomes 4:2:0", in.name, in.chroma))
	}
	switch format {
	case "png", "jpeg", "pnm":
		if format == "pnm" && (s.out.BigEndian || s.out.Type == slice1.Uint8) {
			return j.writeArray(s, s.pnmHeader, to)
		}
		return j.writePicture(s, format, to.w)
	case "npz":
		if to.file != nil && !s.in.open {
			if err := roomFor(to.file, s.size()); err != nil {
				return fmt.Errorf("%s: %w", j.out, err)
			}
		}
		z := zip.NewWriter(to.w)
		member := strings.TrimSuffix(cmp.Or(j.outMember, "arr_0"), ".npy") + ".npy"
		epoch := time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC) // the first date that a ZIP can hold; NumPy writes it too
		w, err := z.CreateHeader(&zip.FileHeader{Name: member, Method: zip.Store, Modified: epoch})
		if err != nil {
			return err
		}
		return errors.Join(j.writeArray(s, s.header, sink{w: w}), z.Close())
	case "raw":
		return j.writeArray(s, nil, to)
	}
	return j.writeArray(s, s.header, to)
}

// writeArray slices s and writes the result, after the header unless header is nil. A file gets its
// header last, since the header says how many rows came. A pipe gets it before the first elements
// or, if there are none, at the end. If the number of rows is unknown, they are held until the
// header is known.
func (j *job) writeArray(s *slice, header func() []byte, to sink) error {
	length := int64(0)
	if header != nil {
		length = int64(len(header()))
	}
	end := func() error { return nil }
	switch {
	case to.file != nil:
		to.base += length
		if !s.in.open {
			if err := j.reserve(to, to.base+max(s.size(), s.spans())); err != nil {
				return err
			}
		}
		if _, err := to.file.Seek(to.base, io.SeekStart); err != nil { // for a copy by the system
			return err
		}
		if header != nil {
			end = func() error { _, err := to.file.WriteAt(header(), 0); return err }
		}
	case header == nil:
	case s.in.open:
		rows, w := &heldRows{source: s.in.source}, to.w
		to.w = rows
		end = func() error {
			buffers := append(net.Buffers{header()}, rows.parts...)
			_, err := buffers.WriteTo(w)
			return err
		}
	default:
		w := &preceded{to.w, header}
		to.w, end = w, w.begin
	}
	if err := j.run(s, to); err != nil {
		return err
	}
	return end()
}

// heldRows is a writer that holds the written bytes, in memory that it takes for a source.
type heldRows struct {
	*source
	parts [][]byte
}

func (h *heldRows) Write(b []byte) (int, error) {
	if err := h.reserve(int64(len(b))); err != nil {
		return 0, err
	}
	h.parts = append(h.parts, bytes.Clone(b))
	return len(b), nil
}

// preceded is a writer to w that writes a header first: before the first bytes, or when begin is
// called.
type preceded struct {
	w      io.Writer
	header func() []byte // nil: it was written
}

func (p *preceded) begin() error {
	if p.header == nil {
		return nil
	}
	_, err := p.w.Write(p.header())
	p.header = nil
	return err
}

func (p *preceded) Write(b []byte) (int, error) {
	if err := p.begin(); err != nil {
		return 0, err
	}
	return p.w.Write(b)
}

// reserve gives an output file its length, with zeros, and takes the disk space. So a full disk is
// an error at once and not in the middle. If the system cannot reserve space, that is no error
// here, and a full disk is an error later. If the output is not a file, reserve does nothing.
func (j *job) reserve(to sink, bytes int64) error {
	if to.file == nil || bytes == 0 {
		return nil // some systems refuse to reserve 0 bytes
	}
	err := allocate(to.file, bytes)
	if err == nil {
		err = to.file.Truncate(bytes)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", j.out, err)
	}
	return nil
}
