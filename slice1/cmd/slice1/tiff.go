package main

import (
	"encoding/binary"
	"fmt"
)

// Tags of a TIFF, and values of some.
const (
	tagBits, tagCompression, tagPhotometric, tagFillOrder, tagSamples = 258, 259, 262, 266, 277
	tagPlanar, tagPredictor, tagExtra                                 = 284, 317, 338

	uncompressed, ccitt3, ccitt4, lzwCompressed = 1, 3, 4, 5
	deflate, oldDeflate, packBits               = 8, 32946, 32773
)

// tiffRates are the most bytes that a byte of each compression holds. CCITT codes whole rows of a
// bit a pixel in a few bits.
var tiffRates = map[uint32]int64{
	uncompressed: 1, packBits: 64, lzwCompressed: lzwed, deflate: deflated, oldDeflate: deflated,
	ccitt3: lzwed, ccitt4: lzwed,
}

// lookTIFF refuses a TIFF that package tiff of golang.org/x/image would read as other pixels than
// libtiff: it passes over the planar configuration, the number of samples and the order of bits,
// undoes a predictor whatever the compression, and takes the runs of CCITT for white and black whatever
// these are. The last 4 bytes of the directory, which name the next one, give a note.
func lookTIFF(a *array, file []byte) (bits, rate int64, err error) {
	order, tags, more, err := tiffTags(file)
	if err != nil {
		return 0, 0, err
	}
	value := func(tag uint16, usual uint32) uint32 {
		e, ok := tags[tag]
		if !ok {
			return usual
		}
		switch kind, count := order.Uint16(e[2:]), order.Uint32(e[4:]); {
		case count == 0:
		case kind == 1:
			return uint32(e[8])
		case kind == 3 && count <= 2:
			return uint32(order.Uint16(e[8:]))
		case kind == 3 && tag == tagBits: // as many as there are samples, elsewhere in the file
			if at := int64(order.Uint32(e[8:])); at+2 <= int64(len(file)) {
				return uint32(order.Uint16(file[at:]))
			}
		case kind == 4 && count == 1:
			return order.Uint32(e[8:])
		}
		err = fmt.Errorf("TIFF whose tag %d is of another type than integers of 8, 16 or 32 bits, or has no or several values", tag)
		return usual
	}
	depths := uint32(1)
	if e, ok := tags[tagBits]; ok {
		depths = order.Uint32(e[4:])
	}
	compression, predictor, samples := value(tagCompression, uncompressed), value(tagPredictor, 1), value(tagSamples, 1)
	depth := value(tagBits, 1)
	packed := compression == lzwCompressed || compression == deflate || compression == oldDeflate
	ccitt := compression == ccitt3 || compression == ccitt4
	planar, fill, extra := value(tagPlanar, 1), value(tagFillOrder, 1), value(tagExtra, 0)
	switch {
	case err != nil:
		return 0, 0, err
	case planar != 1 && samples > 1:
		err = fmt.Errorf("TIFF of separate planes, of which `tiffcp -p contig` makes one")
	case samples != depths:
		err = fmt.Errorf("TIFF of %d samples, with bits for %d", samples, depths)
	case predictor > 2 || predictor == 2 && !packed:
		err = fmt.Errorf("TIFF of predictor %d with compression %d", predictor, compression)
	case fill != 1 && !ccitt:
		err = fmt.Errorf("TIFF of reversed bits (fill order %d)", fill)
	case ccitt && (depth != 1 || value(tagPhotometric, 0) != 0):
		err = fmt.Errorf("TIFF of CCITT fax in which white is not 0, or with %d bits", depth)
	}
	a.premultiplied = samples == 4 && extra == 1
	if depth == 1 {
		a.note("grey of 1 bit, scaled to 8")
	}
	if more && err == nil {
		a.note("the first of several pages")
	}
	return int64(depth) * int64(samples), max(tiffRates[compression], 1), err
}

// tiffTags returns the entries of a TIFF's first directory by their tags, and whether there is a
// further directory.
func tiffTags(file []byte) (order binary.ByteOrder, tags map[uint16][]byte, more bool, err error) {
	const head, entry = 8, 12
	order = binary.LittleEndian
	if file[0] == 'M' {
		order = binary.BigEndian
	}
	tags = map[uint16][]byte{}
	if len(file) < head {
		return order, nil, false, fmt.Errorf("TIFF without a directory")
	}
	at := int64(order.Uint32(file[4:]))
	if at+2 > int64(len(file)) {
		return order, nil, false, fmt.Errorf("TIFF without a directory")
	}
	rest := file[at+2:]
	for range order.Uint16(file[at:]) {
		if len(rest) < entry {
			return order, nil, false, fmt.Errorf("TIFF whose directory is cut off")
		}
		tags[order.Uint16(rest)] = rest[:entry]
		rest = rest[entry:]
	}
	return order, tags, len(rest) >= 4 && order.Uint32(rest) != 0, nil
}
