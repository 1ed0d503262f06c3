//go:build goexperiment.simd && amd64 && go1.27 && !go1.28

package vector

import (
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
)

// square is a tile in memory, with a vector for each row.
type square [lane][vector]byte

// short makes r.n transposed views by form Narrow or Folded.
func (r rows) short(p *csrc.Program, form csrc.Form, d, s unsafe.Pointer) {
	t := tilingOf(p)
	for n, do, so := r.n, 0, 0; n > 0; n, do, so = n-1, do+r.dst, so+r.src {
		o, i := unsafe.Add(d, do), unsafe.Add(s, so)
		switch {
		case form == csrc.Narrow && t.up == t.width:
			t.narrow(o, i, nil)
		case form == csrc.Narrow:
			to := t.packed(t.n - t.high)
			t.narrow(o, i, &to)
		case t.n >= t.wide:
			t.folded(o, i)
		default:
			t.few(o, i)
		}
	}
}

// narrow makes a view whose rows are shorter than a tile, but not than half of one. It stores the
// two lanes of each row of a tile, which overlap. If `to` is nil, rows take adjacent elements of the
// lines, otherwise every second one, which are packed into `to`.
func (t *tiling) narrow(d, s unsafe.Pointer, to *packed) {
	second := t.n - t.high
	t.apart = second * t.src
	var tile square
	made := unsafe.Pointer(&tile)
	for yt := 0; yt < t.lines; yt += t.high {
		y := min(yt, t.lines-t.high)
		if from := unsafe.Add(s, y*t.up); to == nil {
			t.strip(made, vector, from, t.wide)
		} else {
			t.every2(made, vector, from, t.wide, t.n, to)
		}
		for i := range t.high {
			o := unsafe.Add(d, (y+i)*t.down)
			storeLane(o, 0, loadLane(made, i*vector))
			storeLane(o, second*t.width, loadLane(made, i*vector+lane))
		}
	}
}

// row returns where row y of a folded view begins in the destination, in bytes. In a folded view,
// two loops lead from row to row: y counts their iterations.
func (t *tiling) row(y int) int { return y/t.fold*t.down + y%t.fold*t.foldedDown }

// folded makes a folded view whose rows have at least t.wide elements, in blocks as method blocks
// does.
func (t *tiling) folded(d, s unsafe.Pointer) {
	const lines = 4 * csrc.LineBytes
	end, band := t.lines*t.fold, lines/t.width
	var tile square
	made := unsafe.Pointer(&tile)
	for yb := 0; yb < end; yb += band {
		for xb := 0; xb < t.n; xb += t.block {
			for yt := yb; yt < min(yb+band, end); yt += t.high {
				y := min(yt, end-t.high)
				for xt := xb; xt < min(xb+t.block, t.n); xt += t.wide {
					x := min(xt, t.n-t.wide)
					t.strip(made, vector, unsafe.Add(s, y*t.width+x*t.src), t.wide)
					for i := range t.high {
						store(d, t.row(y+i)+x*t.width, load(made, i*vector))
					}
				}
			}
		}
	}
}

// few makes a folded view whose rows are shorter than a lane. The two lanes of a tile's vectors are
// two tiles of their own: the rows of the second are below those of the first. If the rows continue
// each other in the destination, few stores whole lanes, except at its end, and the next row
// overwrites what is too much.
func (t *tiling) few(d, s unsafe.Pointer) {
	size, end := t.n*t.width, t.lines*t.fold
	chained := t.fold == 1 && t.down == size
	for i := range t.at {
		t.at[i] = min(i, t.n-1) * t.src
	}
	var tile square
	made := unsafe.Pointer(&tile)
	for yt := 0; yt < end; yt += 2 * t.high {
		y := min(yt, end-t.high)
		second := min(t.high, end-t.high-y)
		t.apart = second * t.width
		t.strip(made, vector, unsafe.Add(s, y*t.width), t.wide)
		for half := range 2 {
			first, from := y+half*second, half*lane
			if chained && (end-first-t.high+1)*size >= lane {
				for i := range t.high {
					storeLane(d, (first+i)*size, loadLane(made, i*vector+from))
				}
				continue
			}
			for i := range t.high {
				put(unsafe.Add(d, t.row(first+i)), unsafe.Add(made, i*vector+from), size)
			}
		}
	}
}

// put copies size bytes: at least 2, and fewer than a lane.
func put(d, s unsafe.Pointer, size int) {
	switch {
	case size >= 8:
		putEnds[[8]byte](d, s, size)
	case size >= 4:
		putEnds[[4]byte](d, s, size)
	default:
		putEnds[[2]byte](d, s, size)
	}
}

// putEnds copies size bytes, which are one to two T, as the first T and the last, which may overlap.
func putEnds[T any](d, s unsafe.Pointer, size int) {
	last := size - int(unsafe.Sizeof(*new(T)))
	*(*T)(d) = *(*T)(s)
	*(*T)(unsafe.Add(d, last)) = *(*T)(unsafe.Add(s, last))
}

