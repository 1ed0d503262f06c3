package npy

import (
	"archive/zip"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
)

// Members returns the names of the arrays in an .npz, as NumPy names them: without ".npy", in the
// order of the archive, each once.
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

// FindMember returns the member that NumPy takes for a name: the one of exactly that name, or
// else of the name with ".npy" behind it, and of several the last. It returns nil if there is
// none.
func FindMember(z *zip.Reader, name string) *zip.File {
	for _, name := range []string{name, name + ".npy"} {
		for i := len(z.File) - 1; i >= 0; i-- {
			if z.File[i].Name == name {
				return z.File[i]
			}
		}
	}
	return nil
}

// OpenMember opens an array of an .npz of size bytes as a stream, which [Read] and [ReadHeader]
// read: the member that [FindMember] finds or, if name is "", the only member. The stream
// inflates what it reads, and holds no more than that. It verifies the checksum before it gives
// the member's last byte, in whose place a wrong one is an error that matches [zip.ErrChecksum].
// Errors match [ErrFormat] if the archive lacks the
// member or has it encrypted, [zip.ErrFormat], [zip.ErrAlgorithm], or are those of r.
func OpenMember(r io.ReaderAt, size int64, name string) (io.ReadCloser, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, err
	}
	f := FindMember(z, name)
	if name == "" && len(z.File) == 1 {
		f = z.File[0]
	}
	if f == nil {
		return nil, fmt.Errorf("%w: no member %q among %d", ErrFormat, clip(name), len(z.File))
	}
	return OpenFile(f)
}

// OpenFile is OpenMember for a member of an open archive.
func OpenFile(f *zip.File) (io.ReadCloser, error) {
	if err := CheckMember(f); err != nil {
		return nil, err
	}
	r, err := f.Open()
	if err == io.EOF { // the directory says that the member begins behind the archive's end
		err = zip.ErrFormat
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", clip(f.Name), err)
	}
	return &member{ReadCloser: r, file: f, left: f.UncompressedSize64}, nil
}

// CheckMember returns an error if a member is encrypted, or claims to be larger than its
// compression can make it.
func CheckMember(f *zip.File) error {
	const encrypted = 1
	const best = 1032 // DEFLATE makes data at most so many times shorter
	switch {
	case f.Flags&encrypted != 0:
		return fmt.Errorf("%w: %s is encrypted", ErrFormat, clip(f.Name))
	case f.Method == zip.Store && f.UncompressedSize64 != f.CompressedSize64, f.UncompressedSize64/best > f.CompressedSize64:
		return fmt.Errorf("%s: %w", clip(f.Name), zip.ErrFormat)
	}
	return nil
}

// member is the stream of a member, which its errors name. It verifies a checksum of 0, which package
// zip takes for a missing one.
type member struct {
	io.ReadCloser
	file *zip.File
	left uint64 // bytes that were not yet read
	sum  uint32
}

// Read implements io.Reader. Package zip verifies the checksum when it is asked for a byte behind
// the last, for which a reader of an array does not ask. Therefore Read asks for it. After an error
// it gives no byte, since io.ReadFull passes over an error that comes with the last one.
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
		return 0, fmt.Errorf("%s: %w", clip(m.file.Name), err)
	}
	return n, err
}
