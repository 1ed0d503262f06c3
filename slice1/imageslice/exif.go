package imageslice

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// Orientation returns the EXIF orientation, 1 to 8, that a JPEG, PNG, TIFF or WebP file names,
// for [Orient]. It is 1, as it is, for a file that names none or one out of that range, that is
// broken before it does, or that is of another format. Of several EXIF segments of a JPEG the
// first counts.
//
// Orientation reads from where r stands, not from the file's beginning, and leaves r anywhere; a
// program that then decodes the picture seeks back. It holds a few KiB. The error is one of r, and
// the orientation is then 1.
func Orientation(r io.Reader) (int, error) {
	b := bufio.NewReader(r)
	start, err := b.Peek(12)
	if err != nil && err != io.EOF {
		return 1, err
	}
	var found int
	switch {
	case begins(start, "\xff\xd8"):
		found, err = jpegOrientation(b)
	case begins(start, "\x89PNG\r\n\x1a\n"):
		found, err = chunkOrientation(b, 8, binary.BigEndian)
	case begins(start, "RIFF") && begins(start[4:], "....WEBP"):
		found, err = chunkOrientation(b, 12, binary.LittleEndian)
	default:
		found, err = tiffOrientation(b)
	}
	switch {
	case found >= 1 && found <= 8:
		return found, nil
	case err == io.EOF || err == io.ErrUnexpectedEOF || err == errNoEXIF:
		err = nil
	}
	return 1, err
}

// errNoEXIF says that a file has no orientation.
var errNoEXIF = errors.New("no EXIF orientation")

// begins reports whether b begins with text, in which a point stands for any byte.
func begins(b []byte, text string) bool {
	for i := range len(text) {
		if i >= len(b) || text[i] != '.' && text[i] != b[i] {
			return false
		}
	}
	return true
}

// jpegOrientation looks for the first EXIF segment before the pixels.
func jpegOrientation(r *bufio.Reader) (int, error) {
	const exif = "Exif\x00\x00"
	for {
		marker, err := jpegMarker(r)
		if err != nil {
			return 0, err
		}
		switch {
		case marker == 0xda || marker == 0xd9: // the pixels or the end
			return 0, errNoEXIF
		case marker <= 1 || marker >= 0xd0 && marker <= 0xd8: // without a length
			continue
		}
		var length [2]byte
		if _, err := io.ReadFull(r, length[:]); err != nil {
			return 0, err
		}
		segment := &io.LimitedReader{R: r, N: int64(binary.BigEndian.Uint16(length[:])) - 2}
		if start, _ := r.Peek(len(exif)); marker == 0xe1 && segment.N >= int64(len(exif)) && string(start) == exif {
			return exifOrientation(segment)
		}
		if err := skip(segment, segment.N); err != nil {
			return 0, err
		}
	}
}

// jpegMarker returns the next marker, after any bytes that are none.
func jpegMarker(r *bufio.Reader) (byte, error) {
	if _, err := r.ReadSlice(0xff); err != nil && err != bufio.ErrBufferFull {
		return 0, err
	} else if err != nil {
		return 0, nil // no marker yet
	}
	for {
		if c, err := r.ReadByte(); err != nil || c != 0xff {
			return c, err
		}
	}
}

// chunkOrientation looks for the EXIF chunk of a PNG or WebP file, whose chunks follow a head of
// so many bytes.
func chunkOrientation(r io.Reader, head int64, order binary.ByteOrder) (int, error) {
	if err := skip(r, head); err != nil {
		return 0, err
	}
	for {
		var start [8]byte
		if _, err := io.ReadFull(r, start[:]); err != nil {
			return 0, err
		}
		png := order == binary.BigEndian
		length, name := order.Uint32(start[4:]), string(start[:4])
		if png {
			length, name = order.Uint32(start[:4]), string(start[4:])
		}
		if name == "eXIf" && png || name == "EXIF" && !png {
			return exifOrientation(io.LimitReader(r, int64(length)))
		}
		behind := int64(length & 1) // WebP pads chunks, PNG has a checksum behind them
		if png {
			behind = 4
		}
		if err := skip(r, int64(length)+behind); err != nil {
			return 0, err
		}
	}
}

// exifOrientation is tiffOrientation of EXIF data, with or without the six bytes that name them
// in a JPEG.
func exifOrientation(r io.Reader) (int, error) {
	b := bufio.NewReader(r)
	if start, _ := b.Peek(6); begins(start, "Exif\x00\x00") {
		if _, err := b.Discard(6); err != nil {
			return 0, err
		}
	}
	return tiffOrientation(b)
}

// tiffOrientation returns the orientation in the first directory of TIFF or EXIF data, or 0. Of
// several entries the last counts. A directory may be cut off behind its last entry.
func tiffOrientation(r io.Reader) (int, error) {
	const tag, short, long = 0x112, 3, 4
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, err
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch string(head[:4]) {
	case "II*\x00":
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 0, errNoEXIF
	}
	if err := skip(r, int64(order.Uint32(head[4:]))-int64(len(head))); err != nil {
		return 0, err
	}
	var count [2]byte
	if _, err := io.ReadFull(r, count[:]); err != nil {
		return 0, err
	}
	found := 0
	for range order.Uint16(count[:]) {
		var entry [12]byte
		if _, err := io.ReadFull(r, entry[:]); err != nil {
			return found, err
		}
		if order.Uint16(entry[:]) != tag {
			continue
		}
		found = 0
		switch kind, values := order.Uint16(entry[2:]), order.Uint32(entry[4:]); {
		case kind == short && (values == 1 || values == 2):
			found = int(order.Uint16(entry[8:]))
		case kind == long && values == 1:
			found = int(min(order.Uint32(entry[8:]), 9))
		}
	}
	return found, nil
}

// skip drops n bytes of r. A negative n is errNoEXIF: the place lies before what has been read.
func skip(r io.Reader, n int64) error {
	if n < 0 {
		return errNoEXIF
	}
	_, err := io.CopyN(io.Discard, r, n)
	return err
}
