package plan

import (
	"reflect"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/portable"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

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

// avx512OfZen4 holds the costs of AVX-512 on a Zen 4, which was fitted there: half as much again as
// on a Zen 5, which costs has. Zen 4 is the only Zen before Zen 5 that has AVX-512. It loads,
// stores and shuffles 64 bytes in two halves. A Xeon with AMX-FP16 chooses best by 100 to 110
// percent of what a Zen 5 takes.
var avx512OfZen4 = SetCosts{
	Call:   39_000,
	Row:    1950,
	Copied: 810,
	Window: 750,
	Tail:   1800,
	Unit:   1095,
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

// InGo reports whether a nest that runs once should run in plain Go without a choice: plain Go is
// the only kernel, or it is allowed and takes no longer by estimate than a choice takes.
func (h *Host) InGo(n *nest.Nest, ks Kernels) bool {
	return ks == OneKernel(Go) || ks.Contains(Go) && h.priceGo(n, true) <= h.Costs.Choice
}
