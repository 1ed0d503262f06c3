package imageslice

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// exif returns EXIF data whose directory at byte 8 has these entries: tag, kind, count and value.
func exif(order binary.AppendByteOrder, entries ...[4]uint32) []byte {
	b := []byte("II*\x00")
	if order.String() == binary.BigEndian.String() {
		b = []byte("MM\x00*")
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, uint16(len(entries)))
	for _, e := range entries {
		b = order.AppendUint16(b, uint16(e[0]))
		b = order.AppendUint16(b, uint16(e[1]))
		b = order.AppendUint32(b, e[2])
		if e[1] == 3 {
			b = order.AppendUint16(order.AppendUint16(b, uint16(e[3])), 0)
		} else {
			b = order.AppendUint32(b, e[3])
		}
	}
	return order.AppendUint32(b, 0)
}

func entry(value uint32) [4]uint32 { return [4]uint32{0x112, 3, 1, value} }

var little, big = binary.LittleEndian, binary.BigEndian

// jpegOf is a JPEG file up to its pixels, with these APP1 segments behind an APP0.
func jpegOf(segments ...[]byte) []byte {
	b := []byte("\xff\xd8\xff\xe0\x00\x04ab")
	for _, s := range segments {
		b = big.AppendUint16(append(b, 0xff, 0xe1), uint16(2+len(s)))
		b = append(b, s...)
	}
	return append(b, "\xff\xda\x00\x02pixels\xff\xd9"...)
}

func named(data []byte) []byte { return append([]byte("Exif\x00\x00"), data...) }

func chunk(png bool, name string, data []byte) []byte {
	if png {
		b := append(big.AppendUint32(nil, uint32(len(data))), name...)
		return append(append(b, data...), "csum"...)
	}
	b := append(little.AppendUint32([]byte(name), uint32(len(data))), data...)
	return append(b, make([]byte, len(data)&1)...)
}

func pngOf(chunks ...[]byte) []byte {
	return append([]byte("\x89PNG\r\n\x1a\n"), bytes.Join(chunks, nil)...)
}

func webpOf(chunks ...[]byte) []byte {
	return append([]byte("RIFF....WEBP"), bytes.Join(chunks, nil)...)
}

// profile is a chunk of a PNG with data as ImageMagick writes it in a text, compressed or not.
func profile(keyword string, packed bool, data []byte) []byte {
	text := fmt.Sprintf("\nexif\n%8d\n", len(data))
	for ; len(data) > 36; data = data[36:] {
		text += hex.EncodeToString(data[:36]) + "\n"
	}
	text += hex.EncodeToString(data) + "\n"
	if !packed {
		return chunk(true, "tEXt", []byte(keyword+"\x00"+text))
	}
	return chunk(true, "zTXt", append([]byte(keyword+"\x00\x00"), zlibbed([]byte(text))...))
}

func zlibbed(b []byte) []byte {
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	z.Write(b)
	z.Close()
	return out.Bytes()
}

func cut(b []byte, n int) []byte { return b[:len(b)-n] }

