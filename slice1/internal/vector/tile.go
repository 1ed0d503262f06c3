//go:build goexperiment.simd && (amd64 || arm64) && go1.27 && !go1.28

package vector

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// A transposed view has rows in the destination. In the source, element k of each row is on line k,
// beside element k of the other rows. A tile has a few bytes of each of some lines. In the
// destination it has a vector of each of some rows, or 2 to 16 bytes if rows are shorter. The last
// tiles overlap the ones before.
//
// A lane has up to 16 bytes of one line. If a vector has two lanes and rows are whole vectors, the
// second lane has another line. If rows are shorter, it has the bytes of the same line that follow.
// If lines are shorter, too, it has the line that is as far from the end of the rows as the line of
// the first lane is from their beginning.

// A tiling is a transposed view, and how it is cut into tiles.
type tiling struct {
	band, block int // rows of a band, lines of a block
	lines, rows places
}

// tiles makes r.n transposed views.
func (r rows) tiles(p *program.Program, d, s unsafe.Pointer) {
	b, w := p.Tiles(), int(p.Width)
	t := tiling{band: int(b.Band), block: min(int(b.Block), tabled)}
	t.lines.set(p.Row.Extent, p.Row.Src, b.Join.Extent, b.Join.Src, tabled)
	size := w
	if b.Fold.Extent > 1 {
		t.rows.set(b.Fold.Extent, b.Fold.Dst, b.Across.Extent, b.Across.Dst, 2*lane)
	} else {
		t.rows.set(b.Across.Extent, b.Across.Dst, 1, 0, 2*lane)
		size = int(b.Across.Src)
	}
	tall, wide := powerOf(t.rows.count*w, vector), powerOf(t.lines.count*w, vector)
	if wide == vector {
		tall = min(tall, lane)
	}
	switch {
	// Rows of every second element of lines are whole vectors: form Tile.
	case size != w && w == 1:
		turn[b1, b16, whole, b2](&t, r, d, s)
	case size != w && w == 2:
		turn[b2, b16, whole, b2](&t, r, d, s)
	case size != w:
		turn[b4, b16, whole, b2](&t, r, d, s)
	case w == 1 && tall == 4:
		turnRows[b1, b4](&t, wide, r, d, s)
	case w == 1 && tall == 8:
		turnRows[b1, b8](&t, wide, r, d, s)
	case w == 1 && tall == lane:
		turnRows[b1, b16](&t, wide, r, d, s)
	case w == 1:
		turnRows[b1, whole](&t, wide, r, d, s)
	case w == 2 && tall == 8:
		turnRows[b2, b8](&t, wide, r, d, s)
	case w == 2 && tall == lane:
		turnRows[b2, b16](&t, wide, r, d, s)
	case w == 2:
		turnRows[b2, whole](&t, wide, r, d, s)
	case tall == lane:
		turnRows[b4, b16](&t, wide, r, d, s)
	default:
		turnRows[b4, whole](&t, wide, r, d, s)
	}
}

// powerOf returns the largest power of two that is at most n and at most `limit`, or 2.
func powerOf(n, limit int) int {
	power := 2
	for 2*power <= min(n, limit) {
		power *= 2
	}
	return power
}

// Types of so many bytes: functions are instantiated with sizes, which so are constants.
type (
	b1    = [1]uint8
	b2    = [2]uint8
	b4    = [4]uint8
	b8    = [8]uint8
	b16   = [lane]uint8
	whole = [vector]uint8
)

// turnRows makes views by tiles that have `wide` bytes of each row. See turn for W and T.
func turnRows[W, T any](t *tiling, wide int, r rows, d, s unsafe.Pointer) {
	switch {
	case wide == vector:
		turn[W, T, whole, b1](t, r, d, s)
	case wide == 16:
		turn[W, T, b16, b1](t, r, d, s)
	case wide == 8:
		turn[W, T, b8, b1](t, r, d, s)
	case wide == 4:
		turn[W, T, b4, b1](t, r, d, s)
	default:
		turn[W, T, b2, b1](t, r, d, s)
	}
}

