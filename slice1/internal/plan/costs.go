package plan

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"sync"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Host is a machine that nests are run on: its costs, and its data caches.
type Host struct {
	Name      string // the microarchitecture
	Costs     *Costs
	L2        int64 // bytes of the second-level cache
	L3        int64 // bytes of the third-level cache
	LastLevel int64 // bytes of the last-level cache that a program may count on
	Strings   bool  // whether the processor copies strings fast
	lines     int64 // how many lines the first-level cache holds
}

// ThisHost returns the machine that this process runs on, as package cpuid sees it.
var ThisHost = sync.OnceValue(func() *Host { return HostOf(cpuid.Host()) })

// WithCall returns h with another time for a call into C, in picoseconds.
func (h *Host) WithCall(call int64) *Host {
	copied, c := *h, *h.Costs
	for s := range c.Sets {
		if !program.Sets[s].InGo {
			c.Sets[s].Call = call
		}
	}
	copied.Costs = &c
	return &copied
}

// Sum returns the sum of two costs, or the largest cost below noWay if the sum is not below noWay.
func Sum(cost, extra int64) int64 {
	if cost >= noWay-extra {
		return noWay - 1
	}
	return cost + extra
}

// Times returns cost*count, or the largest cost below noWay if the product is not below noWay. cost
// must not be negative, and count must be positive.
func Times(cost, count int64) int64 {
	if cost >= noWay/count {
		return noWay - 1
	}
	return cost * count
}

// noWay is the cost of running a nest in a way that does not exist.
const noWay = math.MaxInt64

// usualL1, usualL2 and usualL3 are the bytes that a cache is taken to have if its size is not
// known. A program counts on a quarter of the third-level cache, since other programs have a share,
// and on no more than mostL3 bytes of it, but never on less than the size of the second-level
// cache.
const (
	usualL1 = 32 << 10
	usualL2 = 1 << 20
	usualL3 = 32 << 20
	mostL3  = 32 << 20
)

// L1 returns the bytes of the first-level cache.
func (h *Host) L1() int64 { return h.lines * program.LineBytes }

// HostOf returns the machine that has the features f.
func HostOf(f cpuid.Features) *Host {
	l2 := cmp.Or(f.L2, usualL2)
	l3 := cmp.Or(f.L3, usualL3)
	share := max(l2, min(l3/4, mostL3))
	return &Host{f.Microarchitecture, costsOf(f), int64(l2), int64(l3), int64(share), f.ERMS, int64(cmp.Or(f.L1D, usualL1)) / program.LineBytes}
}

// priceGo returns what a run of a nest by package portable costs: the only run if single is true,
// else one of many.
func (h *Host) priceGo(n *nest.Nest, single bool) int64 {
	g, log, s := &h.Costs.Go, log2(n.Width), portable.Count(n, single)
	w := h.walk(n.Width, false)
	w.loops(n.Dims[:n.Rank])
	return g.Start + w.visits()*h.Costs.Line +
		s.Blocks*g.Block + s.Rows*g.Row + s.Copied*g.Copied + s.Bulk*g.Bulk +
		s.Reversed*g.Reversed[log] + s.Packed*g.Packed[log] + s.Elements*g.Element[log] + s.Turned*g.Turned[log] +
		s.Listed*g.Listed + s.Units*g.Unit + s.Moves*g.Move
}

// A side is what loops visit in the source or in the destination: `count` spans of `length` bytes
// each. Gaps of at most a line between elements are part of a span.
type side struct {
	length, count int64
}

// add puts a loop around the loops of s. An iteration moves the side by `stride` bytes.
func (s *side) add(extent, stride int64) {
	stride = abs(stride)
	switch {
	case stride == 0:
	case stride <= s.length+program.LineBytes:
		s.length += (extent - 1) * stride
	default:
		s.count *= extent
	}
}

// lines returns the number of cache lines of all spans. It takes each span to begin where a
// line does.
func (s *side) lines() int64 { return s.count * (1 + (s.length-1)/program.LineBytes) }

// A walk counts the lines that come into the first-level cache while loops visit the elements of a
// nest.
type walk struct {
	src, dst side
	capacity int64 // how many lines the cache holds
	full     bool  // whether the lines of the loops so far do not fit it
	repeats  int64 // how many iterations the loops outside the first one that fills the cache have in all
	nt       bool  // whether non-temporal stores keep the lines of the destination out of the cache
	tiled    bool  // whether each line comes in once, since tiles use it up
}