// enlarge makes tiles as high as wide if elements have 4 or 8 bytes and the view has as many rows.
// Each vector of such a tile is one load from one line, in place of two loads of half a vector.
func (t *tiling) enlarge() {
	if t.width >= 4 && t.lines >= t.wide {
		t.high = t.wide
	}
}

// adjacent is strip, or square4 or square8 if enlarge has made the tiles as high as wide.
func (t *tiling) adjacent(d unsafe.Pointer, ds int, s unsafe.Pointer, n int) {
	switch {
	case t.high < t.wide:
		t.strip(d, ds, s, n)
	case t.width == 4:
		square4(d, ds, s, t.src, &t.at, n)
	default:
		square8(d, ds, s, t.src, &t.at, n)
	}
}

func square4(d unsafe.Pointer, ds int, s unsafe.Pointer, ss int, at *[lane]int, n int) {
	const wide = vector / 4
	for x := 0; ; x += wide {
		x = min(x, n-wide)
		from, o := unsafe.Add(s, x*ss), unsafe.Add(d, 4*x)
		r0, r1 := zip32(whole(from, 0), whole(from, at[1]))
		r2, r3 := zip32(whole(from, at[2]), whole(from, at[3]))
		r4, r5 := zip32(whole(from, at[4]), whole(from, at[5]))
		r6, r7 := zip32(whole(from, at[6]), whole(from, at[7]))
		r0, r2 = zip64(r0, r2)
		r1, r3 = zip64(r1, r3)
		r4, r6 = zip64(r4, r6)
		r5, r7 = zip64(r5, r7)
		putLanes(o, ds, 0, 4, r0, r4)
		putLanes(o, ds, 1, 5, r2, r6)
		putLanes(o, ds, 2, 6, r1, r5)
		putLanes(o, ds, 3, 7, r3, r7)
		if x+wide >= n {
			return
		}
	}
}

func square8(d unsafe.Pointer, ds int, s unsafe.Pointer, ss int, at *[lane]int, n int) {
	const wide = vector / 8
	a1, a2, a3 := at[1], at[2], at[3]
	for x := 0; ; x += wide {
		x = min(x, n-wide)
		from, o := unsafe.Add(s, x*ss), unsafe.Add(d, 8*x)
		r0, r1 := zip64(whole(from, 0), whole(from, a1))
		r2, r3 := zip64(whole(from, a2), whole(from, a3))
		putLanes(o, ds, 0, 2, r0, r2)
		putLanes(o, ds, 1, 3, r1, r3)
		if x+wide >= n {
			return
		}
	}
}

func whole(s unsafe.Pointer, at int) turned { return load(s, at).ReshapeToUint64s() }

// putLanes stores the first lanes of a and b as row `first`, and their second lanes as row `second`,
// at d, where rows are ds bytes apart.
func putLanes(d unsafe.Pointer, ds, first, second int, a, b turned) {
	store(d, first*ds, a.ConcatPermute128Scalars(0, 2, b).ReshapeToUint8s())
	store(d, second*ds, a.ConcatPermute128Scalars(1, 3, b).ReshapeToUint8s())
}

// pairsOfBytes holds the indices by which zip8 turns what zip16 has made into elements of one byte
// that alternate.
var pairsOfBytes = [vector]uint8{0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15, 0, 2, 1, 3, 4, 6, 5, 7, 8, 10, 9, 11, 12, 14, 13, 15}

// line returns a vector of a lane of the line at s+at, and a lane `apart` bytes further.
func line(s unsafe.Pointer, at, apart int) turned {
	var x vec
	s = unsafe.Add(s, at)
	return x.SetLo(loadLane(s, 0)).SetHi(loadLane(s, apart)).ReshapeToUint64s()
}

// zip8, zip16, zip32 and zip64 interleave elements of 8, 16, 32 and 64 bits of a and b, each lane
// by itself. lo has the elements of the first halves of their lanes, hi those of the second halves.

func zip8(a, b turned) (lo, hi turned) {
	pairs := indices(&pairsOfBytes)
	lo, hi = zip16(a, b)
	return lo.ReshapeToUint8s().PermuteOrZeroGrouped(pairs).ReshapeToUint64s(), hi.ReshapeToUint8s().PermuteOrZeroGrouped(pairs).ReshapeToUint64s()
}

func zip16(a, b turned) (lo, hi turned) {
	x, y := a.ReshapeToUint16s(), b.ReshapeToUint16s()
	return x.InterleaveLoGrouped(y).ReshapeToUint64s(), x.InterleaveHiGrouped(y).ReshapeToUint64s()
}

func zip32(a, b turned) (lo, hi turned) {
	x, y := a.ReshapeToUint32s(), b.ReshapeToUint32s()
	return x.InterleaveLoGrouped(y).ReshapeToUint64s(), x.InterleaveHiGrouped(y).ReshapeToUint64s()
}

func zip64(a, b turned) (lo, hi turned) {
	return a.InterleaveLoGrouped(b), a.InterleaveHiGrouped(b)
}
