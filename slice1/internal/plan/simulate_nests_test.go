package plan

import (
	"math/rand/v2"
	"testing"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// checkPrograms simulates the programs that eachProgram finds for n by the costs of h and compares
// what they copy with what n does. If ran is not nil, it adds the set and the loop of each program.
func checkPrograms(t *testing.T, h *Host, n *nest.Nest, ran map[[2]int32]bool) {
	t.Helper()
	m := memoryOf(n)
	eachProgram(t, h, n, func(c Candidate, p *program.Program) {
		t.Helper()
		if ran != nil {
			ran[[2]int32{p.Set, p.Loop}] = true
		}
		if err := simulate(p, m); err != nil {
			t.Fatalf("%s: %v: %+v", c, err, *n)
		}
	})
}

// eachProgram calls check with the programs for n of all sets by the costs of h. These are the
// programs of every candidate with ordinary and with non-temporal stores, and the programs that
// Choose makes, in memory that may hold another program before. eachProgram fails the test if a
// candidate has no program.
func eachProgram(t *testing.T, h *Host, n *nest.Nest, check func(c Candidate, p *program.Program)) {
	t.Helper()
	var used program.Draft
	for number := range program.Sets {
		for _, work := range eitherStores {
			w := work(OneKernel(Kernel(number)))
			cs := withoutCache(h).Candidates(n, 1, w)
			for _, c := range cs {
				if setOf[number][c.Kind] != int32(number) {
					continue // it is checked as a candidate of the weaker kernel
				}
				var p program.Draft
				if !h.Make(&p, n, c) {
					t.Fatalf("no program of %s: %+v", c, *n)
				}
				checkKind(t, h, c, &p.Program, n, w.Stores)
				check(c, &p.Program)
			}
			c := h.Choose(&used, n, w)
			if len(cs) == 0 {
				w = cached(w.Kernels)
			}
			checkKind(t, h, c, &used.Program, n, w.Stores)
			check(c, &used.Program)
		}
	}
}

// kindOf returns the kind whose loop runs a program.
func kindOf(p *program.Program) Kind {
	switch form := program.FormOf(p.Loop); {
	case form == program.Copy:
		return kindCopy
	case form == program.String:
		return kindString
	case form == program.Gather:
		return kindGather
	case form == program.Element:
		return kindElement
	case bodyOf(p) == masked && p.Masks().Each.Store&(p.Masks().Each.Store+1) != 0: // with gaps
		return kindSpread
	case bodyOf(p) == tiled:
		return kindTile
	case bodyOf(p) == placed || bodyOf(p) == maskedAt:
		return kindUnits
	}
	return kindShuffle
}

// checkKind checks that a program is of its candidate's kind, of the set that its kernel has for
// that kind, and has the only stores that it may have. If these are non-temporal, the span that it
// may prefetch must be the source of n.
func checkKind(t *testing.T, h *Host, c Candidate, p *program.Program, n *nest.Nest, may Stores) {
	t.Helper()
	nt := may.NonTemporal
	made := kindOf(p)
	// Two kinds run the loops of others.
	switch {
	case made == kindElement && c.Kind == kindLong, program.FormOf(p.Loop) == program.Table && c.Kind == kindTable:
		made = c.Kind
	}
	if made != c.Kind || p.Set != setOf[c.Kernel][c.Kind] || c.NonTemporal != nt || p.NT != 0 != nt {
		t.Fatalf("%s is made of %s, storing %+v: %+v", made, c, may, *n)
	}
	lo, hi, _, _ := nest.Span(n)
	if f := p.Prefetch; nt && (f.Begin != lo || f.Begin+f.Length != hi) {
		t.Fatalf("%s prefetches %+v: %+v", c, f, *n)
	}
}

// Programs of all sets copy what their nests do in the simulator, by known and by random costs.
// Every loop of every set runs some program.
func TestProgramsCopyTheirNests(t *testing.T) {
	b := &bench{rng: rand.New(rand.NewPCG(30, 30))}
	ran := map[[2]int32]bool{}
	check := func(n nest.Nest) {
		t.Helper()
		n.SrcOff, n.DstOff = b.rng.Int64N(100), b.rng.Int64N(100)
		checkPrograms(t, anyHost(b.rng), &n, ran)
	}
	for _, text := range rare {
		for range 30 { // machines of different costs, so that each loop is chosen by one of them
			check(parseNest(text))
		}
	}
	check(parseNest("8 2:-8:168 21:9:8 1:8:8")) // a row of one element
	runs := 700
	if testing.Short() {
		runs = 200
	}
	for range runs {
		check(b.nest())
		check(b.around(b.row(), b.rng.IntN(4)))
		check(b.around(b.transposed(), b.rng.IntN(3)))
	}
	for number := range program.Sets {
		for _, loop := range loopsIn(int32(number)) {
			if !ran[[2]int32{int32(number), loop}] {
				t.Errorf("no nest has a program of %s on %s", loopName(int32(number), loop), program.Sets[number].Arch)
			}
		}
	}
}

// rare lists nests, as textOf writes them. Their programs run loops that few random nests need.
var rare = []string{
	"4 12:6:4",
	"4 50:40:12",
	"8 15:22:8",
	"4 28:18:4",
	"2 8:-2:12 6:86:2",
	"1 79:-7:28 7:158:4 4:2:1",
	"1 39:2:8 8:83:1",
	"1 33:8:1",
	"1 79:-8:8 8:83:1",
	"1 70:2:1",
	"2 30:4:2",
	"4 9:8:4",
	"8 6:16:8",
	"4 69:8:4",
	"4 39:12:4",
	"2 9:8:8 4:0:2",
	"1 32:2:2 2:-34:1",
	"1 84:10:24 3:37:8 8:2:1",
	"1 91:4:4 4:-68:1",
	"2 35:24:10 5:-181:2",
	"2 56:36:12 6:-194:2",
	"2 3:35:608 43:114:14 7:-36:2",
	"1 29:3:48 6:8:8 8:-54:1",
	"1 99:4:4 4:-1:1",
	"2 58:7:2",
	"1 27:30:5 5:4:1",
	"2 42:15:2",
	"1 42:15:2",
	"1 71:5:7 7:17:1",
	"1 2:-24:136 34:115:4 4:-1:1",
	"1 20:-2:2 2:-41:1",
	"2 23:-6:6 3:-44:2",
	"1 115:-4:4 4:-53:1",
	"2 8:-38:6 3:-2:2",
	"1 78:-87:5 5:-1:1",
	"1 46:-7:7 7:-82:1",
	"1 114:-8:8 8:-32:1",
	"2 77:-2:2",
	"1 41:-3:33 33:2:1",
	"1 2:93:57 57:2:1",
	"4 3:0:36 9:-7:4",
	"1 35:3:33 33:0:1",
	"2 3:167:216 18:24:12 6:-2:2",
	"1 28:1:34 34:-1:1",
	"2 29:36:36 9:-6:4 2:-128:2",
	"2 8:32:4",
	"2 9:52:4",
	"2 7:62:8",
	"1 56:41:4",
	"1 97:4:1",
	"2 9:8:2",
	"4 5:16:4",
	"1 36:61:3 3:3:1",
	"1 80:7:1",
	"1 5:300:200 130:1:1",
	"1 40:2:70 70:100:1",
	"2 100:2:16 5:300:2",
	"4 100:4:16 3:500:4",
	"1 3:1:1600 50:3:32 32:150:1",
	"1 3:1:2850 50:3:57 57:150:1",
	"1 3:1:600 50:3:12 12:150:1",
	"1 18:1:9 9:20:1",
	"1 40:1:2 2:50:1",
	"1 41:1:5 3:50:1",
	"1 43:1:9 5:50:1",
	"2 100:8:2",
	"1 200:3:1",
	"2 100:3:2",
	"1 100:-1:40 8:500:5 5:4500:1",
	"2 60:-2:48 8:200:6 3:1700:2",
	"4 82:-4:132 11:5060:12 3:460:4",
	"8 40:8:72 3:400:24 3:1300:8",
	"4 82:4:132 11:5060:12 3:460:4",
	"1 33:1:240 8:4000:30 30:110:1",
	"2 67:6:2",
	"4 67:16:4",
	"1 4096:1:1",
	"4 3:-9000:45000 5:10000:9000 2000:4:4",
}

// row returns a nest of one loop at random. Its elements are close together or far apart in the
// source, and with or without gaps in the destination.
func (b *bench) row() nest.Nest {
	w := int64(1) << b.rng.IntN(4)
	src := []int64{0, w, -w, 2 * w, -2 * w, 3 * w, 4 * w, -5 * w, w * b.rng.Int64N(80), 64, -64, 200}[b.rng.IntN(12)]
	dst := []int64{w, w, w, w, w + 1, 2 * w, 3 * w, 4 * w, 17, 100}[b.rng.IntN(10)]
	return nestOf(int32(w), dim(1+b.rng.Int64N([]int64{20, 100, 600}[b.rng.IntN(3)])/w, src, max(w, dst)))
}

// transposed returns a random nest of two loops. The outer one moves the source by one to three
// elements. The inner one may be shorter than the row of a tile.
func (b *bench) transposed() nest.Nest {
	w := int64(1) << b.rng.IntN(4)
	row, tall := 1+b.rng.Int64N([]int64{400, 40}[b.rng.IntN(2)])/w, 2+b.rng.Int64N(16/w+30)
	step, pitch := (1+b.rng.Int64N(3))*w, w*(b.rng.Int64N(200)-100)
	return nestOf(int32(w), dim(tall, step*(1-2*b.rng.Int64N(2)), row*w+b.rng.Int64N(2)*b.rng.Int64N(65)), dim(row, pitch, w))
}
