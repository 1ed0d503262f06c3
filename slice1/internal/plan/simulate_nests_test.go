package plan

import (
	"math/rand/v2"
	"testing"

	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// checkPrograms simulates the programs of n for all sets, chosen or not, and compares
// what they copy with what n does. It adds the loops of the programs to ran, if not nil.
func checkPrograms(t *testing.T, n *nest.Nest, align int64, ran map[string]bool) {
	t.Helper()
	want := string(expected(n))
	eachProgram(t, n, func(p *csrc.Program) {
		t.Helper()
		if ran != nil {
			ran[csrc.LoopNames(p.Set)[p.Loop]] = true
		}
		checkPrefetch(t, p, n)
		got, err := simulate(p, n, align)
		if err != nil {
			t.Fatalf("%s: %v: %+v", ChosenIn(p), err, *n)
		}
		if string(got) != want {
			t.Fatalf("%s copies other bytes: %+v", ChosenIn(p), *n)
		}
	})
}

// eachProgram calls check with every program of n that differs from the others in more
// than what it prefetches.
func eachProgram(t *testing.T, n *nest.Nest, check func(p *csrc.Program)) {
	t.Helper()
	for number := range csrc.Sets {
		k := Kernel(number)
		var far csrc.Program
		for storing := Cached; storing <= Short; storing++ {
			var p csrc.Program
			Make(&p, n, k, storing)
			if storing <= Far {
				check(&p)
			}
			if storing == Far {
				far = p
			} else if storing > Far {
				checkPrefetch(t, &p, n)
				if p.Prefetch = far.Prefetch; p != far {
					t.Fatalf("%s differs by storing %d in more than what it prefetches: %+v", ChosenIn(&p), storing, *n)
				}
			}
			for kind := range kinds {
				var other csrc.Program
				c := Candidate{Kernel: k, kind: kind, NonTemporal: storing != Cached}
				if storing <= Far && !c.Is(ChosenIn(&p)) && c.Make(&other, n, storing) {
					check(&other)
				}
			}
		}
	}
}

// checkPrefetch checks that a program with non-temporal stores prefetches its source.
func checkPrefetch(t *testing.T, p *csrc.Program, n *nest.Nest) {
	t.Helper()
	lo, hi, _, _ := nest.Span(n)
	if f := p.Prefetch; p.NT != 0 && (f.Begin != lo || f.Begin+f.Length != hi) {
		t.Fatalf("%s prefetches %+v: %+v", ChosenIn(p), f, *n)
	}
}

// Programs of all sets copy what their nests do, whatever the host runs, and every loop
// of every set is in one.
func TestProgramsCopyTheirNests(t *testing.T) {
	b := &bench{rng: rand.New(rand.NewPCG(30, 30))}
	ran := map[string]bool{}
	check := func(n nest.Nest) {
		t.Helper()
		n.SrcOff, n.DstOff = b.rng.Int64N(100), b.rng.Int64N(100)
		checkPrograms(t, &n, b.rng.Int64N(csrc.LineBytes), ran)
	}
	for _, text := range rare {
		check(parseNest(text))
	}
	runs := 700
	if testing.Short() {
		runs = 200
	}
	for range runs {
		check(b.nest())
		check(b.around(b.row(), b.rng.IntN(4)))
		check(b.around(b.transposed(), b.rng.IntN(3)))
	}
	for number := range csrc.Sets {
		for _, name := range csrc.LoopNames(int32(number)) {
			if !ran[name] {
				t.Errorf("no nest has a program of %s", name)
			}
		}
	}
}

// rare is nests of the loops that few nests at random have.
var rare = []string{
	"4 12:6:4",
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
}

// row returns a row of elements that are close together or far apart.
func (b *bench) row() nest.Nest {
	w := int64(1) << b.rng.IntN(4)
	src := []int64{0, w, -w, 2 * w, -2 * w, 3 * w, 4 * w, -5 * w, w * b.rng.Int64N(80), 64, -64, 200}[b.rng.IntN(12)]
	dst := []int64{w, w, w, w, w + 1, 2 * w, 3 * w, 4 * w, 17, 100}[b.rng.IntN(10)]
	return nestOf(int32(w), dim(1+b.rng.Int64N([]int64{20, 100, 600}[b.rng.IntN(3)])/w, src, max(w, dst)))
}

// transposed returns a transposed view of a tile or more, or of a little less.
func (b *bench) transposed() nest.Nest {
	w := int64(1) << b.rng.IntN(4)
	row, tall := 1+b.rng.Int64N([]int64{400, 40}[b.rng.IntN(2)])/w, 16/w+b.rng.Int64N(30)
	step, pitch := (1+b.rng.Int64N(3))*w, w*(b.rng.Int64N(200)-100)
	return nestOf(int32(w), dim(tall, step*(1-2*b.rng.Int64N(2)), row*w+b.rng.Int64N(2)*b.rng.Int64N(65)), dim(row, pitch, w))
}
