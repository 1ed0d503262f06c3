package csrc

import "strconv"

// Set is an instruction set that loops are written for, and what its loops can do. Go's vectors are
// a set for each architecture that has them.
type Set struct {
	Name   string // what slice1.WithKernel takes; Go's vectors have one name on all architectures
	Arch   string // GOARCH
	Needs  string // the field of cpuid.Features that reports whether a host has it; "" if every host of Arch has
	Vector int64  // bytes of a vector
	Piece  int64  // bytes of a row of a tile

	Lookup      bool // one lookup picks bytes out of up to four windows
	Masks       bool // masks leave out bytes of loads and stores, and one permutation reaches a whole vector
	NonTemporal bool // some loops store whole lines by non-temporal stores

	// InGo says that package vector has its loops, and not C. There Bytes does what Dwords, Inlane and Swap do in C, and
	// Element what Fill, Gather and, without a loop of that form, Copy do.
	InGo  bool
	loops []loops
}

// Sets lists the instruction sets. The sets in C of one architecture come weakest first.
// The number of a set is its place here.
var Sets = [...]Set{
	{Name: "avx2", Arch: "amd64", Needs: "AVX2", Vector: 32, Piece: 32, NonTemporal: true, loops: avx2Loops},
	{Name: "avx512", Arch: "amd64", Needs: "AVX512VBMI", Vector: 64, Piece: 32, NonTemporal: true, Masks: true, loops: avx512Loops},
	{Name: "neon", Arch: "arm64", Needs: "NEON", Vector: 16, Piece: 16, Lookup: true, loops: neonLoops},
	{InGo: true, Name: "simd", Arch: "amd64", Needs: "AVX2", Vector: 32, Piece: 32, loops: simdLoops},
	{InGo: true, Name: "simd", Arch: "arm64", Needs: "NEON", Vector: 16, Piece: 16, loops: simdNEONLoops},
	{InGo: true, Name: "simd", Arch: "wasm", Vector: 16, Piece: 16, loops: simdLaneLoops},
}

// A Form is what a loop does with each row of a program.
type Form uint8

const (
	Copy    Form = iota // contiguous on both sides
	Fill                // one source element, repeated
	Tile                // a transposed view, in tiles
	Narrow              // a transposed view of rows shorter than a tile, but not than half of it
	Folded              // a transposed view where two loops run along the lines of the source, or of rows shorter than half a tile
	Joined              // a transposed view of rows that two loops make: iterations of one continue the other's in the destination
	Gather              // elements with any source stride, to a contiguous row
	Element             // element by element, with any strides
	// Lanes to Every4 make vectors of the destination from windows of the source.
	Lanes  // the bytes of each 16-byte lane picked out of windows of its own
	Dwords // windows of a whole vector merged, then dwords (4 bytes) permuted
	Bytes  // merged, bytes permuted in their lanes, then dwords
	Inlane // merged, bytes permuted in their lanes
	Swap   // merged, lanes exchanged, bytes permuted in their lanes
	Cross  // merged, bytes permuted across two lanes
	Every2 // every second element
	Every3 // every third one
	Every4 // every fourth one
	// UnitsLanes to UnitsCross make the units that a table places as Lanes to Cross make vectors.
	UnitsLanes
	UnitsDwords
	UnitsBytes
	UnitsInlane
	UnitsSwap
	UnitsCross
	// Permute to UnitsPermute merge windows of 64 bytes under masks, then permute all 64 bytes.
	Permute      // a row without gaps in the destination
	Spread       // a row with gaps between the elements of the destination
	UnitsPermute // the units that a table places
	forms        // how many forms there are
)

var formNames = [forms]string{
	"copy", "fill", "tile", "narrow", "folded", "joined", "gather", "element",
	"lanes", "dwords", "bytes", "inlane", "swap", "cross", "every2", "every3", "every4",
	"units_lanes", "units_dwords", "units_bytes", "units_inlane", "units_swap", "units_cross",
	"permute", "spread", "units_permute",
}

