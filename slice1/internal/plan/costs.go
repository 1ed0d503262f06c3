package plan

import (
	"unsafe"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/csrc"
)

// Costs is a row of the table of costs: what the steps of running a nest take on a
// microarchitecture, in picoseconds. The planner takes the way whose steps cost the least
// in all; no other number decides. Where a quantity has four values, they are those of
// elements of 1, 2, 4 and 8 bytes. Command calibrate measures all of them and prints the
// row of the machine that it runs on.
type Costs struct {
	Name    string
	Storing Storing // how loops with non-temporal stores prefetch

	// All fields from here on are quantities: they consist of int64.

	Make int64 // to make a program
	Find int64 // to find its windows, if it has any
	Go   GoCosts
	Sets [len(csrc.Sets)]SetCosts // by number of csrc.Sets

	Streams int64             // runs of lines that the processor follows side by side
	Near    [levels]LineCosts // a line next to the one before
	Far     [levels]LineCosts // a line elsewhere
	NTLine  int64             // a line stored by non-temporal stores
	NTPart  int64             // a row of non-temporal stores that is not made of whole lines
}

// The levels of memory that a line comes from or is written back to.
const (
	levelL2 = iota
	levelL3
	levelMemory
	levels
)

// LineCosts is what a cache line takes that comes from a level or is written back to it.
type LineCosts struct {
	Load, Store int64
}

// GoCosts is what the steps of package portable take.
type GoCosts struct {
	Start      int64             // a call
	Block      int64             // a block, the two innermost loops
	Row        int64             // a contiguous row
	Copied     int64             // 16 bytes of it
	Long       int64             // a contiguous row of more than 128 bytes, which the runtime copies
	Bulk       int64             // 16 bytes of it
	Filled     int64             // 16 bytes of a row that repeats an element
	WordRow    int64             // a row that is stored in words
	Reversed   [4]int64          // an element of it, backwards
	Packed     [4]int64          // an element of it, strided
	ElementRow int64             // a row of elements, or four columns of them
	Step       int64             // a step along it, of up to four elements
	Element    [4]int64          // an element of it
	Tile       int64             // a tile of a transposed view
	Turned     [4]int64          // an element of it
	Table      int64             // a table of units that is ready
	Units      int64             // a table that is made
	List       int64             // a unit put into it
	Again      int64             // each run of a table that is made
	Unit       int64             // a unit of a table
	Move       int64             // each move of it
	Lines      [levels]LineCosts // what a line takes more
}

// SetCosts is what the steps of the loops of an instruction set take.
type SetCosts struct {
	Call  int64 // to call a loop, and return
	Row   int64 // to step to a row by the innermost loop around it
	Next  int64 // to step by the loop around that one
	Outer int64 // to step by a loop further out

	CopyRow    int64    // a row that is copied
	Copied     int64    // a vector of it
	FillRow    int64    // a row that repeats an element
	Filled     int64    // a vector of it
	GatherRow  int64    // a row that is gathered
	Gathered   [4]int64 // an element of it
	GatheredNT int64    // what an element of it takes more with non-temporal stores
	ElementRow int64    // a row that is copied element by element
	Element    [4]int64 // an element of it

	Strip     int64    // a strip of tiles, one below the other
	Tile      [4]int64 // a tile of adjacent elements
	Tile2     [4]int64 // a tile of every second element
	TileApart [4]int64 // a tile of elements further apart
	Few       [4]int64 // two lanes of rows that are shorter than a lane and continue each other
	FewApart  [4]int64 // two lanes of such rows that do not continue each other
	TileNT    [4]int64 // what a tile takes more with non-temporal stores

	Tables   int64    // to load what the vectors of a program have in common
	Table    int64    // the same for each window
	Main     int64    // a row of vectors made of windows
	Lanes    int64    // a vector made by lanes, or under masks
	LanesOf  int64    // each window of it
	Merged   int64    // a vector of merged windows
	MergedOf int64    // each window of it
	Cross    int64    // what permuting it across lanes adds
	Ragged   int64    // what a vector adds that does not end where the next one begins
	Every    [4]int64 // each window of a vector of every second, third or fourth element
	Tail     int64    // a tail
	TailOf   int64    // each window of it

	Units    int64             // a row of units
	Unit     int64             // a unit
	UnitOf   int64             // each window of it
	Alone    int64             // a unit copied element by element
	AloneOf  int64             // each element of it
	Spread   int64             // a vector with gaps
	SpreadOf int64             // each window of it
	Lines    [levels]LineCosts // what a line takes more
}

// Quantities returns the quantities of a row, which lie next to each other, Streams among them.
func (c *Costs) Quantities() []int64 {
	return unsafe.Slice(&c.Make, (unsafe.Sizeof(*c)-unsafe.Offsetof(c.Make))/unsafe.Sizeof(c.Make))
}

// costsOf returns the row for a host, the generic one if there is none for it.
func costsOf(f cpuid.Features) *Costs {
	for i := range rows {
		if rows[i].Name == f.Microarchitecture {
			return &rows[i]
		}
	}
	return &rows[0]
}

// Rows returns this host with each row of costs, the generic one first.
func Rows() (hosts []*Host) {
	for i := range rows {
		h := *Here()
		h.Costs = &rows[i]
		hosts = append(hosts, &h)
	}
	return hosts
}