func (h *Host) walk(width int32, nt bool) walk {
	element := side{length: int64(width), count: 1}
	return walk{src: element, dst: element, capacity: h.lines, repeats: 1, nt: nt}
}

// loop puts a loop around the loops of the walk.
func (w *walk) loop(extent, src, dst int64) {
	if w.full && !w.tiled {
		w.repeats *= extent
		return
	}
	w.src.add(extent, src)
	w.dst.add(extent, dst)
	w.full = w.lines() > w.capacity
}

// loops puts loops around the loops of the walk, the last one innermost.
func (w *walk) loops(loops []nest.Dim) {
	for _, d := range slices.Backward(loops) {
		w.loop(d.Extent, d.Src, d.Dst)
	}
}

func (w *walk) lines() int64 {
	if w.nt {
		return w.src.lines()
	}
	return w.src.lines() + w.dst.lines()
}

// visits returns how many lines come into the cache: none if they all fit. The loops up to the
// first one that overflows the cache cost each of their lines once. Every iteration of the loops
// around that one costs all these lines again.
func (w *walk) visits() int64 {
	if !w.full {
		return 0
	}
	return w.lines() * w.repeats
}

// Costs says what the steps of running a nest take, in picoseconds. The planner adds up the steps
// of each way to run the nest. A run shorter than two calls into C takes the cheapest way. For
// longer ones a few of the cheapest ways are tried. So the costs must be right about what a core
// does, and only roughly about memory. Where a quantity has four values, they are for elements of
// 1, 2, 4 and 8 bytes. Command calibrate fits the quantities of the kernels of the machine that it
// runs on.
type Costs struct {
	Choice int64 // choosing how to run a nest
	Go     GoCosts
	Sets   [len(program.Sets)]SetCosts // in the order of program.Sets
	Line   int64                       // a line that comes into the first-level cache, from wherever it is
}

// GoCosts is what the steps of package portable take. A move is a load and a store of at most 16
// bytes.
type GoCosts struct {
	Start    int64    // a call
	Block    int64    // a block: all iterations of the two innermost loops
	Row      int64    // a row that is not contiguous, or that has more than 128 bytes
	Copied   int64    // a move of a contiguous row of at most 128 bytes
	Bulk     int64    // 16 bytes of a contiguous row of more than 128 bytes
	Reversed [4]int64 // an element of a reversed row that is stored in words
	Packed   [4]int64 // an element of a strided row that is stored in words
	Element  [4]int64 // an element of another row
	Turned   [4]int64 // an element of a transposed view
	Listed   int64    // putting a unit into a table for one run
	Unit     int64    // a unit of a table, each time that it is copied
	Move     int64    // a move of a unit, each time that the unit is copied
}

// SetCosts is what the steps of the loops of an instruction set take. What a step takes does not
// include the steps that it consists of. A window is a load of source bytes for a vector.
type SetCosts struct {
	Call      int64    // calling a loop, and returning
	Row       int64    // a row, unless it is copied
	Copied    int64    // a vector of a row that is copied or that repeats an element
	Gathered  [4]int64 // an element that is gathered
	Element   [4]int64 // an element of a row that is copied element by element
	Strip     int64    // a strip: the tiles that lie side by side in the destination
	Tile      [4]int64 // a tile whose elements are adjacent in the lines of the source
	TileApart [4]int64 // a tile of other elements of the lines
	Window    int64    // each window of a vector by lanes or under masks
	Merged    int64    // each window of a vector whose windows are merged without masks
	Tail      int64    // each window of a tail, or of a unit that is stored under a mask
	Unit      int64    // each window of a unit that is stored as a whole vector
}

// wide returns what the loops of AVX-512 take on a microarchitecture, in percent of what the table
// costs has for them. The table has what they take on a Zen 5. A Xeon with AMX-FP16 chooses best by
// 100 to 110 percent of that. Zen 4 is the only Zen before Zen 5 that has AVX-512. It loads, stores
// and shuffles 64 bytes in two halves. Its percentage is from costs that were fitted there.
func wide(f cpuid.Features) int64 {
	if f.Microarchitecture == "zen" {
		return 150
	}
	return 100
}

