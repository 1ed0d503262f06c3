package plan

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/vector"
)

// A bench makes nests at random and holds the memory in which programs of nests run.
type bench struct {
	rng       *rand.Rand
	src       []byte // random bytes
	canaries  []byte // what the destination holds before a program runs
	want, got []byte // what the destination must hold after it, and what it holds
	program   program.Draft
	turn      int64         // how many nests were checked
	ran       [bodies]int64 // how many programs with each body ran
}

func newBench(seed uint64) *bench {
	b := &bench{rng: rand.New(rand.NewPCG(seed, seed)), src: make([]byte, 4<<20), canaries: make([]byte, 8<<20)}
	for i := range b.src {
		b.src[i] = byte(b.rng.Uint32())
	}
	for i := range b.canaries {
		b.canaries[i] = byte(0xC0 + i%61)
	}
	return b
}

// check runs n by the kernels of this host, except plain Go. It compares the span of the
// destination, and at least a line on either side, with the result of copying element after
// element. It runs the candidate that each kernel would choose, with ordinary and with non-temporal
// stores in turns from nest to nest. Then it runs every candidate with both; with -short it does so
// only for every eighth nest. The costs are a random machine's. check chooses the offsets of n.
func (b *bench) check(t *testing.T, n nest.Nest) {
	t.Helper()
	kernels := usable()
	if len(kernels) == 0 {
		return
	}
	const margin = 64
	n.SrcOff, n.DstOff = 0, margin+b.rng.Int64N(64)
	bytes := n.DstOff + int64(n.Width) + margin
	for _, d := range n.Dims[:n.Rank] {
		n.SrcOff += max(0, -d.Src*(d.Extent-1))
		n.DstOff += max(0, -d.Dst*(d.Extent-1))
		bytes += max(d.Dst, -d.Dst) * (d.Extent - 1)
	}
	b.want = append(b.want[:0], b.canaries[:bytes]...)
	each(&n, 0, n.DstOff, n.SrcOff, func(to, from int64) {
		copy(b.want[to:to+int64(n.Width)], b.src[from:])
	})
	h := anyHost(b.rng)
	b.turn++
	for _, k := range kernels {
		b.run(t, h.Choose(&b.program, &n, eitherStores[b.turn%2](OneKernel(k))), &n)
		if testing.Short() && b.turn%8 != 0 {
			continue
		}
		for _, work := range eitherStores {
			for _, c := range withoutCache(h).Candidates(&n, 1, work(OneKernel(k))) {
				if setOf[k][c.Kind] == int32(k) { // else it has run as the candidate of a weaker kernel
					h.Make(&b.program, &n, c)
					b.run(t, c, &n)
				}
			}
		}
	}
}

// run runs b.program, the program of c for n, and compares the result with b.want. Of three
// programs of tiles, one prefetches the views that follow and one its blocks. Every second program
// without a body has a prefetch distance.
func (b *bench) run(t *testing.T, c Candidate, n *nest.Nest) {
	t.Helper()
	body := bodyOf(&b.program.Program)
	b.ran[body]++
	switch {
	case body == tiled:
		b.program.Tiles().Ahead = b.ran[body] % 3
	case body == plain && b.program.NT == 0:
		b.program.Prefetch.Distance = b.ran[body] % 2 * 4096
	}
	b.got = append(b.got[:0], b.canaries[:len(b.want)]...)
	runProgram(&b.program.Program, unsafe.Pointer(&b.got[0]), unsafe.Pointer(&b.src[0]))
	if i := differ(b.got, b.want); i >= 0 {
		t.Fatalf("%s: byte %d is %#x, want %#x: %+v", c, i, b.got[i], b.want[i], *n)
	}
}

// around returns n with `loops` more loops around it, whose iterations have no byte of the
// destination in common. Each of them moves the destination upwards or downwards.
func (b *bench) around(n nest.Nest, loops int) nest.Nest {
	dims := append([]nest.Dim(nil), n.Dims[:n.Rank]...)
	span := int64(n.Width)
	for _, d := range dims {
		span += max(d.Dst, -d.Dst) * (d.Extent - 1)
	}
	for range loops {
		d := nest.Dim{Extent: 1 + b.rng.Int64N(3), Src: b.rng.Int64N(401) - 200, Dst: span + b.rng.Int64N(9)}
		span += d.Dst * (d.Extent - 1)
		if b.rng.IntN(4) == 0 {
			d.Dst = -d.Dst
		}
		dims = append([]nest.Dim{d}, dims...)
	}
	return nestOf(n.Width, dims...)
}

