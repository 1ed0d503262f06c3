package resample

import "encoding/binary"

// A weighted sum of samples fits an int32. pair holds two of them: the first one in its low 32
// bits, and 2^32 times the second one. So one product weights two samples.
type pair int64

const half = pair(1)<<(bits-1) | pair(1)<<(bits+31)

// byteOf returns the sample of a sum of weighted samples.
func byteOf(sum int32) uint32 {
	sum >>= bits
	if uint32(sum) > 255 {
		return uint32(^(sum >> 31)) & 255
	}
	return uint32(sum)
}

// bytes returns both samples, with 16 bits for each.
func (p pair) bytes() uint32 {
	low := int32(p)
	return byteOf(low) | byteOf(int32((p-pair(low))>>32))<<16
}

// pairs returns bytes 0 and 2, and bytes 1 and 3 of four.
func pairs(v uint32) (even, odd pair) {
	return pair(v&0xff) | pair(v&0xff0000)<<16, pair(v>>8&0xff) | pair(v&0xff000000)<<8
}

// weighPixels stores the sums of a row's weighted pixels.
func (t *table) weighPixels(dst, src []uint8, pixel int) {
	for i, first := range t.first {
		n := int(t.n[i])
		w := t.weights[i*t.taps:][:n]
		if pixel == 1 {
			sum := int32(1) << (bits - 1)
			for k, v := range src[first:][:n] {
				sum += int32(v) * w[k]
			}
			dst[i] = uint8(byteOf(sum))
			continue
		}
		even, odd := half, half
		s := src[4*int(first):][:4*n]
		for _, w := range w {
			a, b := pairs(binary.LittleEndian.Uint32(s))
			even += a * pair(w)
			odd += b * pair(w)
			s = s[4:]
		}
		binary.LittleEndian.PutUint32(dst[4*i:], even.bytes()|odd.bytes()<<8)
	}
}

// weighRows stores the sums of weighted rows.
func weighRows(dst []uint8, rows [][]uint8, weights []int32) {
	w := weights[:len(rows)]
	x := 0
	for ; x <= len(dst)-4; x += 4 {
		even, odd := half, half
		for k, row := range rows {
			a, b := pairs(binary.LittleEndian.Uint32(row[x:]))
			even += a * pair(w[k])
			odd += b * pair(w[k])
		}
		binary.LittleEndian.PutUint32(dst[x:], even.bytes()|odd.bytes()<<8)
	}
	for ; x < len(dst); x++ {
		sum := int32(1) << (bits - 1)
		for k, row := range rows {
			sum += int32(row[x]) * w[k]
		}
		dst[x] = uint8(byteOf(sum))
	}
}

// pick stores the pixels that nearest takes of a row.
func (t *table) pick(dst, src []uint8, pixel int) {
	for i, first := range t.first {
		if pixel == 1 {
			dst[i] = src[first]
		} else {
			*(*[4]uint8)(dst[4*i:]) = [4]uint8(src[4*int(first):])
		}
	}
}

// Linear weights twice. The first sum, of samples times 2048ths, is less than 2^19, and its lowest
// four bits are dropped. The products of the second sum drop 16 more bits each, and that sum is in
// quarters of a sample.
func firstSum(a, b uint8, w []int32) uint16 { return uint16((int32(a)*w[0] + int32(b)*w[1]) >> 4) }

func secondSum(a, b uint16, w []int32) uint8 {
	return uint8((int32(a)*w[0]>>16 + int32(b)*w[1]>>16 + 2) >> 2)
}

// sumPixels stores the first sums of a row's pixels.
func (t *table) sumPixels(dst []uint16, src []uint8, pixel int) {
	for i, first := range t.first {
		a := src[int(first)*pixel:]
		b := a[int(t.n[i]-1)*pixel:]
		for k, w := 0, t.weights[2*i:]; k < pixel; k++ {
			dst[i*pixel+k] = firstSum(a[k], b[k], w)
		}
	}
}

// addPixels stores the second sums of a row's pixels.
func (t *table) addPixels(dst []uint8, src []uint16, pixel int) {
	for i, first := range t.first {
		a := src[int(first)*pixel:]
		b := a[int(t.n[i]-1)*pixel:]
		for k, w := 0, t.weights[2*i:]; k < pixel; k++ {
			dst[i*pixel+k] = secondSum(a[k], b[k], w)
		}
	}
}

// sumRows stores the first sums of two rows.
func sumRows(dst []uint16, a, b []uint8, w []int32) {
	b = b[:len(a)]
	for i := range a {
		dst[i] = firstSum(a[i], b[i], w)
	}
}

// addRows stores the second sums of two rows.
func addRows(dst []uint8, a, b []uint16, w []int32) {
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		dst[i] = secondSum(a[i], b[i], w)
	}
}
