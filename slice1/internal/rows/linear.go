package rows

import "encoding/binary"

// pick stores the pixels that nearest takes of a row of pixels of `pixel` bytes.
func (t *table) pick(dst, src []uint8, pixel int) {
	switch pixel {
	case 1:
		dst = dst[:len(t.starts)]
		for i, start := range t.starts {
			dst[i] = src[start]
		}
	case 4:
		for _, start := range t.starts {
			binary.LittleEndian.PutUint32(dst, binary.LittleEndian.Uint32(src[4*int(start):]))
			dst = dst[4:]
		}
	default:
		// A pixel is stored with a fourth byte, which the next one overwrites.
		i := 0
		for ; i < len(t.starts)-1; i++ {
			offset := 3 * int(t.starts[i])
			if offset+4 > len(src) {
				break
			}
			binary.LittleEndian.PutUint32(dst[3*i:], binary.LittleEndian.Uint32(src[offset:]))
		}
		for ; i < len(t.starts); i++ {
			copy(dst[3*i:][:3], src[3*int(t.starts[i]):])
		}
	}
}

// Linear weights twice. The first sum, of samples times 2048ths, is less than 2^19, and its lowest
// four bits are dropped. The products of the second sum drop 16 more bits each, and that sum is in
// quarters of a sample.
func firstSum(x, y uint8, w []int32) uint16 { return uint16((int32(x)*w[0] + int32(y)*w[1]) >> 4) }

func secondSum(x, y uint16, w []int32) uint8 {
	return uint8((int32(x)*w[0]>>16 + int32(y)*w[1]>>16 + 2) >> 2)
}

// sumPixels stores firstSum of each sample of a row's pairs of pixels, which have `pixel` bytes, 3
// or 4. As in weighPixels, the second number of the product of twoSums (left, right) and (second
// weight, first weight) is the sum of a channel.
func (t *table) sumPixels(dst, src []uint8, pixel int) {
	const fourth = 0xffff << 48
	for i, start := range t.starts {
		offset := pixel * int(start)
		w := twoSums(t.weights[2*i+1]) | twoSums(t.weights[2*i])<<32
		var v twoSums
		switch {
		case t.n[i] == 1: // both weights are for the same pixel
			v = twoSums(pixelAt(src, offset))
			v |= v << 32
		case pixel == 4:
			v = twoSums(binary.LittleEndian.Uint64(src[offset:]))
		default:
			v = twoSums(twoPixels(src[offset:], 3))
		}
		sums := uint64(v&every4*w)>>36 | uint64(v>>8&every4*w)>>36<<16 | uint64(v>>16&every4*w)>>36<<32
		if pixel == 4 {
			binary.LittleEndian.PutUint64(dst[8*i:], sums|uint64(v>>24&every4*w)<<12&fourth)
			continue
		}
		binary.LittleEndian.PutUint32(dst[6*i:], uint32(sums))
		binary.LittleEndian.PutUint16(dst[6*i+4:], uint16(sums>>32))
	}
}

// Words lie four in a number here. lowWords are the first and the third one, and highWords the
// others.
const lowWords, highWords uint64 = 0x0000ffff_0000ffff, 0xffff0000_ffff0000

// firstSums returns firstSum of each of the four samples of x and y, with weights p and q, the
// first one in the lowest 16 bits.
func firstSums(x, y uint32, p, q uint64) uint64 {
	const bytes = 0xff_000000ff
	u, v := uint64(x)|uint64(x)<<16, uint64(y)|uint64(y)<<16
	even := (u&bytes*p + v&bytes*q) >> 4 & lowWords
	odd := (u>>8&bytes*p + v>>8&bytes*q) << 12 & highWords
	return even | odd
}

// products returns the upper 16 bits of the products of four words, which are less than 2^15, and
// a weight.
func products(x, w uint64) uint64 { return x&lowWords*w>>16&lowWords | x>>16&lowWords*w&highWords }

// secondSums returns secondSum of each of the four first sums of x and y, with weights p and q.
func secondSums(x, y, p, q uint64) uint32 {
	const halves, bytes = 0x0002_0002_0002_0002, 0x00ff_00ff_00ff_00ff
	v := (products(x, p) + products(y, q) + halves) >> 2 & bytes
	v = (v | v>>8) & lowWords
	return uint32(v | v>>16)
}

// toWords stores firstSum of each sample of two rows. A sum has two bytes, the low one first, as
// the loops in C store it on their hosts. toBytes stores secondSum of two rows of such sums.
func toWords(dst, x, y []uint8, w []int32) {
	p, q := uint64(w[0]), uint64(w[1])
	i := 0
	for ; i <= len(x)-4; i += 4 {
		binary.LittleEndian.PutUint64(dst[2*i:], firstSums(binary.LittleEndian.Uint32(x[i:]), binary.LittleEndian.Uint32(y[i:]), p, q))
	}
	for ; i < len(x); i++ {
		binary.LittleEndian.PutUint16(dst[2*i:], firstSum(x[i], y[i], w))
	}
}

func toBytes(dst, x, y []uint8, w []int32) {
	p, q := uint64(w[0]), uint64(w[1])
	i := 0
	for ; i <= len(dst)-4; i += 4 {
		binary.LittleEndian.PutUint32(dst[i:], secondSums(binary.LittleEndian.Uint64(x[2*i:]), binary.LittleEndian.Uint64(y[2*i:]), p, q))
	}
	for ; i < len(dst); i++ {
		dst[i] = secondSum(binary.LittleEndian.Uint16(x[2*i:]), binary.LittleEndian.Uint16(y[2*i:]), w)
	}
}
