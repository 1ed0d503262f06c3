package csrc

import "strconv"

// Set is an instruction set that loops are written for, and what its loops can do. Go's
// vectors are one on each architecture that has them.
type Set struct {
	Name   string // what slice1.WithKernel takes; Go's vectors have one name on all architectures
	Arch   string // GOARCH
	Needs  string // the field of cpuid.Features that reports whether a host has it; "" if all have
	Vector int64  // bytes
	Piece  int64  // bytes of a row of a tile

	Lookup      bool // one lookup picks bytes out of up to four windows
	Masks       bool // masks leave out bytes of loads and stores, and one permutation reaches a whole vector
	FreeTails   bool // the last vector of a row costs no more than any other
	NonTemporal bool // some loops store whole lines by non-temporal stores

	InGo     bool   // package vector has its loops, and not C
	Lean     bool   // Bytes does what Dwords, Inlane and Swap do elsewhere
	Narrower string // a set of vectors half as long that is built with this one; "" if there is none
	loops    []loops
}

// Sets lists the instruction sets, those of one architecture in C weakest first.
var Sets = [...]Set{
	{Name: "avx2", Arch: "amd64", Needs: "AVX2", Vector: 32, Piece: 32, NonTemporal: true, loops: avx2Loops},
	{Name: "avx512", Arch: "amd64", Needs: "AVX512VBMI", Vector: 64, Piece: 32, NonTemporal: true, Masks: true, Narrower: "avx2", loops: avx512Loops},
	{Name: "neon", Arch: "arm64", Needs: "NEON", Vector: 16, Piece: 16, Lookup: true, FreeTails: true, loops: neonLoops},
	{InGo: true, Name: "simd", Arch: "amd64", Needs: "AVX2", Vector: 32, Piece: 32, Lean: true, loops: simdLoops},
	{InGo: true, Name: "simd", Arch: "arm64", Needs: "NEON", Vector: 16, Piece: 16, loops: simdNEONLoops},
	{InGo: true, Name: "simd", Arch: "wasm", Vector: 16, Piece: 16, loops: simdLaneLoops},
}

// A Form is what a loop does with each row of a program.
type Form uint8

const (
	Copy    Form = iota // contiguous on both sides
	Fill                // one source element, repeated
	Tile                // a transposed view, in tiles
	Narrow              // a transposed view of rows shorter than a tile
	Folded              // a transposed view whose lines two loops follow, or of few columns
	Gather              // elements far apart to a contiguous row
	Element             // element by element
	// These make vectors of the destination from windows of the source.
	Lanes  // per 16-byte lane, bytes picked out of each of its own windows
	Dwords // windows of a vector merged, then dwords permuted
	Bytes  // merged, bytes permuted in their lanes, then dwords
	Inlane // merged, bytes permuted in their lanes
	Swap   // merged, lanes exchanged, bytes permuted in their lanes
	Cross  // merged, bytes permuted across two lanes
	Every2 // every second element; the variant is the element's width
	Every3
	Every4
	// The same windows for rows whose vectors a table places.
	UnitsLanes
	UnitsDwords
	UnitsBytes
	UnitsInlane
	UnitsSwap
	UnitsCross
	// By masks: windows of 64 bytes merged, bytes permuted across all of them.
	Permute
	Spread       // the same with gaps between the elements of the destination
	UnitsPermute // the same for rows whose vectors a table places
	forms
)

var formNames = [forms]string{
	"copy", "fill", "tile", "narrow", "folded", "gather", "element",
	"lanes", "dwords", "bytes", "inlane", "swap", "cross", "every2", "every3", "every4",
	"units_lanes", "units_dwords", "units_bytes", "units_inlane", "units_swap", "units_cross",
	"permute", "spread", "units_permute",
}

// The variant of a loop is the number of windows, for Every2 to Every4 the width of an element,
// and otherwise 0. NT is the variant that stores by non-temporal stores, for any number of
// windows and any width.
const (
	NT       = 9
	variants = 10
)

// loops are those of one form: a digit for each variant, n for NT.
type loops struct {
	form     Form
	variants string
}

