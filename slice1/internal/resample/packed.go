package resample

import (
	"encoding/binary"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/native"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/yield"
)

// packed has a table's weights as the loops in C take them. csrc/resample.h says how they lie.
type packed struct {
	set     int32
	first   []int32 // of columns
	groups  int     // of four weights for each column, or of two for each row
	weights []uint8
}

// perProduct is about how many picoseconds the loops in C take for a sample and its weight.
const perProduct = 60

// split returns a weight's two halves: w = 65536*high + low. It returns false if `high` does not fit
// a byte. A weight is at most 1.3, so `high` is at most 84, and neighbours of one above 1 are small
// or negative: two products with `high` fit a word.
func split(w int32) (high int8, low int16, ok bool) {
	low = int16(w)
	h := (w - int32(low)) >> 16
	return int8(h), low, h == int32(int8(h))
}

// packColumns returns the weights of columns for a set. It returns nil if plain Go is to resample
// them: if there are fewer columns than the loops make at once, or fewer pixels than they load.
func (t *table) packColumns(set int32) *packed {
	most := 0
	for _, n := range t.n {
		most = max(most, int(n))
	}
	groups := (most + 3) / 4
	if len(t.first) < 4 || groups == 0 || t.high-t.low < 4*groups {
		return nil
	}
	p := &packed{set, make([]int32, len(t.first)), groups, make([]uint8, 12*groups*len(t.first))}
	for i := range t.first {
		from := min(int(t.first[i]), t.high-t.low-4*groups)
		p.first[i] = int32(from)
		to := p.weights[12*groups*i:]
		for k, w := range t.weights[i*t.taps:][:t.n[i]] {
			at := int(t.first[i]) - from + k
			high, low, ok := split(w)
			if !ok {
				return nil
			}
			to[at/4*12+at%4] = uint8(high)
			binary.LittleEndian.PutUint16(to[at/4*12+4+at%4*2:], uint16(low))
		}
	}
	return p
}

// packRows returns the weights of rows for a set. It returns nil if plain Go is to resample them.
func (t *table) packRows(set int32, bytes int) *packed {
	pairs := (t.taps + 1) / 2
	if int64(bytes) < program.Sets[set].Vector || pairs == 0 {
		return nil
	}
	p := &packed{set, nil, pairs, make([]uint8, 8*pairs*len(t.first))}
	for i := range t.first {
		to := p.weights[8*pairs*i:]
		for k, w := range t.weights[i*t.taps:][:t.n[i]] {
			high, low, ok := split(w)
			if !ok {
				return nil
			}
			to[k/2*8+k%2], to[k/2*8+2+k%2] = uint8(high), uint8(high)
			binary.LittleEndian.PutUint16(to[k/2*8+4+k%2*2:], uint16(low))
		}
	}
	return p
}

// weighColumns resamples the columns of n rows, 1 to 4. Further rows of dst and src are overwritten.
func (p *Plan) weighColumns(dst, src *[4][]uint8, n int) {
	c := p.packedColumns
	if c == nil {
		for k := range n {
			p.columns.weighPixels(dst[k], src[k], p.pixel)
		}
		return
	}
	for k := n; k < 4; k++ {
		dst[k], src[k] = dst[n-1], src[n-1]
	}
	yield.Before(int64(len(c.weights)) * perProduct)
	native.WeighColumns(c.set, c.first, c.groups, c.weights, dst, src)
}

// weighRows stores row y of the result, or a row between the passes, from the rows that it takes.
//
// unsafe: rows are addressed by their distance from the first one.
func (w *Worker) weighRows(dst []uint8, y int) {
	p, rows := w.plan, w.taken
	c := p.packedRows
	if c == nil || len(rows) == 0 {
		weighRows(dst, rows, p.rows.weights[y*p.rows.taps:])
		return
	}
	w.offsets = w.offsets[:0]
	for k := range len(rows) + len(rows)%2 {
		row := rows[min(k, len(rows)-1)]
		w.offsets = append(w.offsets, int64(uintptr(unsafe.Pointer(&row[0]))-uintptr(unsafe.Pointer(&rows[0][0]))))
	}
	yield.Before(int64(len(dst)) * int64(len(rows)) * perProduct)
	native.WeighRows(c.set, w.offsets, c.weights[8*c.groups*y:], dst, &rows[0][0])
}
