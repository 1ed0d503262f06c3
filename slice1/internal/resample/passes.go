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

// first stores the first sums of two rows, or of two parts of a row, and second the second ones.
// Between the passes a sum has two bytes, in the host's order.
func first(dst, a, b []uint8, w []int32) {
	for i, a := range a {
		binary.NativeEndian.PutUint16(dst[2*i:], firstSum(a, b[i], w))
	}
}

func second(dst, a, b []uint8, w []int32) {
	for i := range dst {
		dst[i] = secondSum(binary.NativeEndian.Uint16(a[2*i:]), binary.NativeEndian.Uint16(b[2*i:]), w)
	}
}

// resampleColumns stores a row of which columns are resampled.
func (t *table) resampleColumns(p *Plan, dst, src []uint8) {
	switch {
	case p.filter == Nearest:
		t.pick(dst, src, p.pixel)
		return
	case p.filter != Linear:
		t.weighPixels(dst, src, p.pixel)
		return
	}
	for i, at := range t.first {
		a, n, w := int(at), int(t.n[i]-1), t.weights[2*i:]
		b := a + n
		if p.rowsFirst {
			second(dst[i*p.pixel:][:p.pixel], src[2*a*p.pixel:], src[2*b*p.pixel:], w)
		} else {
			first(dst[2*i*p.pixel:], src[a*p.pixel:][:p.pixel], src[b*p.pixel:], w)
		}
	}
}

// resampleRows stores row y of the result, or a row between the passes, of `rows`.
func (t *table) resampleRows(p *Plan, dst []uint8, rows [][]uint8, y int) {
	w := t.weights[y*t.taps:]
	switch {
	case p.filter != Linear:
		weighRows(dst, rows, w)
	case p.rowsFirst:
		first(dst, rows[0], rows[len(rows)-1], w)
	default:
		second(dst, rows[0], rows[len(rows)-1], w)
	}
}
