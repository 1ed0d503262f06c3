package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

func isArchive(file []byte) bool {
	return bytes.HasPrefix(file, []byte("PK\x03\x04")) || bytes.HasPrefix(file, []byte("PK\x05\x06"))
}

// parseArchive sets a to the array in a member of an .npz, which findMember finds by its name. A
// stored member is read in place, a compressed one is inflated into memory.
func (j *job) parseArchive(a *array, name string) error {
	z, err := zip.NewReader(a.source, a.source.size)
	if err != nil {
		return err
	}
	f, err := j.findMember(z, a.name, name)
	if err != nil {
		return err
	}
	if f.Method == zip.Store {
		// The checksum of a stored member is not verified: that would read the whole member.
		at, err := f.DataOffset()
		size := int64(f.CompressedSize64)
		if err != nil || at < 0 || size < 0 || at > a.source.size || size > a.source.size-at {
			return errors.Join(zip.ErrFormat, err)
		}
		return a.parseNPY(at, size)
	}
	data, err := inflate(f, a.source.size)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	if err := a.source.close(); err != nil {
		return err
	}
	a.source.bytes, a.source.size = data, int64(len(data))
	return a.parseNPY(0, a.source.size)
}

// inflate returns the bytes of a compressed member. archive is the length of the archive in
// bytes. It is an error if the header has lengths that cannot be true or are above maxAlloc, or if
// the checksum is wrong.
func inflate(f *zip.File, archive int64) ([]byte, error) {
	// Deflate makes data at most 1032 times shorter, so that a header that says more is false.
	if f.CompressedSize64 > uint64(archive) || f.UncompressedSize64/1032 > f.CompressedSize64 || f.UncompressedSize64 > maxAlloc {
		return nil, zip.ErrFormat
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	data := make([]byte, f.UncompressedSize64)
	_, err = io.ReadFull(r, data)
	if err == nil {
		_, err = io.Copy(io.Discard, r) // to the end, where the checksum is verified
	}
	return data, errors.Join(err, r.Close())
}

// findMember returns the member with the given name, with or without ".npy". If name is empty,
// it returns the only file of the archive. Only files whose names end in ".npy" are members.
// archive is the name of the archive, for errors.
func (j *job) findMember(z *zip.Reader, archive, name string) (*zip.File, error) {
	names := []string{}
	for _, f := range z.File {
		short := strings.TrimSuffix(f.Name, ".npy")
		if short == f.Name {
			continue
		}
		if name == short || name == f.Name || name == "" && len(z.File) == 1 {
			return f, nil
		}
		names = append(names, short)
	}
	switch {
	case len(names) == 0:
		return nil, errors.New("no .npy member in the archive")
	case name == "":
		return nil, usagef("%s has %d members, name one as in %s:%s: %s", archive, len(names), j.in, names[0], list(names))
	}
	known := near(name, names)
	msg := fmt.Sprintf("no member %q, near are: %s", name, list(known))
	if len(known) == 0 {
		msg = fmt.Sprintf("no member %q, there are: %s", name, list(names))
	}
	text := j.in
	if j.member != "" {
		text = j.member
	}
	return nil, &slice1.IndexError{Expr: text, Column: len(text) - len(name), Length: len(name), Msg: msg}
}

func list(names []string) string {
	const most = 12
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}

// near returns those of names that resemble name, whatever their case, the nearest first. A
// name resembles another if one contains the other or if few edits make one of the other: at
// most half as many as the shorter has bytes, or 1.
func near(name string, names []string) []string {
	type candidate struct {
		name  string
		edits int
	}
	var found []candidate
	for _, n := range names {
		a, b := strings.ToLower(n), strings.ToLower(name)
		e := edits(a, b)
		if strings.Contains(a, b) || strings.Contains(b, a) {
			e = min(e, 1)
		}
		if e <= max(1, min(len(n), len(name))/2) {
			found = append(found, candidate{n, e})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.edits - b.edits })
	near := []string{}
	for _, c := range found {
		near = append(near, c.name)
	}
	return near
}

// edits returns the Levenshtein distance between a and b, byte by byte.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for k := range row {
		row[k] = k
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for k := range len(b) {
			change := corner
			if a[i] != b[k] {
				change++
			}
			corner = row[k+1]
			row[k+1] = min(change, row[k]+1, row[k+1]+1)
		}
	}
	return row[len(b)]
}