var orientations = map[string]struct {
	file []byte
	want int
}{
	"jpeg":                                         {jpegOf(named(exif(little, entry(6)))), 6},
	"jpeg, big-endian":                             {jpegOf(named(exif(big, entry(8)))), 8},
	"jpeg without EXIF":                            {jpegOf(), 1},
	"jpeg with XMP first":                          {jpegOf([]byte("http://ns.adobe.com/xap/1.0/\x00<x/>"), named(exif(little, entry(3)))), 3},
	"jpeg, the first of two":                       {jpegOf(named(exif(little, entry(6))), named(exif(little, entry(3)))), 6},
	"jpeg, the first has none":                     {jpegOf(named(exif(little)), named(exif(little, entry(3)))), 1},
	"jpeg, EXIF behind the pixels":                 {append(jpegOf(), jpegOf(named(exif(little, entry(3))))...), 1},
	"jpeg, directory without the next one's place": {jpegOf(named(cut(exif(little, entry(6)), 4))), 6},
	"jpeg, last entry cut":                         {jpegOf(named(cut(exif(little, entry(6)), 5))), 1},
	"jpeg, second entry cut":                       {jpegOf(named(cut(exif(little, entry(6), entry(3)), 5))), 6},
	"jpeg, file ends in the directory":             {jpegOf(named(exif(little, entry(6), entry(6))))[:46], 6},
	"jpeg, bytes between segments":                 {append([]byte("\xff\xd8junk\xff\xff"), jpegOf(named(exif(little, entry(5))))[8:]...), 5},
	"jpeg, long junk": {append(append([]byte("\xff\xd8"), make([]byte, 10000)...),
		jpegOf(named(exif(little, entry(5))))[8:]...), 5},
	"jpeg, segment of length 0": {[]byte("\xff\xd8\xff\xe1\x00\x00Exif\x00\x00"), 1},
	"jpeg, marker alone":        {[]byte("\xff\xd8\xff"), 1},
	"value 0":                   {jpegOf(named(exif(little, entry(0)))), 1},
	"value 9":                   {jpegOf(named(exif(little, entry(9)))), 1},
	"last of two entries":       {jpegOf(named(exif(little, entry(6), entry(3)))), 3},
	"other tags":                {jpegOf(named(exif(little, [4]uint32{0x10f, 2, 3, 0}, entry(7), [4]uint32{0x8825, 4, 1, 8}))), 7},
	"LONG":                      {jpegOf(named(exif(big, [4]uint32{0x112, 4, 1, 2}))), 2},
	"LONG above 16 bits":        {jpegOf(named(exif(big, [4]uint32{0x112, 4, 1, 0x10002}))), 1},
	"two values":                {jpegOf(named(exif(big, [4]uint32{0x112, 3, 2, 2}))), 2},
	"no values":                 {jpegOf(named(exif(big, [4]uint32{0x112, 3, 0, 2}))), 1},
	"BYTE":                      {jpegOf(named(exif(little, [4]uint32{0x112, 1, 1, 2}))), 1},
	"directory in the header":   {jpegOf(named([]byte("II*\x00\x00\x00\x00\x00\x01\x00"))), 1},
	"directory outside":         {jpegOf(named([]byte("II*\x00\xff\xff\xff\xff\x01\x00"))), 1},
	"tiff":                      {exif(little, entry(6)), 6},
	"tiff, directory far behind": {append(append([]byte("MM\x00*\x00\x01\x00\x00"), make([]byte, 65536-8)...),
		exif(big, entry(4))[8:]...), 4},
	"png":                  {pngOf(chunk(true, "IHDR", make([]byte, 13)), chunk(true, "eXIf", exif(big, entry(6)))), 6},
	"png, behind":          {pngOf(chunk(true, "IDAT", make([]byte, 9000)), chunk(true, "eXIf", exif(big, entry(6)))), 6},
	"png without":          {pngOf(chunk(true, "IHDR", make([]byte, 13)), chunk(true, "IEND", nil)), 1},
	"png, no pixels":       {pngOf(), 1},
	"png, length 4G":       {pngOf([]byte("\xff\xff\xff\xffIDAT")), 1},
	"png, compressed text": {pngOf(profile(exifText, true, named(exif(little, entry(6))))), 6},
	"png, text":            {pngOf(profile(exifText, false, named(exif(big, entry(8)))), chunk(true, "IEND", nil)), 8},
	"png, text of APP1":    {pngOf(profile("Raw profile type APP1", true, named(exif(big, entry(3))))), 3},
	"png, text of another": {pngOf(profile("Raw profile type xmp", true, named(exif(big, entry(3))))), 1},
	"png, other texts":     {pngOf(profile("Comment", true, named(exif(big, entry(3)))), profile(exifText, true, named(exif(big, entry(4))))), 4},
	"png, first of texts":  {pngOf(profile(exifText, false, exif(big)), profile(exifText, true, exif(big, entry(4))), profile(exifText, true, exif(big, entry(3)))), 4},
	"png, text and eXIf":   {pngOf(profile(exifText, true, exif(big, entry(6))), chunk(true, "IDAT", nil), chunk(true, "eXIf", exif(big, entry(3)))), 3},
	"png, long directory before": {pngOf(profile(exifText, true,
		append(append([]byte("MM\x00*\x00\x00\xc0\x00"), make([]byte, 0xc000-8)...), exif(big, entry(5))[8:]...))), 5},
	"png, text cut":       {pngOf(cut(profile(exifText, false, exif(little, entry(6), entry(3))), 20)), 6},
	"png, zlib broken":    {pngOf(chunk(true, "zTXt", []byte(exifText+"\x00\x00abc")), profile(exifText, true, exif(little, entry(6)))), 6},
	"png, no hexadecimal": {pngOf(chunk(true, "tEXt", []byte(exifText+"\x00\nexif\n 8\nII*\n"))), 1},
	"png, keyword alone":  {pngOf(chunk(true, "tEXt", []byte(exifText)), chunk(true, "zTXt", []byte(exifText+"\x00"))), 1},
	"png, text of 4G":     {pngOf([]byte("\xff\xff\xff\xfftEXt" + exifText + "\x00\nexif\n")), 1},
	"webp":                {webpOf(chunk(false, "VP8X", make([]byte, 9)), chunk(false, "EXIF", exif(little, entry(6)))), 6},
	"webp, name":          {webpOf(chunk(false, "EXIF", named(exif(little, entry(2))))), 2},
	"webp without":        {webpOf(chunk(false, "VP8 ", make([]byte, 9))), 1},
	"gif":                 {[]byte("GIF89a..........................."), 1},
	"empty":               {nil, 1},
	"short":               {[]byte("\xff"), 1},
	"text":                {[]byte(strings.Repeat("Exif\x00\x00", 40)), 1},
	"RIFF but no VP8":     {[]byte("RIFF....WAVEfmt EXIF"), 1},
}

