package main

import "encoding/binary"

// jpegSize returns the bytes of memory that the decoder of a JPEG takes for its planes. The
// sampling factors of a plane say how many rows and columns it has. Each sample takes a byte and,
// if the JPEG is progressive, 4 bytes more for its coefficient.
func jpegSize(file []byte, pixels int64) int64 {
	const baseline, progressive = 0xc0, 0xc2 // markers of frames
	for at := 2; at+10 < len(file) && file[at] == 0xff; {
		marker, header := file[at+1], file[at+2:]
		if marker < baseline || marker > progressive {
			at += 2 + int(binary.BigEndian.Uint16(header))
			continue
		}
		samples, wide, high := int64(0), int64(1), int64(1)
		for i := range min(int(header[7]), (len(header)-8)/3) {
			h, v := int64(header[9+3*i]>>4), int64(header[9+3*i]&15)
			samples, wide, high = samples+h*v, max(wide, h), max(high, v)
		}
		if marker == progressive {
			samples *= 5
		}
		return pixels * samples / (wide * high)
	}
	return 3 * pixels
}
