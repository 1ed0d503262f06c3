package plan

import (
	"math"
	"math/rand/v2"
	"reflect"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/csrc"
)

// Costs says what the steps of running a nest take, in picoseconds. The planner adds up the steps
// of each way to run the nest. A run of less than about 100 nanoseconds takes the cheapest way. For
// longer ones a few of the cheapest ways are tried. So the costs must be right about what a core
// does, and only roughly about memory. Where a quantity has four values, they are for elements of
// 1, 2, 4 and 8 bytes. Command calibrate fits the quantities of the kernels of the machine that it
// runs on.
type Costs struct {
	Choice int64 // choosing how to run a nest
	Go     GoCosts
	Sets   [len(csrc.Sets)]SetCosts // in the order of csrc.Sets
	Line   int64                    // a line that comes into the first-level cache, from wherever it is
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

// wide returns what the loops of AVX-512 take on a microarchitecture, in percent of the column of
// the table. The column is that of a Zen 5; a Xeon with AMX-FP16 chooses best by 100 to 110 percent
// of it. Zen 4, the only one before Zen 5 that has AVX-512, loads, stores and shuffles 64 bytes in
// two halves; its factor is from a row that was fitted there.
func wide(f cpuid.Features) int64 {
	if f.Microarchitecture == "zen" {
		return 150
	}
	return 100
}

// costsOf returns the costs of a host.
func costsOf(f cpuid.Features) *Costs {
	c := costs
	set := &c.Sets[csrc.SetNumber("avx512")]
	call := set.Call
	for _, v := range quantities(reflect.ValueOf(set).Elem()) {
		*v = *v * wide(f) / 100
	}
	set.Call = call
	if f.Skewed {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, v := range c.Quantities() {
			*v = int64(float64(*v) * math.Exp2(2*rng.Float64()-1))
		}
	}
	return &c
}

// Quantities returns pointers to all quantities of c.
func (c *Costs) Quantities() []*int64 { return quantities(reflect.ValueOf(c).Elem()) }

// quantities returns pointers to the quantities of v, which is one, or a struct or an array of
// some.
func quantities(v reflect.Value) (all []*int64) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			all = append(all, quantities(v.Field(i))...)
		}
	case reflect.Array:
		for i := range v.Len() {
			all = append(all, quantities(v.Index(i))...)
		}
	default:
		all = append(all, v.Addr().Interface().(*int64))
	}
	return all
}
