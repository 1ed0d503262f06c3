package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// metadata is what the file of a picture holds besides its pixels.
type metadata struct {
	orientation int      // EXIF orientation, 1 to 8; 0: none
	names       []string // the kinds of metadata found, each once
	frames      int      // frames of an animation, or pages of a TIFF; 0 or 1: there is one

	profile []byte      // ICC colour profile, if it is complete
	density *resolution // nil: none was found
	chunks  []byte      // gAMA, cHRM and sRGB of a PNG
	read    []string    // the kinds of a PNG's chunks that addChunk has read

	partial  []byte // the segments that were read of a JPEG's profile
	segments int    // how many these are; -1: they are not those of a profile
	all      int    // how many the profile has
}

// add appends a name to m.names if it is not there. Instead of the 13th name it appends "...", and
// after that nothing.
func (m *metadata) add(name string) {
	const most = 12
	if slices.Contains(m.names, name) || len(m.names) > most {
		return
	}
	if len(m.names) == most {
		name = "..."
	}
	m.names = append(m.names, name)
}

// lost returns a note that names the metadata that k does not have and counts the frames after the
// first one, or "" if there are none of either.
func (m *metadata) lost(k kept) string {
	names := k.names(m)
	if m.frames > 1 {
		names = append(names, fmt.Sprintf("%d of %d frames", m.frames-1, m.frames))
	}
	if len(names) == 0 {
		return ""
	}
	return "not in the output: " + strings.Join(names, ", ")
}

// addEXIF reads EXIF data, which have the form of a TIFF file. It sets the orientation. It adds the
// name "GPS" if there is a place, and "EXIF" unless the orientation is all that there is.
func (m *metadata) addEXIF(data []byte) {
	d, err := readDirectory(bytes.NewReader(data))
	if err != nil {
		m.add("EXIF")
		return
	}
	m.orientation = d.orientation()
	if _, ok := d.tags[tagGPS]; ok {
		m.add("GPS")
	}
	if _, ok := d.tags[tagOrientation]; !ok || len(d.tags) > 1 {
		m.add("EXIF")
	}
}

// maxMetadata bounds a chunk of a PNG, and the profile in one, in bytes: what is longer is not read.
// A profile in the segments of a JPEG, which cannot hold twice as much, has no other bound.
const maxMetadata = 8 << 20

// piece returns n bytes of the source from at on. It returns nil if the source has fewer, if they
// cannot be read, or if n is above maxMetadata.
func (s *source) piece(at, n int64) []byte {
	if n < 0 || n > maxMetadata || at > s.size-n {
		return nil
	}
	data := make([]byte, n)
	if read, _ := s.ReadAt(data, at); read < len(data) {
		return nil
	}
	return data
}

// pngMetadata reads the metadata of a PNG up to its end, or to where the file is cut off. It
// verifies no checksums.
func (s *source) pngMetadata() *metadata {
	m := new(metadata)
	const start, around = 8, 12 // bytes: of the signature; of the length, name and checksum of a chunk
	for at := int64(start); ; {
		head := s.piece(at, 8)
		if head == nil {
			return m
		}
		length, name := int64(binary.BigEndian.Uint32(head)), string(head[4:])
		body := at + 8
		at += around + length
		const ancillary = 0x20 // the bit of a lower-case letter, which begins the names of chunks that decoders may ignore
		switch {
		case name == "IEND":
			return m
		case name == "acTL":
			if b := s.piece(body, length); len(b) == 8 {
				m.frames = int(min(binary.BigEndian.Uint32(b), math.MaxInt32))
			}
		case name == "eXIf":
			m.addEXIF(s.piece(body, length))
		case name == "tRNS" || name == "fcTL" || name == "fdAT" || name[0]&ancillary == 0:
		default:
			m.add(name)
			m.addChunk(name, s.piece(body, length))
		}
	}
}

