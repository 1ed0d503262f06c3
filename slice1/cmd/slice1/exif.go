package main

import (
	"encoding/binary"
	"errors"
	"io"
	"strconv"
)

// Tags of TIFF and EXIF.
const (
	tagOrientation = 0x112
	tagGPS         = 0x8825
)

var errDirectory = errors.New("no TIFF directory")

// directory is one directory of tags of a TIFF file. EXIF data have the form of a TIFF file.
type directory struct {
	r     io.ReaderAt
	order binary.ByteOrder
	tags  map[uint16]entry
}

// entry is the entry of one tag.
type entry struct {
	kind  uint16
	count uint32
	value [4]byte // the values if they fit, else the byte of the file at which they begin
}

const short, long = 3, 4 // kinds of entries: integers of 16 and 32 bits

// The lengths in bytes of a directory's parts: the number of entries, each entry, and the place of
// the next directory.
const countBytes, entryBytes, nextBytes = 2, 12, 4

// readDirectory reads the first directory of r. If there is none, the error is errDirectory.
func readDirectory(r io.ReaderAt) (*directory, error) {
	order, at, err := tiffHeader(r)
	if err != nil {
		return nil, err
	}
	return directoryAt(r, order, at)
}

func tiffHeader(r io.ReaderAt) (order binary.ByteOrder, first int64, err error) {
	var head [8]byte
	if _, err := r.ReadAt(head[:], 0); err != nil && err != io.EOF {
		return nil, 0, err
	}
	switch string(head[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return nil, 0, errDirectory
	}
	return order, int64(order.Uint32(head[4:])), nil
}

// directoryAt reads the directory at byte at of r. If it is cut off, the error is errDirectory.
func directoryAt(r io.ReaderAt, order binary.ByteOrder, at int64) (*directory, error) {
	count, err := entriesAt(r, order, at)
	entries := make([]byte, entryBytes*count+nextBytes)
	if n, _ := r.ReadAt(entries, at+countBytes); err != nil || n < len(entries) {
		return nil, errDirectory
	}
	d := &directory{r: r, order: order, tags: map[uint16]entry{}}
	for ; len(entries) > entryBytes; entries = entries[entryBytes:] {
		d.tags[order.Uint16(entries)] = entry{order.Uint16(entries[2:]), order.Uint32(entries[4:]), [4]byte(entries[8:12])}
	}
	return d, nil
}

// entriesAt returns the number of entries of the directory at byte at of r.
func entriesAt(r io.ReaderAt, order binary.ByteOrder, at int64) (int, error) {
	var count [countBytes]byte
	if n, _ := r.ReadAt(count[:], at); n < len(count) {
		return 0, errDirectory
	}
	return int(order.Uint16(count[:])), nil
}

// directoryAfter returns the byte of r at which the next directory begins, after the one at byte
// at. It returns 0 if there is no next one, and errDirectory if the one at byte at is cut off.
func directoryAfter(r io.ReaderAt, order binary.ByteOrder, at int64) (int64, error) {
	var next [nextBytes]byte
	count, err := entriesAt(r, order, at)
	if n, _ := r.ReadAt(next[:], at+countBytes+entryBytes*int64(count)); err != nil || n < len(next) {
		return 0, errDirectory
	}
	return int64(order.Uint32(next[:])), nil
}

// first returns the first value of a tag, or other if values returns nil.
func (d *directory) first(tag uint16, other uint32) uint32 {
	if values := d.values(tag, 1); len(values) > 0 {
		return values[0]
	}
	return other
}

// values returns the first values of a tag, at most as many as most says. It returns nil if the
// tag is missing or has no values, if these lie outside the file, or if they are not integers of
// 16 or 32 bits.
func (d *directory) values(tag uint16, most int) []uint32 {
	e := d.tags[tag]
	if e.count == 0 {
		return nil
	}
	n, size := int(min(int64(e.count), int64(most))), 0
	switch e.kind {
	case short:
		size = 2
	case long:
		size = 4
	default:
		return nil
	}
	data := e.value[:]
	if int64(size)*int64(e.count) > int64(len(data)) {
		data = make([]byte, size*n)
		if read, _ := d.r.ReadAt(data, int64(d.order.Uint32(e.value[:]))); read < len(data) {
			return nil
		}
	}
	values := make([]uint32, n)
	for i := range values {
		if size == 2 {
			values[i] = uint32(d.order.Uint16(data[2*i:]))
		} else {
			values[i] = d.order.Uint32(data[4*i:])
		}
	}
	return values
}

// orientation returns the orientation, 1 to 8, or 0 if there is none or it is out of that range.
func (d *directory) orientation() int {
	if o := d.first(tagOrientation, 0); o >= 1 && o <= 8 {
		return int(o)
	}
	return 0
}

// setOrient sets j.orient from the value of -orient: 1 to 8, or none, which is 1.
func (j *job) setOrient(text string) error {
	if text == "none" {
		j.orient = 1
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 8 {
		return errors.New("1 to 8, or none")
	}
	j.orient = n
	return nil
}
