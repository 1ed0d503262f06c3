package main

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math"
	"slices"
)

// kept is the metadata of a picture that the output keeps.
type kept struct {
	profile []byte      // ICC colour profile, or nil
	density *resolution // of pixels, or nil
	chunks  []byte      // chunks of a PNG that are copied unchanged
}

// resolution is the number of pixels per metre or, unless metre is true, numbers of which only the
// ratio has a meaning.
type resolution struct {
	x, y  uint32
	metre bool
}

// keep returns the metadata that an output of the given format and number of channels keeps. It is
// none unless the output is a PNG or JPEG. A profile is kept if its colour space has that many
// channels, not counting alpha; chunks are kept by a PNG alone.
func (m *metadata) keep(format string, channels int) (k kept) {
	if format != "png" && format != "jpeg" {
		return k
	}
	k.density = m.density
	if p := m.profile; len(p) >= 128 {
		space := string(p[16:20])
		if space == "GRAY" && channels == 1 || space == "RGB " && channels > 1 {
			k.profile = p
		}
	}
	if format == "png" {
		k.chunks = m.chunks
	}
	return k
}

// names returns the names of m's metadata that k does not have.
func (k kept) names(m *metadata) []string {
	return slices.DeleteFunc(slices.Clone(m.names), func(name string) bool {
		switch name {
		case "iCCP", "colour profile":
			return k.profile != nil
		case "pHYs", "resolution":
			return k.density != nil
		case "gAMA", "cHRM", "sRGB":
			return k.chunks != nil
		}
		return false
	})
}

// channelsOf returns the number of channels of a picture with the shape [height, width] or
// [height, width, channels].
func channelsOf(shape []int) int {
	if len(shape) == 3 {
		return shape[2]
	}
	return 1
}

// appendChunk appends a chunk of a PNG, with its length and checksum.
func appendChunk(to []byte, name string, body []byte) []byte {
	to = binary.BigEndian.AppendUint32(to, uint32(len(body)))
	start := len(to)
	to = append(append(to, name...), body...)
	return binary.BigEndian.AppendUint32(to, crc32.ChecksumIEEE(to[start:]))
}

// addProfileChunk sets m.profile from the body of a PNG's iCCP chunk, unless the body is broken or
// the profile has maxMetadata bytes or more.
func (m *metadata) addProfileChunk(body []byte) {
	_, packed, ok := bytes.Cut(body, []byte{0})
	if !ok || len(packed) == 0 || packed[0] != 0 {
		return
	}
	r, err := zlib.NewReader(bytes.NewReader(packed[1:]))
	if err != nil {
		return
	}
	profile, err := io.ReadAll(io.LimitReader(r, maxMetadata))
	if err == nil && len(profile) < maxMetadata {
		m.profile = profile
	}
}

// addDensityChunk sets m.density from the body of a PNG's pHYs chunk, unless the body is broken.
func (m *metadata) addDensityChunk(body []byte) {
	if len(body) == 9 && body[8] <= 1 {
		m.density = &resolution{binary.BigEndian.Uint32(body), binary.BigEndian.Uint32(body[4:]), body[8] == 1}
	}
}

// pngChunks returns k as chunks to insert behind the header of a PNG.
func (k kept) pngChunks() []byte {
	out := slices.Clone(k.chunks)
	if k.profile != nil {
		var packed bytes.Buffer
		packed.WriteString("ICC profile\x00\x00")
		z := zlib.NewWriter(&packed)
		z.Write(k.profile)
		z.Close()
		out = appendChunk(out, "iCCP", packed.Bytes())
	}
	if d := k.density; d != nil {
		body := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, d.x), d.y)
		unit := byte(0)
		if d.metre {
			unit = 1
		}
		out = appendChunk(out, "pHYs", append(body, unit))
	}
	return out
}

const inchesPerMetre = 1 / 0.0254

// addJFIF sets m.density from the body of a JPEG's JFIF segment and adds the name "resolution", unless
// the segment gives none.
func (m *metadata) addJFIF(body []byte) {
	const unitAt, inch, centimetre = 7, 1, 2
	if len(body) < unitAt+5 {
		return
	}
	x, y := float64(binary.BigEndian.Uint16(body[unitAt+1:])), float64(binary.BigEndian.Uint16(body[unitAt+3:]))
	unit, scale := body[unitAt], 1.0
	switch {
	case unit > centimetre || unit == 0 && x == y: // an unknown unit, or a ratio of 1, which says nothing
		return
	case unit == inch:
		scale = inchesPerMetre
	case unit == centimetre:
		scale = 100
	}
	m.add("resolution")
	m.density = &resolution{uint32(math.Round(x * scale)), uint32(math.Round(y * scale)), unit != 0}
}

// profileHead begins each segment of a JPEG that holds part of a colour profile.
const profileHead = "ICC_PROFILE\x00"

// addProfileSegment reads the body of a segment that begins with profileHead, and with the last one
// sets m.profile. If before that a segment is missing or out of order, or says another number of
// segments than the first, m.profile stays nil for good.
func (m *metadata) addProfileSegment(body []byte) {
	m.add("colour profile")
	const head, none = len(profileHead) + 2, -1
	number, all := none, 0
	if len(body) >= head {
		number, all = int(body[head-2]), int(body[head-1])
	}
	if number == 1 {
		m.all = all
	}
	if number < 1 || number != m.segments+1 || all != m.all {
		m.segments, m.partial = none, nil
		return
	}
	m.segments++
	m.partial = append(m.partial, body[head:]...)
	if m.segments == all {
		m.profile = m.partial
	}
}

// jpegSegments returns k, without its chunks, as segments to insert behind the start of a JPEG.
func (k kept) jpegSegments() (out []byte) {
	segment := func(kind byte, body []byte) {
		out = append(binary.BigEndian.AppendUint16(append(out, 0xff, kind), uint16(2+len(body))), body...)
	}
	if d := k.density; d != nil {
		x, y, unit := float64(d.x), float64(d.y), byte(0)
		if d.metre {
			x, y, unit = x/inchesPerMetre, y/inchesPerMetre, 1
		}
		clamp := func(v float64) uint16 { return uint16(min(max(math.Round(v), 1), math.MaxUint16)) }
		body := append([]byte("JFIF\x00\x01\x01"), unit)
		body = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(body, clamp(x)), clamp(y))
		segment(0xe0, append(body, 0, 0))
	}
	const most = math.MaxUint16 - 2 - len(profileHead) - 2
	parts := slices.Collect(slices.Chunk(k.profile, most))
	for i, part := range parts {
		segment(0xe2, append(append([]byte(profileHead), byte(i+1), byte(len(parts))), part...))
	}
	return out
}

// inserter is a writer to w that inserts extra bytes behind the first ones.
type inserter struct {
	w     io.Writer
	first int // bytes left to write before extra
	extra []byte
}

func (i *inserter) Write(b []byte) (int, error) {
	n := min(i.first, len(b))
	if n > 0 {
		if n, err := i.w.Write(b[:n]); err != nil {
			return n, err
		}
		if i.first -= n; i.first == 0 {
			if _, err := i.w.Write(i.extra); err != nil {
				return n, err
			}
		}
	}
	rest, err := i.w.Write(b[n:])
	return n + rest, err
}
