package npy

import (
	"archive/zip"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/seed2e45c115/dml/slice1/internal/npz"
	"github.com/seed2e45c115/dml/slice1/internal/sentence"
)

// Members returns the names of the arrays in an .npz like NumPy does: without ".npy", in the order
// of the archive, each once.
func Members(z *zip.Reader) []string {
	names := []string{}
	seen := map[string]bool{}
	for _, f := range z.File {
		if short, ok := strings.CutSuffix(f.Name, ".npy"); ok && !seen[short] {
			seen[short] = true
			names = append(names, short)
		}
	}
	return names
}

// OpenMember opens an array of an .npz as a stream for [Read] and [ReadHeader]. The archive has
// size bytes. Names work like in NumPy: "weights" and "weights.npy" are both the member
// "weights.npy", and of several members with one name the last one counts. If name is "", the
// archive must have exactly one member.
//
// The stream inflates what it reads, and holds no more than that. It verifies the checksum before
// it gives the member's last byte. If the checksum is wrong, the read of that byte fails with an
// error that matches [zip.ErrChecksum]. The caller closes the stream, and keeps r open until then.
//
// Errors match [ErrFormat] if the archive lacks the member or has encrypted it. Other errors match
// [zip.ErrFormat] or [zip.ErrAlgorithm], or are r's.
func OpenMember(r io.ReaderAt, size int64, name string) (io.ReadCloser, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, sentence.Prefix("npy", err)
	}
	f := npz.Find(z, name)
	if name == "" && len(z.File) == 1 {
		f = z.File[0]
	}
	if f == nil {
		return nil, fmt.Errorf("%w: the archive has no member %q among its %d", ErrFormat, clip(name), len(z.File))
	}
	if err := check(f); err != nil {
		return nil, err
	}
	inflated, err := f.Open()
	if err == io.EOF { // the directory places the member behind the archive's end
		err = zip.ErrFormat
	}
	if err != nil {
		return nil, fmt.Errorf("npy: %s: %w", clip(f.Name), err)
	}
	return &member{ReadCloser: inflated, file: f, left: f.UncompressedSize64}, nil
}

// check returns an error if a member is encrypted, or if it claims to be larger than its compressed
// data allows.
func check(f *zip.File) error {
	const encrypted = 1
	const best = 1032 // DEFLATE makes data at most this many times shorter
	stored := f.Method == zip.Store
	switch {
	case f.Flags&encrypted != 0:
		return fmt.Errorf("%w: %s is encrypted", ErrFormat, clip(f.Name))
	case stored && f.UncompressedSize64 != f.CompressedSize64, f.UncompressedSize64/best > f.CompressedSize64:
		return sentence.New("npy", zip.ErrFormat, "%s claims %d bytes, which its %d compressed bytes cannot hold", clip(f.Name), f.UncompressedSize64, f.CompressedSize64)
	}
	return nil
}

// member is the stream of a member, and its errors name the member. It verifies every checksum.
// Package zip does not verify a checksum of 0, because it takes that for a missing one.
type member struct {
	io.ReadCloser
	file *zip.File
	left uint64 // bytes that are still to be read
	sum  uint32
}

// Read implements io.Reader. Package zip verifies the checksum when it is asked for a byte behind
// the last one, but a reader of an array does not ask for that byte. Therefore Read asks for it.
// With an error, Read returns no byte, because io.ReadFull ignores an error that arrives with the
// last byte.
func (m *member) Read(b []byte) (int, error) {
	n, err := m.ReadCloser.Read(b)
	m.sum = crc32.Update(m.sum, crc32.IEEETable, b[:n])
	if m.left -= uint64(n); m.left == 0 && err == nil {
		_, err = io.ReadFull(m.ReadCloser, make([]byte, 1))
	}
	if err == io.EOF && m.sum != m.file.CRC32 {
		err = zip.ErrChecksum
	}
	if err != nil && err != io.EOF {
		return 0, fmt.Errorf("npy: %s: %w", clip(m.file.Name), err)
	}
	return n, err
}