// The variant of a loop tells it from the other loops of its form. For Every2 to Every4 it is the
// width of an element, for other forms that have windows the number of windows, and 0 for those
// that have none. A loop that stores by non-temporal stores has the variant NT instead; it is for
// any number of windows and any width.
const (
	NT       = 9
	variants = 10 // NT is the last one
)

// loops are those of one form in one set: a digit for each variant, n for NT.
type loops struct {
	form     Form
	variants string
}

// The loops of each set. Those in C are in the order of C's table.
var (
	avx2Loops = []loops{
		{Copy, "0n"}, {Fill, "0"}, {Tile, "0n"}, {Narrow, "0"}, {Folded, "0"}, {Joined, "0"}, {Gather, "0n"}, {Element, "0"},
		{Lanes, "12345678n"}, {Dwords, "12345678n"}, {Bytes, "12345678n"}, {Inlane, "12345678n"}, {Swap, "12345678n"}, {Cross, "12345678n"},
		{Every2, "1248n"}, {Every3, "4n"}, {Every4, "124n"},
		{UnitsLanes, "12"}, {UnitsDwords, "12"}, {UnitsBytes, "12"}, {UnitsInlane, "12"}, {UnitsSwap, "12"}, {UnitsCross, "12"},
	}
	avx512Loops = []loops{
		{Copy, "0n"}, {Fill, "0"}, {Tile, "0n"}, {Narrow, "0"}, {Folded, "0"}, {Joined, "0"}, {Gather, "0n"}, {Element, "0"},
		{Permute, "12345678n"}, {Spread, "12345678"}, {UnitsPermute, "1234"},
	}
	neonLoops = []loops{
		{Copy, "0"}, {Fill, "0"}, {Tile, "0"}, {Gather, "0"}, {Element, "0"},
		{Lanes, "12345678"}, {Inlane, "345678"}, {Every2, "1248"}, {Every4, "124"}, {UnitsLanes, "12"},
	}
	simdLoops = []loops{
		{Copy, "0"}, {Tile, "0"}, {Element, "0"}, {Lanes, "12345678"}, {Bytes, "12345678"}, {UnitsLanes, "12"},
	}
	simdNEONLoops = []loops{{Tile, "0"}, {Element, "0"}, {Lanes, "12345678"}, {UnitsLanes, "12"}}
	simdLaneLoops = []loops{{Copy, "0"}, {Tile, "0"}, {Element, "0"}, {Lanes, "12345678"}, {UnitsLanes, "12"}}
)

// index[set][form][variant] is 1 plus the number of that loop, or 0 if the set has no such loop.
// The loops of a set are numbered from 0, in the order of its list.
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

// variant returns the variant that a letter of loops.variants stands for.
func variant(letter rune) int {
	if letter == 'n' {
		return NT
	}
	return int(letter - '0')
}

// SetNumber returns the number of the first set in Sets of that name, or -1 if there is none.
func SetNumber(name string) int32 {
	for i := range Sets {
		if Sets[i].Name == name {
			return int32(i)
		}
	}
	return -1
}

// notBuilt is what Run and Convert panic with if the build does not include the set.
const notBuilt = "csrc: the build does not include the set"

// Loop returns the number of the loop of a form and variant in set number s, and whether the set has
// it. If it does not, the number is -1.
func Loop(s int32, form Form, variant int) (number int32, ok bool) {
	n := index[s][form][variant]
	return n - 1, n > 0
}

// FormOf returns the form of a loop of set number s. If `loop` is larger than the number of each loop
// of the set, it returns a value that is no form.
func FormOf(s, loop int32) Form {
	for _, l := range Sets[s].loops {
		if loop -= int32(len(l.variants)); loop < 0 {
			return l.form
		}
	}
	return forms
}

// LoopNames returns the names of the loops of set number s, in the order of their numbers. A name
// consists of the set, the form and the variant unless that is 0, such as avx2_copy, avx2_lanes3,
// avx2_every2_4 and avx2_copy_nt.
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
