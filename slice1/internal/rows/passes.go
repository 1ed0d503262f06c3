package rows

import "encoding/binary"

// A weighted sum of samples fits an int32. twoSums holds two of them: the first one in its low 32
// bits, and 2^32 times the second one. So one product weights two samples.
type twoSums int64

const half = twoSums(1) << (bits - 1)
const every4 twoSums = 0xff_0000_00ff // the first and the fifth of eight samples

// byteOf returns the sample of a sum of weighted samples.
func byteOf(sum int32) uint64 { return uint64(min(max(sum>>bits, 0), 255)) }

// second returns the sample of the second sum.
func (p twoSums) second() uint64 { return byteOf(int32((p - twoSums(int32(p))) >> 32)) }

// bytePair returns both samples, the second one 32 bits above the first one.
func (p twoSums) bytePair() uint64 { return byteOf(int32(p)) | p.second()<<32 }

// pixelAt returns the pixel of four bytes, or of three, that begins with byte `i` of a row. A
// fourth byte of three is any number.
func pixelAt(row []uint8, i int) uint32 {
	if i+4 > len(row) {
		return uint32(row[i]) | uint32(row[i+1])<<8 | uint32(row[i+2])<<16
	}
	return binary.LittleEndian.Uint32(row[i:])
}

// putPixel stores a pixel of four bytes, or of three.
func putPixel(dst []uint8, pixel int, v uint32) {
	if pixel == 4 {
		binary.LittleEndian.PutUint32(dst, v)
		return
	}
	binary.LittleEndian.PutUint16(dst, uint16(v))
	dst[2] = uint8(v >> 16)
}

// twoPixels returns the first two pixels of s, of `pixel` bytes each, the second one 32 bits above
// the first one.
func twoPixels(s []uint8, pixel int) uint64 {
	if pixel == 4 {
		return binary.LittleEndian.Uint64(s)
	}
	v := uint64(binary.LittleEndian.Uint16(s[4:]))<<32 | uint64(binary.LittleEndian.Uint32(s))
	return v&(1<<24-1) | v>>24<<32
}

// weighPixels stores the sums of a row's weighted pixels, which have `pixel` bytes.
func (t *table) weighPixels(dst, src []uint8, pixel int) {
	for i, start := range t.starts {
		n := int(t.n[i])
		w := t.weights[i*t.taps:][:n]
		if pixel == 1 {
			sum := int32(half)
			for k, v := range src[start:][:n] {
				sum += int32(v) * w[k]
			}
			dst[i] = uint8(byteOf(sum))
			continue
		}
		// The second sums of sum0 to sum3 are those of a pixel's four samples. Two pixels are
		// weighted at once: the second number of the product of twoSums (s0, s1) and (w1, w0) is
		// s0*w0 + s1*w1.
		sum0, sum1, sum2, sum3 := half<<32, half<<32, half<<32, half<<32
		for offset := pixel * int(start); len(w) > 0; {
			u, k := twoSums(w[0])<<32, 1
			var v twoSums
			if len(w) > 1 {
				v, u, k = twoSums(twoPixels(src[offset:], pixel)), u+twoSums(w[1]), 2
			} else {
				v = twoSums(pixelAt(src, offset))
			}
			sum0 += v & every4 * u
			sum1 += v >> 8 & every4 * u
			sum2 += v >> 16 & every4 * u
			sum3 += v >> 24 & every4 * u
			w, offset = w[k:], offset+pixel*k
		}
		putPixel(dst[pixel*i:], pixel, uint32(sum0.second()|sum1.second()<<8|sum2.second()<<16|sum3.second()<<24))
	}
}

// weighRows stores the sums of weighted rows.
func weighRows(dst []uint8, rows [][]uint8, weights []int32) {
	w := weights[:len(rows)]
	x := 0
	for ; x <= len(dst)-8; x += 8 {
		sum := half | half<<32
		b, c, d := sum, sum, sum
		for k, row := range rows {
			v, u := twoSums(binary.LittleEndian.Uint64(row[x:])), twoSums(w[k])
			sum += v & every4 * u
			b += v >> 8 & every4 * u
			c += v >> 16 & every4 * u
			d += v >> 24 & every4 * u
		}
		binary.LittleEndian.PutUint64(dst[x:], sum.bytePair()|b.bytePair()<<8|c.bytePair()<<16|d.bytePair()<<24)
	}
	for ; x < len(dst); x++ {
		sum := int32(half)
		for k, row := range rows {
			sum += int32(row[x]) * w[k]
		}
		dst[x] = uint8(byteOf(sum))
	}
}

// resampleColumns stores a row of which columns are resampled.
func (t *table) resampleColumns(p *Plan, dst, src []uint8) {
	switch {
	case p.filter == Nearest:
		t.pick(dst, src, p.pixel)
	case p.planes > 0:
		t.numberColumns(numbersOf(dst), numbersOf(src))
	case p.filter == Area:
		t.coverColumns(p, dst, src)
	case p.filter != Linear:
		t.weighPixels(dst, src, p.pixel)
	case p.rowsFirst && p.pixel == 1:
		for i, start := range t.starts {
			left, right := 2*int(start), 2*int(start+t.n[i]-1)
			dst[i] = secondSum(binary.LittleEndian.Uint16(src[left:]), binary.LittleEndian.Uint16(src[right:]), t.weights[2*i:])
		}
	case p.rowsFirst:
		for i, start := range t.starts {
			left, right := binary.LittleEndian.Uint64(src[8*int(start):]), binary.LittleEndian.Uint64(src[8*int(start+t.n[i]-1):])
			binary.LittleEndian.PutUint32(dst[4*i:], secondSums(left, right, uint64(t.weights[2*i]), uint64(t.weights[2*i+1])))
		}
	case p.pixel == 1:
		for i, start := range t.starts {
			binary.LittleEndian.PutUint16(dst[2*i:], firstSum(src[start], src[start+t.n[i]-1], t.weights[2*i:]))
		}
	default:
		t.sumPixels(dst, src, p.pixel)
	}
}

// resampleRows stores row y of the result, or a row between the passes, of `rows`.
func (t *table) resampleRows(p *Plan, dst []uint8, rows [][]uint8, y int) {
	if p.planes > 0 {
		t.numberRows(numbersOf(dst), rows, y)
		return
	}
	w := t.weights[y*t.taps:]
	switch {
	case t.vectorsOfRows(p, dst, rows, w):
	case p.filter == Area:
		t.coverRows(p, dst, rows, y)
	case p.filter != Linear:
		weighRows(dst, rows, w)
	case p.rowsFirst:
		toWords(dst, rows[0], rows[len(rows)-1], w)
	default:
		toBytes(dst, rows[0], rows[len(rows)-1], w)
	}
}
