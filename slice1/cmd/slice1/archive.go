package main

import (
	"archive/zip"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/seed2e45c115/dml/slice1/internal/npz"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// verifyBytes is the largest stored member whose checksum is verified. To verify it, all of it is
// read.
const verifyBytes = 64 << 20

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

// parseArchive makes the array that of a member of an .npz. findMember finds the member by its
// name. A stored member is read in place. A compressed member is treated like a pipe: it is
// inflated while it is sliced, or it is held in memory. Either way all of it is read, and so its
// checksum is verified.
func (j *job) parseArchive(a *array, name string) error {
	if err := a.source.all(); err != nil {
		return err
	}
	z, err := zip.NewReader(a.source, a.size)
	if err != nil {
		return err
	}
	f, err := j.findMember(z, a.name, name)
	if err != nil {
		return err
	}
	r, err := npy.OpenMember(a.source, a.source.size, f.Name)
	if err != nil {
		return err
	}
	if f.Method == zip.Store {
		if f.UncompressedSize64 <= verifyBytes {
			if _, err := io.Copy(io.Discard, r); err != nil {
				return err
			}
		}
		at, err := f.DataOffset()
		size := int64(f.CompressedSize64)
		if err != nil || at < 0 || size < 0 || at > a.source.size || size > a.source.size-at {
			return errors.Join(zip.ErrFormat, err)
		}
		return a.parseNPY(at, size)
	}
	// The pipe reads the archive's source, of which everything else is the member's.
	member := *a.source
	member.file, member.bytes, member.size, member.pipe = nil, nil, 0, newPipe(r)
	member.pipe.summed = true
	a.source = &member
	return a.parseNPY(0, 0)
}

// findMember returns the member that NumPy takes for a name or, if the name is empty, the only file
// of the archive. archive is the name of the archive, for errors.
func (j *job) findMember(z *zip.Reader, archive, name string) (*zip.File, error) {
	names, f := npy.Members(z), npz.Find(z, name)
	switch {
	case f != nil && name != "":
		return f, nil
	case len(names) == 0:
		return nil, errors.New("no .npy member in the archive")
	case name == "" && len(z.File) == 1:
		return z.File[0], nil
	}
	missing := fmt.Sprintf("no member %q", clip(name))
	if name == "" {
		missing = fmt.Sprintf("%d files", len(z.File))
	}
	return nil, usagef("%s: %s, name one as in %s:%s: %s", archive, missing, archive, names[0], strings.Join(names[:min(len(names), 12)], ", "))
}