// The order is that of the table in C, if the loops are there.
var (
	avx2Loops = []loops{
		{Copy, "0n"}, {Fill, "0"}, {Tile, "0n"}, {Narrow, "0"}, {Folded, "0"}, {Gather, "0n"}, {Element, "0"},
		{Lanes, "12345678n"}, {Dwords, "12345678n"}, {Bytes, "12345678n"}, {Inlane, "12345678n"}, {Swap, "12345678n"}, {Cross, "12345678n"},
		{Every2, "1248n"}, {Every3, "4n"}, {Every4, "124n"},
		{UnitsLanes, "12"}, {UnitsDwords, "12"}, {UnitsBytes, "12"}, {UnitsInlane, "12"}, {UnitsSwap, "12"}, {UnitsCross, "12"},
	}
	avx512Loops = []loops{
		{Copy, "0n"}, {Fill, "0"}, {Tile, "0n"}, {Narrow, "0"}, {Folded, "0"}, {Gather, "0n"}, {Element, "0"},
		{Permute, "12345678n"}, {Spread, "12345678"}, {UnitsPermute, "1234"},
	}
	neonLoops = []loops{
		{Copy, "0"}, {Fill, "0"}, {Tile, "0"}, {Gather, "0"}, {Element, "0"},
		{Lanes, "12345678"}, {Inlane, "345678"}, {Every2, "1248"}, {Every4, "124"}, {UnitsLanes, "12"},
	}
	simdLoops = []loops{
		{Copy, "0"}, {Fill, "0"}, {Tile, "0"}, {Narrow, "0"}, {Folded, "0"}, {Gather, "0"}, {Element, "0"},
		{Lanes, "12345678"}, {Bytes, "12345678"}, {Every2, "1248"}, {UnitsLanes, "12"}, {UnitsBytes, "12"},
	}
	simdNEONLoops = []loops{
		{Copy, "0"}, {Fill, "0"}, {Tile, "0"}, {Gather, "0"}, {Element, "0"},
		{Lanes, "12345678"}, {Inlane, "12345678"}, {Every2, "124"}, {Every3, "12"}, {Every4, "12"}, {UnitsLanes, "12"},
	}
	simdLaneLoops = []loops{
		{Copy, "0"}, {Fill, "0"}, {Tile, "0"}, {Gather, "0"}, {Element, "0"}, {Lanes, "12345678"}, {UnitsLanes, "12"},
	}
)

// index is the number of every loop in its set's table plus 1, 0 where a set has none.
var index = func() (table [len(Sets)][forms][variants]int32) {
	for s := range Sets {
		next := int32(1)
		for _, l := range Sets[s].loops {
			for _, v := range l.variants {
				table[s][l.form][variant(v)] = next
				next++
			}
		}
	}
	return table
}()

func variant(letter rune) int {
	if letter == 'n' {
		return NT
	}
	return int(letter - '0')
}

// SetNumber returns the place in Sets of the first set of that name, or -1.
func SetNumber(name string) int32 {
	for i := range Sets {
		if Sets[i].Name == name {
			return int32(i)
		}
	}
	return -1
}

// Loop returns the number of a loop in the table of set number s, and whether
// there is one.
func Loop(s int32, form Form, variant int) (number int32, ok bool) {
	n := index[s][form][variant]
	return n - 1, n > 0
}

// FormOf returns the form of a loop of set number s.
func FormOf(s, loop int32) Form {
	for _, l := range Sets[s].loops {
		if loop -= int32(len(l.variants)); loop < 0 {
			return l.form
		}
	}
	return forms
}

// LoopNames returns the names of the loops of set number s, in the order of their
// numbers: the set, the form, and the variant.
func LoopNames(s int32) (names []string) {
	for _, l := range Sets[s].loops {
		for _, v := range l.variants {
			name := Sets[s].Name + "_" + formNames[l.form]
			switch v := variant(v); {
			case v == 0:
			case v == NT:
				name += "_nt"
			case l.form >= Every2 && l.form <= Every4:
				name += "_" + strconv.Itoa(v)
			default:
				name += strconv.Itoa(v)
			}
			names = append(names, name)
		}
	}
	return names
}
