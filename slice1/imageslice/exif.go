package imageslice

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"io"
	"strings"
)

// Orientation returns the EXIF orientation, 1 to 8, of a JPEG, PNG, TIFF or WebP file, for
// [Orient]. It returns 1, which changes nothing, if the file has no orientation or one out of that
// range, has another format, or is broken before the orientation. In a JPEG, the first EXIF segment
// counts. In a PNG, the chunk eXIf counts. If a PNG has none, the first text "Raw profile type
// exif" or "APP1" with EXIF data counts, which ImageMagick writes.
//
// Orientation reads from r's position, not from the beginning of the file, and leaves r anywhere. A
// program that then decodes the picture must seek back. Orientation holds a few KiB, or 1 MiB for
// such a text. It returns an error only if r does, with orientation 1.
func Orientation(r io.Reader) (int, error) {
	f := &exifReader{Reader: bufio.NewReader(r)}
	start, err := f.Peek(12)
	if err != nil && err != io.EOF {
		return 1, err
	}
	found := 0
	switch {
	case begins(start, "\xff\xd8"):
		found = f.jpeg()
	case begins(start, "\x89PNG\r\n\x1a\n"):
		found = f.chunks(8, binary.BigEndian)
	case begins(start, "RIFF") && begins(start[4:], "....WEBP"):
		found = f.chunks(12, binary.LittleEndian)
	default:
		found = f.tiff()
	}
	switch {
	case found >= 1 && found <= 8:
		return found, nil
	case f.err == io.EOF || f.err == io.ErrUnexpectedEOF:
		return 1, nil
	}
	return 1, f.err
}

// begins reports whether b begins with text. A point in text stands for any byte.
func begins(b []byte, text string) bool {
	for i := range len(text) {
		if i >= len(b) || text[i] != '.' && text[i] != b[i] {
			return false
		}
	}
	return true
}

// exifReader reads a file. After an error it reads nothing, and keeps the error. The error io.EOF
// also means that there is no orientation.
type exifReader struct {
	*bufio.Reader
	err  error
	data [12]byte
}

// read reads n bytes, at most 12. They are valid until the next call, and zeros after an error.
func (f *exifReader) read(n int) []byte {
	b := f.data[:n]
	if f.err == nil {
		_, f.err = io.ReadFull(f, b)
	}
	if f.err != nil {
		clear(b)
	}
	return b
}

// skip drops n bytes. A negative n would lead back, and ends the search.
func (f *exifReader) skip(n int64) {
	switch {
	case f.err != nil:
	case n < 0:
		f.err = io.EOF
	default:
		_, f.err = io.CopyN(io.Discard, f, n)
	}
}

const exifName = "Exif\x00\x00" // comes before EXIF data in a JPEG

// jpeg looks for the first EXIF segment before the pixels.
func (f *exifReader) jpeg() int {
	for f.err == nil {
		marker := f.marker()
		switch {
		case marker == 0xda || marker == 0xd9: // the pixels or the end
			return 0
		case marker <= 1 || marker >= 0xd0 && marker <= 0xd8: // without a length
			continue
		}
		length := int64(binary.BigEndian.Uint16(f.read(2))) - 2
		if start, _ := f.Peek(len(exifName)); marker == 0xe1 && length >= int64(len(exifName)) && string(start) == exifName {
			return f.exif(length)
		}
		f.skip(length)
	}
	return 0
}

// marker skips bytes that are no marker, and returns the next marker. It returns 0 if none has come
// yet.
func (f *exifReader) marker() byte {
	_, err := f.ReadSlice(0xff)
	if err == bufio.ErrBufferFull {
		return 0
	}
	c := byte(0xff)
	for f.err = err; f.err == nil && c == 0xff; {
		c, f.err = f.ReadByte()
	}
	return c
}

// chunks looks for the EXIF chunk of a PNG or WebP file, and for EXIF data in texts of a PNG. The
// chunks begin after `head` bytes.
func (f *exifReader) chunks(head int64, order binary.ByteOrder) (inText int) {
	for f.skip(head); f.err == nil; {
		start := f.read(8)
		name, length, padding := "EXIF", int64(order.Uint32(start[4:])), int64(start[4]&1) // WebP pads chunks
		found := string(start[:4])
		if order == binary.BigEndian {
			name, length, padding = "eXIf", int64(order.Uint32(start)), 4 // PNG has a checksum behind them
			found = string(start[4:])
		}
		switch {
		case found == name:
			return f.exif(length)
		case inText == 0 && order == binary.BigEndian && (found == "tEXt" || found == "zTXt"):
			text := f.text(length)
			length -= int64(len(text))
			inText = inProfile(text, found == "zTXt")
		}
		f.skip(length + padding)
	}
	return inText
}

const mostText = 1 << 18 // bytes that are read of a text; 64 KiB of EXIF data, the most in a JPEG, take half of them

// text reads the beginning of a text of n bytes, if its keyword is a profile's.
func (f *exifReader) text(n int64) []byte {
	if start, _ := f.Peek(len(profileName)); string(start) != profileName || n < int64(len(profileName)) {
		return nil
	}
	text := make([]byte, min(n, mostText))
	_, f.err = io.ReadFull(f, text)
	return text
}

const profileName = "Raw profile type "

// inProfile returns the orientation in a PNG's text, or 0. The text is a keyword, a zero, and
// lines: a name, a number of bytes, and these bytes in hexadecimal. In a compressed text another
// zero follows the first, and the lines are compressed.
//
//	Raw profile type exif\0\nexif\n      40\n45786966000049492a0008...
func inProfile(text []byte, compressed bool) int {
	keyword, body, _ := bytes.Cut(text, []byte{0})
	kind := strings.TrimPrefix(string(keyword), profileName)
	if compressed && len(body) > 0 {
		z, err := zlib.NewReader(bytes.NewReader(body[1:]))
		if err != nil {
			return 0
		}
		body, _ = io.ReadAll(io.LimitReader(z, mostText)) // up to the first broken byte
	}
	if kind != "exif" && kind != "APP1" {
		return 0
	}
	for range 2 { // skip the lines of the name and the number
		_, body, _ = bytes.Cut(bytes.TrimSpace(body), []byte("\n"))
	}
	data := bytes.ReplaceAll(body, []byte("\n"), nil)
	n, _ := hex.Decode(data, data)
	return (&exifReader{Reader: bufio.NewReader(bytes.NewReader(data[:n]))}).exif(int64(n))
}

// exif is tiff for n bytes of EXIF data. They may begin with exifName, like in a JPEG.
func (f *exifReader) exif(n int64) int {
	data := &exifReader{Reader: bufio.NewReader(io.LimitReader(f, n))}
	if start, _ := data.Peek(len(exifName)); string(start) == exifName {
		data.skip(int64(len(exifName)))
	}
	found := data.tiff()
	f.err = data.err
	return found
}

// tiff returns the orientation in the first directory of TIFF or EXIF data, or 0. If there are
// several entries for it, the last one counts. A directory may be cut off after its last entry.
func (f *exifReader) tiff() (found int) {
	const tag, short, long = 0x112, 3, 4
	head := f.read(8)
	var order binary.ByteOrder = binary.LittleEndian
	switch string(head[:4]) {
	case "II*\x00":
	case "MM\x00*":
		order = binary.BigEndian
	default:
		f.skip(-1)
	}
	f.skip(int64(order.Uint32(head[4:])) - int64(len(head)))
	for range order.Uint16(f.read(2)) {
		entry := f.read(12)
		if order.Uint16(entry) != tag {
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
	return found
}