// Rows, transposed views, rows that continue each other and planes that become pixels, under none
// to three loops. Kernels change their way of making rows near the lengths of these rows. With
// -short most rows are under one number of loops only.
func TestRowsUnderLoops(t *testing.T) {
	b := newBench(20)
	var lengths []int64
	for vectors := range int64(10) {
		for _, v := range []int64{16, 32, 64} {
			lengths = append(lengths, vectors*v, vectors*v+8+vectors)
		}
	}
	lengths = append(lengths, 1, 2, 3, 4, 6, 8, 12, 15, 24, 700, 4097)
	around := []int{0, 1, 2, 3}
	if testing.Short() {
		around = around[:1]
	}
	for _, w := range []int64{1, 2, 4, 8} {
		for _, src := range []int64{0, w, -w, 2 * w, 3 * w, 4 * w, -5 * w, 33, 64, -64, -100} {
			for _, dst := range []int64{w, w + 1, 4 * w, 100} {
				for _, length := range lengths {
					if length < w || dst > w && length > 700 {
						continue
					}
					row := nestOf(int32(w), dim(length/w, src, dst))
					for _, loops := range around {
						b.check(t, b.around(row, loops))
					}
					if testing.Short() {
						around[0] = (around[0] + 1) % 4
					}
				}
			}
		}
		for _, src := range []int64{20, 64, -64} { // more lines than a second-level cache may hold
			b.check(t, nestOf(int32(w), dim(28_001, src, w)))
		}
		for loops := range 4 {
			b.check(t, b.around(nestOf(int32(w)), loops))
			b.check(t, b.around(nestOf(int32(w), dim(160_000/w, w, w)), loops))
			for i := range 120 { // transposed views; every second one has rows of at most 40 bytes
				row, pitch := 1+b.rng.Int64N([]int64{1500, 40}[i%2]/w), b.rng.Int64N(600)-300
				across := dim(16/w+b.rng.Int64N(80), (1+b.rng.Int64N(3))*w*(1-2*b.rng.Int64N(2)), row*w+b.rng.Int64N(65))
				b.check(t, b.around(nestOf(int32(w), across, dim(row, pitch, w)), loops))
			}
			for range 20 { // reversed rows that two loops continue in the destination, the outer one of a prime extent
				short, long := 1+b.rng.Int64N(8), 1+b.rng.Int64N(9)
				rows := dim([]int64{2, 13, 257}[b.rng.IntN(3)], b.rng.Int64N(400)-200, short*long*w)
				b.check(t, b.around(nestOf(int32(w), rows, dim(long, b.rng.Int64N(200)-100, short*w), dim(short, -w, w)), loops))
			}
			for i := range int64(320) { // pixels; each element comes from a plane of its own
				planes, apart, step := 2+i%8, b.rng.Int64N(400)-200, b.rng.Int64N(200)-100
				if i%16 < 8 {
					step = w * (step / 25)
				}
				b.check(t, b.around(nestOf(int32(w), dim(1+b.rng.Int64N(60), step, planes*w), dim(planes, apart, w)), loops))
			}
		}
	}
}

// The nests of `rare` whose spans fit the source.
func TestNestsOfRareLoops(t *testing.T) {
	b := newBench(22)
	for _, text := range rare {
		n := parseNest(text)
		if srcLo, srcHi, dstLo, dstHi := nest.Span(&n); max(srcHi-srcLo, dstHi-dstLo) <= int64(len(b.src)) {
			b.check(t, n)
		}
	}
}

