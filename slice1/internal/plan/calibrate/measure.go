package main

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"time"
	"unsafe"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
)

// A record is a nest and, by the name of each way to run it, the nanoseconds that a run takes.
type record struct {
	Nest nest.Nest
	NS   map[string]float64
}

// usable returns all kernels that this build has and this host can run, plain Go among them.
func usable() plan.Kernels {
	host, ks := cpuid.Host(), plan.Only(plan.Go)
	for i, set := range csrc.Sets {
		if k := plan.Kernel(i); k.Built() && host.Has(set.Needs) {
			ks |= plan.Only(k)
		}
	}
	return ks
}

// way is a way to run a nest: a candidate for the whole nest, or one for its first part.
type way struct {
	plan.Candidate
	pieces  *plan.Pieces // the parts; nil if the nest runs whole
	storing plan.Storing
}

// waysOf returns the ways to run n by all usable kernels: with ordinary stores if n has at most
// plan.PartBytes, else in parts, both with ordinary and with non-temporal stores. The costs and the
// programs are those of h.
func waysOf(h *plan.Host, n *nest.Nest) (all []way) {
	w := plan.Work{Kernels: usable(), Lines: plan.Here().LinesOf(n)}
	if nest.Bytes(n) <= plan.PartBytes {
		for _, c := range h.Candidates(n, w) {
			all = append(all, way{c, nil, plan.Cached})
		}
		return all
	}
	for _, storing := range []plan.Storing{plan.Cached, plan.NonTemporal} {
		pieces := plan.Cut(n)
		w.Storing = storing
		for _, c := range h.Candidates(&pieces.Shapes[0], w) {
			all = append(all, way{c, &pieces, storing})
		}
	}
	return all
}

// memory is the memory that nests copy from and to. The source begins at src[apart].
type memory struct {
	dst, src []byte
	apart    int
}

func newMemory() *memory {
	m := &memory{dst: arena(), src: arena()}
	for i := range m.src {
		m.src[i], m.dst[i] = byte(i*7), 1 // writes every page, since pages that were never written may all be one page of zeros
	}
	return m
}

// arena returns memory that begins at a multiple of 2 MiB, and asks for pages of 2 MiB. Where
// smaller pages lie in physical memory differs from run to run.
func arena() []byte {
	const page = 2 << 20
	b := make([]byte, mostSpan+2*page)
	b = b[-uintptr(unsafe.Pointer(&b[0]))%page:][:mostSpan+page]
	huge(b)
	return b
}

// apart is the distance between source and destination, in bytes modulo a page, for every second
// nest. For the others it is 0, as between large allocations. Then the addresses of loads and
// stores agree in their low bits, and processors take loads for dependent on stores.
const apart = 1<<11 + 1<<8

// begin returns where destination and source begin.
func (m *memory) begin() (d, s unsafe.Pointer) {
	return unsafe.Pointer(&m.dst[0]), unsafe.Pointer(&m.src[m.apart])
}

// ready returns a function that runs n in one way, in m, by programs that h makes.
func (m *memory) ready(h *plan.Host, n *nest.Nest, x way) func() {
	d, s := m.begin()
	if x.pieces == nil {
		return m.whole(h, n, x)
	}
	var programs [4]csrc.Program
	made := x.Kernel >= 0
	for i := range x.pieces.NumShapes {
		if made && !h.Make(&programs[i], &x.pieces.Shapes[i], x.Candidate, x.storing) {
			h.Choose(&programs[i], &x.pieces.Shapes[i], plan.Work{Kernels: plan.Only(x.Kernel)})
		}
	}
	return func() {
		for i := range x.pieces.Count {
			so, do, shape := x.pieces.Part(i)
			if made {
				plan.Run(&programs[shape], unsafe.Add(d, do), unsafe.Add(s, so))
			} else {
				portable.Run(&x.pieces.Shapes[shape], unsafe.Add(d, do), unsafe.Add(s, so))
			}
		}
	}
}

// whole is ready for a way that does not cut the nest into parts.
func (m *memory) whole(h *plan.Host, n *nest.Nest, x way) func() {
	d, s := m.begin()
	if x.Kernel >= 0 {
		p := new(csrc.Program)
		h.Make(p, n, x.Candidate, x.storing)
		return func() { plan.Run(p, d, s) }
	}
	if t := portable.NewTable(n); t != nil {
		return func() { t.Run(d, s) }
	}
	return func() { portable.Run(n, d, s) }
}

// A way is measured in up to `rounds` rounds, in each for about sampleTime or one run, whichever is
// longer. In rounds after the first, ways are left out that take more than `hopeless` times as long
// as the best.
const (
	sampleTime = 20 * time.Microsecond
	rounds     = 6
	hopeless   = 4
)

// measureAll returns the records of `count` random nests, the same nests for the same seed.
func measureAll(seed uint64, count int, now func() time.Time) (all []record) {
	m, h := newMemory(), plan.Here()
	for i, n := range samples(seed, count) {
		m.apart = i % 2 * apart
		all = append(all, record{n, m.measure(h, &n, now)})
	}
	return all
}

// measure returns, by the name of each way to run n, the least time of a run, in nanoseconds. The
// ways take turns in each round.
func (m *memory) measure(h *plan.Host, n *nest.Nest, now func() time.Time) map[string]float64 {
	ways := waysOf(h, n)
	runs, ns, reps := make([]func(), len(ways)), make([]float64, len(ways)), make([]int, len(ways))
	best := math.Inf(1)
	for i, x := range ways {
		runs[i] = m.ready(h, n, x)
		runs[i]()
		took := spent(runs[i], 1, now)
		reps[i] = max(1, int(sampleTime/max(took, 1)))
		ns[i] = float64(took)
		best = min(best, ns[i])
	}
	for round := range rounds {
		for i, run := range runs {
			if round == 0 || ns[i] <= hopeless*best {
				run()
				ns[i] = min(ns[i], float64(spent(run, reps[i], now))/float64(reps[i]))
				best = min(best, ns[i])
			}
		}
	}
	took := map[string]float64{}
	for i, x := range ways {
		took[x.String()] = ns[i]
	}
	return took
}

func spent(f func(), times int, now func() time.Time) time.Duration {
	start := now()
	for range times {
		f()
	}
	return now().Sub(start)
}

func save(name string, all []record) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	to := json.NewEncoder(f)
	for _, r := range all {
		if err := to.Encode(r); err != nil {
			f.Close()
			return err
		}
	}
	return f.Close()
}

func load(name string) (all []record, err error) {
	if name == "" {
		return nil, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	from := json.NewDecoder(bufio.NewReader(f))
	for from.More() {
		var r record
		if err := from.Decode(&r); err != nil {
			return nil, err
		}
		nest.Normalize(&r.Nest) // bench does not
		all = append(all, r)
	}
	return all, nil
}