// addChunk reads a chunk of a PNG if it is of a kind that an output may keep. Of each kind it reads
// the first alone, since a PNG may have only one.
func (m *metadata) addChunk(name string, body []byte) {
	if slices.Contains(m.read, name) || !slices.Contains([]string{"iCCP", "pHYs", "gAMA", "cHRM", "sRGB"}, name) {
		return
	}
	m.read = append(m.read, name)
	switch {
	case name == "iCCP":
		m.addProfileChunk(body)
	case name == "pHYs":
		m.addDensityChunk(body)
	case name == "gAMA" && len(body) == 4, name == "cHRM" && len(body) == 32, name == "sRGB" && len(body) == 1:
		m.chunks = appendChunk(m.chunks, name, body)
	}
}

// jpegMetadata reads the metadata in the segments of a JPEG before its first scan.
func (s *source) jpegMetadata() *metadata {
	m := new(metadata)
	const comment, scan, app0, app15, soi = 0xfe, 0xda, 0xe0, 0xef, 2
	r := bufio.NewReader(s.reader())
	for skip := soi; ; {
		if _, err := r.Discard(skip); err != nil {
			return m
		}
		head, err := r.Peek(4)
		switch {
		case err != nil || head[0] != 0xff || head[1] == scan:
			return m
		case head[1] == 0xff: // a fill byte
			skip = 1
			continue
		}
		skip = 0
		kind, segment := head[1], make([]byte, 2+int(binary.BigEndian.Uint16(head[2:])))
		if _, err := io.ReadFull(r, segment); err != nil || len(segment) < len(head) {
			return m
		}
		switch body := segment[len(head):]; {
		case kind == comment:
			m.add("a comment")
		case kind >= app0 && kind <= app15:
			m.addApp(int(kind-app0), body)
		}
	}
}

// addApp reads the segment of a JPEG that belongs to application n.
func (m *metadata) addApp(n int, body []byte) {
	is := func(app int, name string) bool { return n == app && bytes.HasPrefix(body, []byte(name)) }
	const adobe = 14
	switch {
	case is(0, "JFIF\x00"):
		m.addJFIF(body)
	case is(1, "Exif\x00\x00"):
		m.addEXIF(body[6:])
	case is(1, "http://ns.adobe.com/x"):
		m.add("XMP")
	case is(2, profileHead):
		m.addProfileSegment(body)
	case is(2, "MPF\x00"):
		m.add("further pictures")
	case is(13, "Photoshop 3.0\x00"):
		m.add("IPTC")
	case n == 0 || n == adobe: // such as JFIF's thumbnail and Adobe's colour transform, which are no loss
	default:
		m.add("APP" + strconv.Itoa(n))
	}
}

// gifMetadata counts the frames of a GIF and finds whether it has a comment.
func (s *source) gifMetadata() *metadata {
	m := new(metadata)
	r := bufio.NewReader(s.reader())
	skip := func(n int) bool { _, err := r.Discard(n); return err == nil }
	table := func(packed byte) int { // the length in bytes of the colour table that follows; 0: there is none
		if packed&0x80 == 0 {
			return 0
		}
		return 3 << (packed&7 + 1)
	}
	const packedAt, header = 10, 13
	start, err := r.Peek(header)
	if err != nil || !skip(header+table(start[packedAt])) {
		return m
	}
	for {
		const extension, frame, comment = 0x21, 0x2c, 0xfe
		kind, _ := r.ReadByte()
		switch kind {
		case extension:
			if label, _ := r.ReadByte(); label == comment {
				m.add("a comment")
			}
		case frame:
			m.frames++
			place, err := r.Peek(9)
			if err != nil || !skip(9+table(place[8])+1) {
				return m
			}
		default:
			return m
		}
		for { // blocks of data, of which the last one is empty
			n, err := r.ReadByte()
			if err != nil || !skip(int(n)) {
				return m
			}
			if n == 0 {
				break
			}
		}
	}
}
