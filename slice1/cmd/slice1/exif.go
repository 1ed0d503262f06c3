package main

import (
	"encoding/binary"
	"errors"
	"io"
	"strconv"
)

// Tags of TIFF and EXIF.
const (
	tagOrientation  = 0x112
	tagExtraSamples = 0x152
	tagGPS          = 0x8825
)

var errDirectory = errors.New("no TIFF directory")

// directory is one of a TIFF file, which is what EXIF data is, too.
type directory struct {
	tags map[uint16]uint32 // the first value, or where the values lie
	next int64             // of the next directory; 0: none
}

// readDirectory reads the first directory of r.
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

// directoryAt reads the directory at a byte of r, which is at least as long as the
// directory says, or it is an error. Of values wider than 4 bytes there is the place.
func directoryAt(r io.ReaderAt, order binary.ByteOrder, at int64) (*directory, error) {
	const entryBytes, short = 12, 3
	var count [2]byte
	if n, _ := r.ReadAt(count[:], at); n < len(count) {
		return nil, errDirectory
	}
	entries := make([]byte, entryBytes*int(order.Uint16(count[:]))+4)
	if n, _ := r.ReadAt(entries, at+2); n < len(entries) {
		return nil, errDirectory
	}
	d := &directory{tags: map[uint16]uint32{}}
	for ; len(entries) > entryBytes; entries = entries[entryBytes:] {
		tag, kind, n, value := order.Uint16(entries), order.Uint16(entries[2:]), order.Uint32(entries[4:]), entries[8:12]
		switch {
		case kind == short && n >= 1 && n <= 2:
			d.tags[tag] = uint32(order.Uint16(value))
		default:
			d.tags[tag] = order.Uint32(value)
		}
	}
	d.next = int64(order.Uint32(entries))
	return d, nil
}

// orientation returns 1 to 8, or 0 where there is none.
func (d *directory) orientation() int {
	if o := d.tags[tagOrientation]; o >= 1 && o <= 8 {
		return int(o)
	}
	return 0
}

// setOrient reads what follows -orient.
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