// turn is, for each of r.n views,
//
//	for y := range t.rows.count { for x := range t.lines.count { element x of row y = element y of line x } }
//
// It does so by tiles of elements of the size of W, which have T bytes of each line and R bytes of
// each row. E has a byte if lines have every element, two if they have every second one.
// Views are made block by block. A block has at most t.block elements of each row, and the rows of
// a band. So a cache line of the source is used up while it is in the first-level cache.
func turn[W, T, R, E any](t *tiling, r rows, d, s unsafe.Pointer) {
	// Elements have w bytes, and those of a line are `size` bytes apart. A tile has high rows of
	// step elements, and each of its lanes takes count lines.
	w, tall, wide := int(unsafe.Sizeof(*new(W))), int(unsafe.Sizeof(*new(T))), int(unsafe.Sizeof(*new(R)))
	size, count, high, step := w*int(unsafe.Sizeof(*new(E))), min(wide, lane)/w, tall/w, wide/w
	n, m := t.lines.count, t.rows.count
	order := indices(unsafe.Pointer(&orders[0]))
	if w == 1 {
		order = indices(unsafe.Pointer(&orders[min(count, 8)/2]))
	}
	picks0, picks1 := indices(unsafe.Pointer(&seconds[0][w])), indices(unsafe.Pointer(&seconds[1][w]))
	// If pairs is true, each lane has a tile of its own, the second one at the ends of the rows.
	pairs := vector > lane && wide < vector && tall <= lane
	var made [lane]whole
	for dstAt, srcAt := 0, 0; r.n > 0; r.n, dstAt, srcAt = r.n-1, dstAt+r.dst, srcAt+r.src {
		for yb := 0; yb < m; yb += t.band {
			for xb := 0; xb < n; xb += t.block {
				x0, end := min(xb, n-step), min(xb+t.block, n)
				final := end - step - x0
				if pairs {
					final = 0
				}
				t.lines.hold(x0, end)
				for yt := yb; yt < min(yb+t.band, m); yt += high {
					y := min(yt, m-high)
					t.rows.hold(y, y+high)
					offsets, o := t.rows.entry(y)
					lines, i := t.lines.entry(x0)
					d0, s0 := unsafe.Add(d, dstAt+o+x0*w), unsafe.Add(s, srcAt+i+y*size)
					for x := 0; ; x = min(x+step, final) {
						d1, sources := unsafe.Add(d0, x*w), (*table)(unsafe.Add(unsafe.Pointer(lines), x*wordBytes))
						from2 := sources
						if pairs {
							from2 = (*table)(unsafe.Add(unsafe.Pointer(sources), (n-count)*wordBytes))
						}
						line := func(k int) (l single) {
							low, high := unsafe.Add(s0, sources[k]), unsafe.Add(s0, from2[k])
							if wide == vector {
								high = unsafe.Add(s0, sources[count+k])
							}
							switch {
							case size != w:
								l.v = everySecond(low, high, lane-w, picks0, picks1)
							case wide < vector && tall == vector:
								l.v = load(low, 0).ReshapeToUint64s()
							case tall == 4:
								l.v = concat4(low, high)
							case tall == 8:
								l.v = concat8(low, high)
							default:
								l.v = concat(low, high)
							}
							return l
						}
						put := func(i int, p pair) {
							if w == 1 && count < 16 {
								p.v0, p.v1 = ordered(p.v0, order), ordered(p.v1, order)
							}
							if wide == vector {
								p.v0.ReshapeToUint8s().StoreArray((*whole)(unsafe.Add(d1, offsets[i])))
								p.v1.ReshapeToUint8s().StoreArray((*whole)(unsafe.Add(d1, offsets[i+1])))
							} else {
								p.v0.ReshapeToUint8s().StoreArray(&made[i])
								p.v1.ReshapeToUint8s().StoreArray(&made[i+1])
							}
						}
						parts := func(d unsafe.Pointer, offsets *table, v unsafe.Pointer) {
							_ = order
							for y := 0; y < min(tall, lane)/w; y, v = y+lane/wide, unsafe.Add(v, vector) {
								part[R](d, offsets, y, v, 0)
								if wide <= 8 {
									part[R](d, offsets, y+1, v, 1)
								}
								if wide <= 4 {
									part[R](d, offsets, y+2, v, 2)
									part[R](d, offsets, y+3, v, 3)
								}
								if wide <= 2 {
									part[R](d, offsets, y+4, v, 4)
									part[R](d, offsets, y+5, v, 5)
									part[R](d, offsets, y+6, v, 6)
									part[R](d, offsets, y+7, v, 7)
								}
							}
						}
						four := func(k int) (q quad) {
							q.v0, q.v1, q.v2, q.v3 = zipFour(line(k).v, line(k+1).v, line(k+2).v, line(k+3).v)
							_ = order
							return q
						}
						switch {
						case count == 2 && w == 4:
							v, w0 := zip32(line(0).v, line(1).v)
							put(0, pair{v, w0})
						case count == 2:
							v, w0 := zip16(line(0).v, line(1).v)
							put(0, pair{v, w0})
						case count == 4 && w == 4:
							v, w0 := zip32(line(0).v, line(1).v)
							c, e := zip32(line(2).v, line(3).v)
							v, c = zip64(v, c)
							w0, e = zip64(w0, e)
							put(0, pair{v, c})
							put(2, pair{w0, e})
						case count == 4:
							q := four(0)
							put(0, pair{q.v0, q.v1})
							if tall > 8 {
								put(2, pair{q.v2, q.v3})
							}
						case count == 8:
							q, r := four(0), four(4)
							r0, r1 := zip64(q.v0, r.v0)
							put(0, pair{r0, r1})
							if tall > 4 {
								r0, r1 = zip64(q.v1, r.v1)
								put(2, pair{r0, r1})
							}
							if tall > 8 {
								r0, r1 = zip64(q.v2, r.v2)
								put(4, pair{r0, r1})
								r0, r1 = zip64(q.v3, r.v3)
								put(6, pair{r0, r1})
							}
						default:
							q, r, u, v := four(0), four(4), four(8), four(12)
							r0, r1, r2, r3 := zipBytes(q.v0, r.v0, u.v0, v.v0, order)
							put(0, pair{r0, r1})
							put(2, pair{r2, r3})
							if tall > 4 {
								r0, r1, r2, r3 = zipBytes(q.v1, r.v1, u.v1, v.v1, order)
								put(4, pair{r0, r1})
								put(6, pair{r2, r3})
							}
							if tall > 8 {
								r0, r1, r2, r3 = zipBytes(q.v2, r.v2, u.v2, v.v2, order)
								put(8, pair{r0, r1})
								put(10, pair{r2, r3})
								r0, r1, r2, r3 = zipBytes(q.v3, r.v3, u.v3, v.v3, order)
								put(12, pair{r0, r1})
								put(14, pair{r2, r3})
							}
						}
						// put leaves rows that are shorter than a vector in made.
						if wide < vector {
							parts(d1, offsets, unsafe.Pointer(&made))
							if tall > lane {
								parts(d1, (*table)(unsafe.Pointer(&offsets[lane/w])), unsafe.Pointer(&made[0][vector-lane]))
							} else if pairs && n > count {
								parts(unsafe.Add(d1, (n-count)*w), offsets, unsafe.Pointer(&made[0][vector-lane]))
							}
						}
						if x == final {
							break
						}
					}
				}
			}
		}
	}
}