// costsOf returns the costs of a host.
func costsOf(f cpuid.Features) *Costs {
	c := costs
	set := &c.Sets[program.SetNumber("avx512")]
	call := set.Call
	for _, v := range quantities(reflect.ValueOf(set).Elem()) {
		*v = *v * wide(f) / 100
	}
	set.Call = call
	return &c
}

// Quantities returns pointers to all quantities of c.
func (c *Costs) Quantities() []*int64 { return quantities(reflect.ValueOf(c).Elem()) }

// quantities returns pointers to the quantities of v. v is a quantity, or a struct or an array of
// them.
func quantities(v reflect.Value) (list []*int64) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			list = append(list, quantities(v.Field(i))...)
		}
	case reflect.Array:
		for i := range v.Len() {
			list = append(list, quantities(v.Index(i))...)
		}
	default:
		list = append(list, v.Addr().Interface().(*int64))
	}
	return list
}

// costs is the one table for all processors. Command calibrate fitted Go, AVX2 and AVX-512 to 2,150
// slices that take less than 6 microseconds, and Line to slices of all sizes. They ran on a Zen 3
// without AVX-512, and on a Zen 5 whose times were multiplied by 1.4 for its clock. Both were
// virtual machines of two cores with Go 1.26 and gcc 12. Bulk was fitted on a Xeon with AMX-FP16,
// too. Choice is the mean of what List takes there among Go, AVX2 and AVX-512.
var costs = Costs{
	Choice: 3_000_000,
	Go: GoCosts{
		Start:    7000,
		Block:    6100,
		Row:      4200,
		Copied:   430,
		Bulk:     130,
		Reversed: [4]int64{30, 100, 92, 0},
		Packed:   [4]int64{200, 180, 180, 0},
		Element:  [4]int64{220, 250, 240, 240},
		Turned:   [4]int64{210, 450, 420, 590},
		Listed:   2200,
		Unit:     300,
		Move:     220,
	},
	Sets: [len(program.Sets)]SetCosts{
		0: { // AVX2
			Call:      38_000,
			Row:       1600,
			Copied:    450,
			Gathered:  [4]int64{280, 250, 190, 240},
			Element:   [4]int64{240, 240, 250, 260},
			Strip:     890,
			Tile:      [4]int64{17_000, 5000, 3100, 1100},
			TileApart: [4]int64{140_000, 31_000, 9400, 2900},
			Window:    540,
			Merged:    300,
			Tail:      1400,
			Unit:      490,
		},
		1: { // AVX-512
			Call:   39_000,
			Row:    1300,
			Copied: 540,
			Window: 500,
			Tail:   1200,
			Unit:   730,
		},
		2: neon,
		3: simd,
		4: simdNEON,
	},
	Line: 250,
}

// neon holds the costs of the loops of NEON. They are estimates, since no such processor was
// measured. bench/mca.py prints all but Call, Row, Strip and Tail. It takes them from the models of
// Neoverse N1, V1 and V2 in llvm-mca 19, at 3.2 GHz.
var neon = SetCosts{
	Call:      39_000,
	Row:       700,
	Copied:    270,
	Gathered:  [4]int64{140, 140, 160, 200},
	Element:   [4]int64{240, 240, 240, 240},
	Strip:     790,
	Tile:      [4]int64{8400, 3600, 1800, 1100},
	TileApart: [4]int64{36_000, 12_000, 2600, 1100},
	Window:    200,
	Merged:    170,
	Tail:      790,
	Unit:      350,
}

// simd and simdNEON hold the costs of the loops in Go's vectors on amd64 and arm64. They are
// estimates. For amd64 they are plain Go's costs, multiplied by what these loops took compared with
// plain Go, on a Xeon with AVX-512. On arm64 a window has about as many instructions as two
// elements of plain Go, and the rest is for loops of vectors of 16 bytes.
var (
	simd = SetCosts{
		Call:    6000,
		Row:     1500,
		Copied:  450,
		Element: [4]int64{450, 430, 380, 400},
		Strip:   3000,
		Tile:    [4]int64{27_000, 8000, 2600, 0},
		Window:  600,
		Merged:  360,
		Tail:    1300,
		Unit:    1000,
	}
	simdNEON = SetCosts{
		Call:    8000,
		Row:     1500,
		Copied:  250,
		Element: [4]int64{450, 430, 380, 400},
		Strip:   3000,
		Tile:    [4]int64{10_500, 4000, 1500, 0},
		Window:  400,
		Tail:    1300,
		Unit:    800,
	}
)