// Transposed views of few columns, and views with two loops along the lines, alone and inside up to
// three further loops. There are fewer lines than a table holds, and more.
func TestNestsOfFoldedLines(t *testing.T) {
	b := newBench(23)
	for _, w := range []int64{1, 2, 4} {
		for _, columns := range []int64{2, 3, 5, 7, 8, 9, 15, 32, 57, 70} {
			for _, gap := range []int64{0, 3} {
				for loops := range 4 {
					row := columns*w + gap
					folded := nestOf(int32(w), dim(3, w, 7*row), dim(7, 3*w, row), dim(columns, 24*w, w))
					long := nestOf(int32(w), dim(3, w, 25*row), dim(25, 3*w, row), dim(columns, 76*w, w))
					pairs := nestOf(int32(w), dim(2, w, 12*row), dim(12, 2*w, row), dim(columns, 26*w, w))
					for _, n := range []nest.Nest{folded, long, pairs, nestOf(int32(w), dim(21, w, row), dim(columns, 24*w, w))} {
						for range 2 { // check chooses with another way to store each time
							b.check(t, b.around(n, loops))
						}
					}
				}
			}
		}
	}
}

// Transposed views of every number of lines and rows up to 17, alone and inside further loops.
func TestNestsOfShortViews(t *testing.T) {
	b := newBench(26)
	for _, w := range []int64{1, 2, 4, 8} {
		for rows := int64(2); rows < 18; rows++ {
			for columns := int64(2); columns < 18; columns++ {
				pitch, row := (rows+b.rng.Int64N(2)*b.rng.Int64N(9))*w, columns*w+b.rng.Int64N(2)*3
				b.check(t, b.around(nestOf(int32(w), dim(rows, w*(1-2*b.rng.Int64N(2)), row), dim(columns, pitch, w)), b.rng.IntN(3)))
			}
		}
	}
}

// Transposed views with two loops along the rows, upwards and downwards, alone and inside further
// loops.
func TestNestsOfJoinedRows(t *testing.T) {
	b := newBench(24)
	for _, w := range []int64{1, 2, 4, 8} {
		for _, columns := range []int64{1, 2, 3, 5, 7, 31} { // a nest in normal form has no loop of 1
			for _, many := range []int64{2, 4, 11, 16} {
				for _, lines := range []int64{6, 9, 16, 21, 70} {
					for loops := range 3 {
						row := columns*many*w + 3
						up, apart := w*(1-2*b.rng.Int64N(2)), lines*w+b.rng.Int64N(20)
						b.check(t, b.around(nestOf(int32(w), dim(lines, up, row), dim(many, columns*apart, columns*w), dim(columns, -apart, w)), loops))
						b.check(t, b.around(nestOf(int32(w), dim(lines, up, row), dim(many, apart, columns*w), dim(columns, many*apart, w)), loops))
						gap := columns*w + w
						b.check(t, b.around(nestOf(int32(w), dim(lines, up, many*gap), dim(many, columns*apart, gap), dim(columns, -apart, w)), loops))
					}
				}
			}
		}
	}
}

// Random nests of up to four short loops that continue each other in the destination, under up to
// three other loops. Their programs have periods, units, windows and masks of many sorts.
func TestNestsAtRandom(t *testing.T) {
	b := newBench(21)
	runs := 10_000
	if testing.Short() {
		runs = 4000
	}
	for range runs {
		b.check(t, b.nest())
	}
}

func (b *bench) nest() nest.Nest {
	rng := b.rng
	w := int64(1) << rng.IntN(4)
	span, dims := w, []nest.Dim(nil)
	if rng.IntN(5) == 0 {
		span += rng.Int64N(9)
	}
	chained := rng.IntN(5)
	for i := range chained {
		extent := 1 + rng.Int64N(9)
		if i == chained-1 {
			extent = 1 + rng.Int64N(120/w+3)
		}
		src := []int64{rng.Int64N(33) - 16, w * (rng.Int64N(9) - 4), span * (1 - 2*rng.Int64N(2)), rng.Int64N(401) - 200, w * (rng.Int64N(65) - 32)}[rng.IntN(5)]
		if span*extent > 30_000 {
			break
		}
		dims = append([]nest.Dim{dim(extent, src, span)}, dims...)
		span *= extent
	}
	return b.around(nestOf(int32(w), dims...), rng.IntN(4))
}

// runProgram runs p by the package that has its loops.
func runProgram(p *program.Program, dst, src unsafe.Pointer) {
	if Kernel(p.Set).CallsC() {
		csrc.Slice(p.Set, unsafe.Pointer(p), dst, src)
	} else {
		vector.Slice(p, dst, src)
	}
}