// single, pair and quad are vectors of a tile. The compiler inlines a long closure if it captures a
// vector, and if no argument or result is a vector. So the closures of turn have these structs as
// arguments and results, and two of them capture order only by `_ = order`.
type (
	single struct{ v turned }
	pair   struct{ v0, v1 turned }
	quad   struct{ v0, v1, v2, v3 turned }
)

// everySecond returns every second element of two lines, 16 bytes of each: those of the first 16
// bytes of a line, then those of the 16 bytes that begin half a line further and end with the
// line's last.
func everySecond(lo, hi unsafe.Pointer, half int, picks0, picks1 picks) turned {
	v, b := concat(lo, hi), concat(unsafe.Add(lo, half), unsafe.Add(hi, half))
	return permuted(v.ReshapeToUint8s(), picks0).Or(permuted(b.ReshapeToUint8s(), picks1)).ReshapeToUint64s()
}

// orders hold indices of bytes. The first keeps them. Of the others, number i is for 2*i lines
// whose pairs of bytes follow each other: it puts the first byte of each pair before all second
// ones.
var orders = func() (o [8][vector]uint8) {
	for i := range o {
		for j := range o[i] {
			o[i][j] = uint8(j % lane)
			if n := 2 * i; n > 0 {
				o[i][j] = uint8(j%lane/(2*n)*(2*n) + j%n*2 + j/n%2)
			}
		}
	}
	return o
}()

// seconds hold, for elements of w bytes, the indices of the bytes that everySecond takes of two
// vectors. The second vector begins 16 - w bytes behind the first, and ends with the last element.
var seconds = func() (o [2][16][vector]uint8) {
	for _, w := range []int{1, 2, 4} {
		for j := range vector {
			offset := j%lane/w*2*w + j%w
			o[0][w][j], o[1][w][j] = uint8(offset), zero
			if offset >= lane {
				o[0][w][j], o[1][w][j] = zero, uint8(offset-lane+w)
			}
		}
	}
	return o
}()

// zero is the index of no byte.
const zero = 0x80

// zipFour zips elements of 2 bytes of v0 and v1, and of v2 and v3, then elements of 4 bytes of the
// results. It returns the vectors in the order of the rows that are in them.
func zipFour(v0, v1, v2, v3 turned) (r0, r1, r2, r3 turned) {
	v0, v1 = zip16(v0, v1)
	v2, v3 = zip16(v2, v3)
	v0, v2 = zip32(v0, v2)
	v1, v3 = zip32(v1, v3)
	return v0, v2, v1, v3
}

func ordered(x turned, order picks) turned {
	return permuted(x.ReshapeToUint8s(), order).ReshapeToUint64s()
}

// zipBytes returns four rows, in order, whose lanes each have the bytes of 16 lines. The lanes of
// v0 to v3 each have the bytes of four of them, zipped in pairs.
func zipBytes(v0, v1, v2, v3 turned, order picks) (r0, r1, r2, r3 turned) {
	v0, v1 = zip64(v0, v1)
	v2, v3 = zip64(v2, v3)
	v0, v2 = zip64(ordered(v0, order), ordered(v2, order))
	v1, v3 = zip64(ordered(v1, order), ordered(v3, order))
	return v0, v2, v1, v3
}

// part stores row y, which is part i of the vector at v.
func part[R any](d unsafe.Pointer, offsets *table, y int, v unsafe.Pointer, i int) {
	*(*R)(unsafe.Add(d, offsets[y&(lane-1)])) = *(*R)(unsafe.Add(v, i*int(unsafe.Sizeof(*new(R)))))
}
