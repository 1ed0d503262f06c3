package plan

import (
	"math"
	"unsafe"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/csrc"
)

// Costs is what the steps of running a nest take, in picoseconds. The planner adds up the steps of
// each way to run the nest and takes the cheapest way; no other number decides. Where a quantity has
// four values, they are for elements of 1, 2, 4 and 8 bytes. One row serves all processors: which
// of the ways is the fastest hardly depends on which processor a row was fitted to, and for long
// runs, where it does, plans learn from their runs. Command calibrate prints a row that is fitted
// to the machine that it runs on.
type Costs struct {
	Name    string
	Storing Storing // how programs with non-temporal stores prefetch; not Cached

	// All fields from here on are quantities: they consist of int64.

	Make int64 // making a program
	Find int64 // finding the windows of a program that has some
	Go   GoCosts
	Sets [len(csrc.Sets)]SetCosts // of each set, in the order of csrc.Sets

	Streams int64             // a number, not a cost: of how many runs of lines the processor follows side by side
	Near    [levels]LineCosts // a line next to the line before
	Far     [levels]LineCosts // any other line
	NTLine  int64             // a line stored by non-temporal stores
	NTPart  int64             // what a row adds that is stored by non-temporal stores and may not be whole lines
}

// The levels of memory from which a line comes into the next faster cache. levels is their number.
const (
	levelL2 = iota
	levelL3
	levelMemory
	levels
)

// LineCosts is what a cache line takes that comes from a level of memory: Load for a line of the
// source, Store for a line of the destination, which is written back later.
type LineCosts struct {
	Load, Store int64
}

// GoCosts is what the steps of package portable take. A move is a load and a store of at most 16
// bytes.
type GoCosts struct {
	Start      int64             // a call
	Block      int64             // a block: all iterations of the two innermost loops
	Row        int64             // a contiguous row, a row that repeats an element in words, or two pixels
	Copied     int64             // a move of a contiguous row of at most 128 bytes, or of two pixels
	Long       int64             // what a contiguous row of more than 128 bytes takes beside Row; Go's runtime copies it
	Bulk       int64             // 16 bytes of such a long row
	Filled     int64             // 16 bytes of a row that repeats an element in words
	WordRow    int64             // a reversed or strided row that is stored in words
	Reversed   [4]int64          // an element of such a row, if it is reversed
	Packed     [4]int64          // an element of such a row, if it is strided
	ElementRow int64             // a row that is copied by elements, or four columns of at most 256 such rows
	Step       int64             // a step of at most four elements along a row that is copied by elements
	Element    [4]int64          // a move of one element of a row that is copied by elements, or of two elements that change places
	Tile       int64             // a tile of a transposed view
	Turned     [4]int64          // an element of a transposed view
	Table      int64             // a run of a nest by a table that was made before
	Units      int64             // making a table for one run
	List       int64             // putting a unit into a table
	Again      int64             // a pass over a table that was made for one run or does not list all loops of the nest
	Unit       int64             // a unit of a table, each time that it is copied
	Move       int64             // a move of a unit, each time that the unit is copied
	Lines      [levels]LineCosts // what a line takes beside Near or Far
}

// SetCosts is what the steps of the loops of an instruction set take. What a step takes does not
// include the steps that it consists of: a row that is copied costs CopyRow, and Copied for each of its
// vectors. A window is a load of source bytes for a vector.
type SetCosts struct {
	Call  int64 // calling a loop, and returning
	Row   int64 // a step from row to row by the innermost loop around the rows
	Next  int64 // a step from row to row by the loop around that one
	Outer int64 // a step from row to row by a loop further out

	CopyRow    int64    // a row that is copied
	Copied     int64    // a vector of such a row
	FillRow    int64    // a row that repeats an element
	Filled     int64    // a vector of such a row
	GatherRow  int64    // a row that is gathered
	Gathered   [4]int64 // an element of such a row
	GatheredNT int64    // what an element of such a row takes more with non-temporal stores
	ElementRow int64    // a row that is copied element by element
	Element    [4]int64 // an element of such a row

	Strip     int64    // a strip: the tiles of a block that lie side by side in the destination
	Tile      [4]int64 // a tile whose elements are adjacent in the lines of the source
	Tile2     [4]int64 // a tile of every second element of the lines
	TileApart [4]int64 // a tile of any other elements of the lines
	Few       [4]int64 // two tiles that are turned at once, of rows that are shorter than a lane and continue each other
	FewApart  [4]int64 // two tiles that are turned at once, of other rows that are shorter than a lane
	Joined    [4]int64 // a tile of rows that two loops make
	Joint     int64    // each line of the source of a strip of such tiles
	TileNT    [4]int64 // what a tile takes more with non-temporal stores

	Tables   int64    // loading what all vectors of a program have in common, once a run
	Table    int64    // what each window of such a vector adds to that, once a run
	Main     int64    // a row whose vectors are made of windows, with gaps between its elements or without
	Lanes    int64    // a vector without gaps, made by lanes or under masks
	LanesOf  int64    // each window of such a vector
	Merged   int64    // a vector whose windows are merged without masks
	MergedOf int64    // each window of such a vector
	Cross    int64    // what permuting a vector of merged windows across lanes adds
	Ragged   int64    // what a vector adds of which the next one overwrites a part
	Every    [4]int64 // each window of a vector of every second, third or fourth element
	Tail     int64    // a tail, or a unit that is stored under a mask
	TailOf   int64    // each window of a tail, or of such a unit

	Units    int64             // a row of units
	Unit     int64             // a unit that is stored as a whole vector
	UnitOf   int64             // each window of such a unit
	Alone    int64             // a unit that is copied element by element
	AloneOf  int64             // each element of such a unit
	Spread   int64             // a vector with gaps between its elements
	SpreadOf int64             // each window of such a vector
	Lines    [levels]LineCosts // what a line takes beside Near or Far
}

// Quantities returns all quantities of the row, Streams among them, as a slice of the row's own
// memory: the fields of a row that are quantities lie next to each other.
func (c *Costs) Quantities() []int64 {
	return unsafe.Slice(&c.Make, (unsafe.Sizeof(*c)-unsafe.Offsetof(c.Make))/unsafe.Sizeof(c.Make))
}

// costsOf returns the costs of a host. Only how its programs prefetch depends on the processor, as
// BenchmarkStreams of this package found it best, unless f asks for skewed costs.
func costsOf(f cpuid.Features) *Costs {
	c := costs
	switch f.Microarchitecture {
	case "zen4":
		c.Storing = Short
	case "zen5":
		c.Storing = Near
	}
	if f.Skewed {
		c.Name = "skewed"
		c.skew()
	}
	return &c
}

// skew multiplies each quantity by a factor between 1/2 and 2, always the same one.
func (c *Costs) skew() {
	streams, state := c.Streams, uint32(1)
	for i, q := range c.Quantities() {
		state = state*1664525 + 1013904223 // a random number
		c.Quantities()[i] = int64(float64(q) * math.Exp2(2*float64(state)/(1<<32)-1))
	}
	c.Streams = streams
}

// Hosts returns this machine with each row of costs that a machine may have: the usual one first,
// those of processors that prefetch in another way, and the skewed one.
func Hosts() (hosts []*Host) {
	for _, f := range [...]cpuid.Features{{}, {Microarchitecture: "zen4"}, {Microarchitecture: "zen5"}, {Skewed: true}} {
		h := *Here()
		h.Costs = costsOf(f)
		hosts = append(hosts, &h)
	}
	return hosts
}
