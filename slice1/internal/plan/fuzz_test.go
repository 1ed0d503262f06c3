package plan

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// spelled is bytes that nests are made from. next takes the first byte that is left, and returns 0
// if none is.
type spelled []byte

func (s *spelled) next() int64 {
	if len(*s) == 0 {
		return 0
	}
	b := (*s)[0]
	*s = (*s)[1:]
	return int64(b)
}

// stride returns a stride that the next bytes spell, in bytes and of either sign. It has at most 47
// bits if long is true, else at most 16.
func (s *spelled) stride(w int64, long bool) int64 {
	v, how := int64(int8(s.next())), s.next()
	switch how % 4 {
	case 0:
		return v * w
	case 1:
		return v
	case 2:
		return v*w*16 + how/4
	}
	if long {
		return v<<(how/4%40) + s.next()
	}
	return v*256 + s.next()
}

// nest returns a nest of up to eight loops that the next bytes spell. ok is false if two elements
// of the destination share a byte, or if an offset might not fit 62 bits. If long is true, extents
// and strides may be large.
func (s *spelled) nest(long bool) (n nest.Nest, ok bool) {
	how := s.next()
	n.Width = 1 << (how & 3)
	w, left := int64(n.Width), int64(4096)
	end, reach := w, float64(0)
	tangled := false
	for i := s.next() % (nest.MaxRank + 1); i > 0; i-- {
		d := nest.Dim{Extent: 1 + s.next()%min(left, 256)}
		left /= d.Extent
		if long {
			d.Extent += s.next() << (s.next() % 40)
		}
		d.Src, d.Dst = s.stride(w, long), end
		switch gap := s.next(); gap % 8 {
		case 0:
			d.Dst += gap / 8
		case 1:
			if long {
				d.Dst += 1 << (gap / 8)
			}
		case 2:
			if !long {
				d.Dst, tangled = 1+gap/8, true
			}
		}
		reach += max(math.Abs(float64(d.Src)), math.Abs(float64(d.Dst))) * float64(d.Extent)
		if reach > 1<<61 {
			return n, false
		}
		end += d.Dst * (d.Extent - 1)
		if how&4 != 0 && d.Extent == 1 {
			continue
		}
		copy(n.Dims[1:], n.Dims[:n.Rank])
		n.Dims[0] = d
		n.Rank++
	}
	if how&4 != 0 {
		nest.Normalize(&n)
	} else if how&8 != 0 && n.Rank > 0 {
		d := &n.Dims[how/16%int64(n.Rank)]
		d.Dst = -d.Dst
	}
	n.SrcOff, n.DstOff = s.next(), s.next()
	return n, !tangled || distinct(&n)
}

// distinct reports whether no two elements of the destination share a byte.
func distinct(n *nest.Nest) bool {
	seen, ok := map[int64]bool{}, true
	each(n, 0, 0, 0, func(to, _ int64) {
		for b := range int64(n.Width) {
			ok = ok && !seen[to+b]
			seen[to+b] = true
		}
	})
	return ok
}

// small reports whether the destination spans at most 64 KiB, so that it can be simulated as a
// whole.
func small(n *nest.Nest) bool {
	_, _, lo, hi := nest.Span(n)
	return hi-lo <= 1<<16
}

// Each program of a small nest copies what the nest does. Each program of a large one loads and
// stores inside the nest's spans at the ends of its loops.
func FuzzMake(f *testing.F) {
	for _, seed := range []string{
		"", "\x00", "\x04\x01\x63\x02\x00\x03",
		"\x04\x02\x27\xff\x00\x03\x63\x64\x01\x03\x05\x07",
		"\x06\x03\x02\xf0\x00\x03\x07\x08\x00\x03\x1f\x40\x00\x03",
		"\x05\x02\x63\x03\x00\x03\x20\x7f\x02\x00",
		"\x02\x02\x63\x10\x00\x03\x1f\x01\x00\x03\x09\x11",
		"\x38\x04\x03\x01\x00\x03\x03\x80\x01\x0b\x03\x10\x03\x07\x02\x05\x03\x01\x00\x03",
		"\x00\x02\x01\x05\x00\x0a\x01\x07\x00\x12",
		"\x00\x03\xe8\x011\x9cXc\x03\x03", // what is prefetched depends on the order of loops, and that on the caches
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, long bool) {
		s := spelled(data)
		if n, ok := s.nest(long); ok {
			checkNest(t, anyHost(rand.New(rand.NewPCG(uint64(s.next()), 0))), &n)
		}
	})
}

// checkNest checks the programs of n by the costs of h: what they copy or, if that is too much,
// what they access at the ends of their loops.
func checkNest(t *testing.T, h *Host, n *nest.Nest) {
	t.Helper()
	if small(n) && nest.Bytes(n) <= 1<<15 {
		checkPrograms(t, h, n, nil)
		return
	}
	eachProgram(t, h, n, func(c Candidate, p *program.Program) {
		if err := simulateEdges(p, n); err != nil {
			t.Fatalf("%s: %v: %+v", c, err, *n)
		}
	})
}

// Nests that random bytes spell, half of them with large strides and extents, have programs that
// pass checkNest.
func TestNestsOfRandomBytes(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 50))
	runs := 2000
	if testing.Short() {
		runs = 400
	}
	long, short := 0, 0
	for i := range runs {
		data := make(spelled, 40)
		for j := range data {
			data[j] = byte(rng.Uint32())
		}
		data[1] = byte(rng.IntN(6))
		n, ok := data.nest(i%2 == 0)
		if !ok {
			continue
		}
		if small(&n) {
			short++
		} else {
			long++
		}
		checkNest(t, anyHost(rng), &n)
	}
	if long < runs/10 || short < runs/10 {
		t.Fatalf("%d long nests and %d short ones", long, short)
	}
}
