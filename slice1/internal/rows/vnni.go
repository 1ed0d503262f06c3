package rows

import (
	"encoding/binary"
	"math"
	"slices"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// The passes of csrc/vnni.h make four pixels of four rows at once. A vector of 64 bytes has four
// sums of each channel, and a sum takes four samples and four weights. quads and spans say where
// the samples of a vector lie, and pack their weights behind a head of three vectors.
const (
	vectorOf4  = 64                // bytes of a vector
	headOf4    = 3 * vectorOf4     // bytes before the weights of columns
	planes     = 3                 // signed bytes of a weight
	sums       = 4                 // of a channel in a vector
	tapsAtOnce = 4                 // samples that a sum takes at once
	laneOf4    = sums * tapsAtOnce // bytes of a channel in a vector
	mostOfRun  = 3                 // groups of samples of packRuns
)

// bytesOf returns a weight's three signed bytes: w = 65536*high + 256*middle + low.
func bytesOf(w int32) [planes]uint8 {
	low := int32(int8(w))
	middle := int32(int8((w - low) >> 8))
	return [planes]uint8{uint8((w - low - middle<<8) >> 16), uint8(middle), uint8(low)}
}

// putWeight stores a weight as byte i of each plane. The planes are `size` bytes apart.
func putWeight(dst []uint8, i, size int, w int32) {
	for plane, v := range bytesOf(w) {
		dst[plane*size+i] = v
	}
}

// inVectors returns n bytes that begin where a line of the cache does.
func inVectors(n int) []uint8 {
	b := make([]uint8, n+vectorOf4-1)
	return b[-int(uintptr(unsafe.Pointer(&b[0])))&(vectorOf4-1):][:n]
}

// head returns memory for n bytes of weights behind the head of quads or spans, which says how many
// bytes a row gets of a vector. The order of bytes that are stored says for each row and each of
// these bytes where a vector has it: that of a channel of one of the pixels.
func (p *Plan) head(n int, source func(row, pixel, channel int) int) []uint8 {
	b := inVectors(headOf4 + n)
	pixels, _ := p.inVector()
	stored := pixels * p.pixel
	b[2*vectorOf4+8] = uint8(stored)
	for row := range 4 {
		for i := range stored {
			target := laneOf4*row + i
			if p.zipped {
				target = 4*i + row
			}
			b[vectorOf4+target] = uint8(source(row, i/p.pixel, i%p.pixel))
		}
	}
	return b
}

// inVector returns how many pixels a vector of columns has, and the bytes of their weights of a
// plane.
func (p *Plan) inVector() (pixels, plane int) {
	if p.pixel == 1 {
		return vectorOf4 / tapsAtOnce, vectorOf4
	}
	return sums, laneOf4
}

// packQuads returns a pass over columns that takes what four pixels, or 16 of grey, take of four
// samples from a window of a vector. It returns nil if some windows would be longer, or rows are.
func (p *Plan) packQuads(t *table, groups int) *packedPass {
	count, pixel := len(t.starts), p.pixel
	length := (t.high - t.low) * pixel
	pixels, plane := p.inVector()
	if count < pixels || length < vectorOf4 {
		return nil
	}
	quads, quadBytes := (count+pixels-1)/pixels, (1+planes)*plane
	c := &packedPass{set: p.set, pass: program.WeighQuads, starts: make([]int32, quads*groups), groups: groups,
		weightStride: quadBytes * groups / pixels, weights: p.head(quads*groups*quadBytes, func(row, pixel, channel int) int { return laneOf4*channel + 4*row + pixel })}
	for i := range vectorOf4 {
		c.weights[i] = uint8(i / laneOf4) // three channels have no fourth one: any byte will do
	}
	if p.pixel == 1 {
		c.pass, c.weights = program.WeighQuads1, p.head(quads*groups*quadBytes, func(row, pixel, _ int) int { return laneOf4*(pixel/4) + 4*row + pixel%4 })
	}
	for q := range quads {
		x := min(pixels*q, count-pixels)
		for g := range groups {
			low, high := length, 0
			visit := func(f func(i, offset int, w int32)) {
				for i := range pixels {
					for k := tapsAtOnce * g; k < min(tapsAtOnce*(g+1), int(t.n[x+i])); k++ {
						f(tapsAtOnce*i+k%tapsAtOnce, (int(t.starts[x+i])+k)*pixel, t.weights[(x+i)*t.taps+k])
					}
				}
			}
			visit(func(_, offset int, _ int32) { low, high = min(low, offset), max(high, offset+pixel) })
			low = max(0, min(low, length-vectorOf4))
			if high-low > vectorOf4 {
				return nil
			}
			c.starts[q*groups+g] = int32(low)
			dst := c.weights[headOf4+(q*groups+g)*quadBytes:]
			visit(func(i, offset int, w int32) {
				dst[i] = uint8(offset - low)
				putWeight(dst[plane:], i, plane, w)
			})
		}
	}
	return c
}

// packRuns returns a pass over columns that takes four neighbours of four rows at once for a pixel.
// It returns nil for grey, if pixels take so many neighbours that packSpans is as good, and if rows
// are shorter than what it loads.
func (p *Plan) packRuns(t *table, groups int) *packedPass {
	count, pixel, width := len(t.starts), p.pixel, t.high-t.low
	loaded := tapsAtOnce*groups*pixel + 4*(4-pixel)
	if pixel == 1 || groups > mostOfRun || count < sums || width*pixel < loaded || width > math.MaxInt32/32 {
		return nil
	}
	c := &packedPass{set: p.set, pass: program.WeighRuns, starts: make([]int32, count), groups: groups,
		weightStride: tapsAtOnce * planes * groups, weights: p.head(count*groups*tapsAtOnce*planes, func(row, pixel, channel int) int { return laneOf4*row + 4*pixel + channel })}
	for i := range laneOf4 {
		c.weights[i] = uint8(i%tapsAtOnce*pixel + min(i/tapsAtOnce, pixel-1))
	}
	for i, start := range t.starts {
		begin := min(int(start), width-tapsAtOnce*groups)
		c.starts[i] = int32(begin)
		dst := c.weights[headOf4+c.weightStride*i:]
		for k, w := range t.weights[i*t.taps:][:t.n[i]] {
			tap := int(start) - begin + k
			putWeight(dst[tap/tapsAtOnce*tapsAtOnce*planes:], tap%tapsAtOnce, tapsAtOnce, w)
		}
	}
	c.loadInside(width, pixel, loaded)
	return c
}

// packSpans returns a pass over columns that takes 16 neighbours at once for a pixel. It returns
// nil if rows are shorter.
func (p *Plan) packSpans(t *table, groups int) *packedPass {
	const neighbours = laneOf4
	count, pixel, width := len(t.starts), p.pixel, t.high-t.low
	if pixels, _ := p.inVector(); count < pixels || width < neighbours {
		return nil
	}
	groups = (tapsAtOnce*groups + neighbours - 1) / neighbours
	if p.pixel == 1 {
		return p.packGreySpans(t, groups)
	}
	c := &packedPass{set: p.set, pass: program.WeighSpans, starts: make([]int32, count*groups), groups: groups,
		weightStride: planes * laneOf4 * groups, weights: p.head(count*groups*planes*laneOf4, func(row, pixel, channel int) int { return laneOf4*channel + 4*pixel + row })}
	for i := range vectorOf4 {
		c.weights[i] = uint8(i%laneOf4*pixel + i/laneOf4)
	}
	binary.LittleEndian.PutUint64(c.weights[2*vectorOf4:], ^uint64(0)>>(64-neighbours*pixel))
	for i, start := range t.starts {
		for g := range groups {
			low := min(int(start)+neighbours*g, width-neighbours)
			c.starts[i*groups+g] = int32(low * pixel)
			dst := c.weights[headOf4+(i*groups+g)*planes*laneOf4:]
			for k := neighbours * g; k < min(neighbours*(g+1), int(t.n[i])); k++ {
				putWeight(dst, int(start)+k-low, laneOf4, t.weights[i*t.taps+k])
			}
		}
	}
	return c
}

// packGreySpans is packSpans for grey: four pixels that follow each other have a lane each, and 16
// a vector.
func (p *Plan) packGreySpans(t *table, groups int) *packedPass {
	const pixels, neighbours = vectorOf4 / tapsAtOnce, laneOf4
	count, width := len(t.starts), t.high-t.low
	vectors := (count + pixels - 1) / pixels
	c := &packedPass{set: p.set, pass: program.WeighSpans1, starts: make([]int32, vectors*pixels*groups), groups: groups,
		weightStride: planes * laneOf4 * groups, weights: p.head(vectors*pixels*groups*planes*laneOf4, func(row, pixel, _ int) int { return laneOf4*(pixel%4) + 4*(pixel/4) + row })}
	for n := range vectors * pixels {
		i := min(n/pixels*pixels, count-pixels) + n%pixels
		for g := range groups {
			low, place := min(int(t.starts[i])+neighbours*g, width-neighbours), 4*(n/4*groups+g)
			c.starts[place+n%4] = int32(low)
			dst := c.weights[headOf4+place*planes*laneOf4+n%4*laneOf4:]
			for k := neighbours * g; k < min(neighbours*(g+1), int(t.n[i])); k++ {
				putWeight(dst, int(t.starts[i])+k-low, vectorOf4, t.weights[i*t.taps+k])
			}
		}
	}
	return c
}

// packFours packs the passes of Pillow's filters for VNNI: those over columns, those over rows
// between the passes of so many samples, or both. It leaves nil what csrc/vnni.h has no pass for.
func (p *Plan) packFours(samples int64) {
	if !p.vnni || p.filter >= Nearest {
		return
	}
	long := samples >= vectorOf4
	if t := p.columns; t != nil {
		if groups := (int(slices.Max(t.n)) + tapsAtOnce - 1) / tapsAtOnce; groups > 0 {
			p.zipped = p.rows != nil && !p.rowsFirst && long
			for _, pack := range []func(*table, int) *packedPass{p.packQuads, p.packRuns, p.packSpans} {
				if p.packedColumns = pack(t, groups); p.packedColumns != nil {
					break
				}
			}
			if p.zipped = p.zipped && p.packedColumns != nil; p.zipped {
				p.step = 8
				p.packedColumns.pass++ // the pass that zips
			}
		}
	}
	if p.rows != nil && long {
		p.packedRows = p.packRowsInFours(p.rows)
	}
}

// packRowsInFours returns a pass over rows in fours. Fours of zipped rows begin with multiples of
// four, others with the first row that is taken.
func (p *Plan) packRowsInFours(t *table) *packedPass {
	groups, pass := (t.taps+3)/4, program.WeighFours
	if p.zipped {
		groups, pass = (t.taps+6)/4, program.WeighZipped
	}
	if groups == 0 {
		return nil
	}
	c := &packedPass{set: p.set, pass: pass, weightStride: 4 * planes * groups, weights: make([]uint8, 4*planes*groups*len(t.starts))}
	for y, start := range t.starts {
		dst, left := c.weights[c.weightStride*y:], 0
		if p.zipped {
			left = int(start) % 4
		}
		for k, w := range t.weights[y*t.taps:][:t.n[y]] {
			putWeight(dst[(left+k)/4*4*planes:], (left+k)%4, 4, w)
		}
	}
	return c
}