const exifText = "Raw profile type exif"

// A text that would fill gigabytes is decompressed only as far as EXIF data may reach.
func TestOrientationOfATextIsBounded(t *testing.T) {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	for range 16 { // MiB, of about a KiB each
		z.Write(make([]byte, 1<<20))
	}
	z.Close()
	file := pngOf(chunk(true, "zTXt", append([]byte(exifText+"\x00\x00"), packed.Bytes()...)), profile(exifText, true, exif(big, entry(7))))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got, err := Orientation(bytes.NewReader(file))
	runtime.ReadMemStats(&after)
	require.NoError(t, err)
	assert.Equal(t, 7, got)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20))
}

func TestOrientation(t *testing.T) {
	for name, c := range orientations {
		for _, r := range []io.Reader{bytes.NewReader(c.file), iotest.OneByteReader(bytes.NewReader(c.file))} {
			got, err := Orientation(r)
			require.NoError(t, err, name)
			assert.Equal(t, c.want, got, name)
		}
	}
}

func TestOrientationReadsFromWhereTheReaderStands(t *testing.T) {
	r := bytes.NewReader(append([]byte("before"), jpegOf(named(exif(little, entry(6))))...))
	got, err := Orientation(r)
	require.NoError(t, err)
	assert.Equal(t, 1, got)
	_, err = r.Seek(6, io.SeekStart)
	require.NoError(t, err)
	got, err = Orientation(r)
	require.NoError(t, err)
	assert.Equal(t, 6, got)
}

func TestOrientationReturnsErrorsOfTheReader(t *testing.T) {
	broken := errors.New("broken")
	for _, file := range [][]byte{nil, []byte("\xff\xd8\xff\xe0\x00\x04a"), pngOf(), webpOf(), []byte("II*\x00"),
		pngOf(profile(exifText, true, exif(big))[:40])} {
		got, err := Orientation(io.MultiReader(bytes.NewReader(file), iotest.ErrReader(broken)))
		require.ErrorIs(t, err, broken)
		assert.Equal(t, 1, got)
	}
	// An error that comes once, within a text.
	_, err := Orientation(iotest.TimeoutReader(bytes.NewReader(pngOf(profile(exifText, false, make([]byte, 9000))))))
	require.ErrorIs(t, err, iotest.ErrTimeout)
}

func FuzzOrientation(f *testing.F) {
	for _, c := range orientations {
		f.Add(c.file)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := Orientation(bytes.NewReader(b))
		require.NoError(t, err)
		require.True(t, got >= 1 && got <= 8, got)
	})
}
