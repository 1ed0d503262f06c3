package program

import "runtime"

// Set is an instruction set that loops are written for, and what its loops can do. Go's vectors are
// one set on each architecture that has them.
type Set struct {
	Name   string // what slice1.WithKernel takes; Go's vectors have one name on all architectures
	Arch   string // GOARCH
	Needs  string // the field of cpuid.Features for it, or "" if every host of Arch has it
	Vector int64  // bytes of a vector
	Piece  int64  // bytes of a row of a tile

	Lookup      bool // one lookup picks bytes out of up to four windows
	Masks       bool // masks leave out bytes of loads and stores, and one permutation reaches a whole vector
	NonTemporal bool // some loops store whole lines by non-temporal stores

	// InGo says that the loops are in package vector and not in C. There Element also does what
	// Gather does in C. If the set has no loop of form Copy, Element does what that would do, too.
	InGo  bool
	loops [forms]variantSet

	// Kernel has the numbers of the sets whose loops the kernel of this name runs, weakest first.
	// The last one is this set. The sets before it do what it has no loop for.
	Kernel []int32
}

// The numbers of the sets.
const (
	avx2 = iota
	avx512
	neon
	simdAMD64
	simdARM64
	simdWasm
)

// Sets lists the instruction sets by their numbers. The sets in C of one architecture come weakest
// first.
var Sets = [...]Set{
	avx2:      {Name: "avx2", Arch: "amd64", Needs: "AVX2", Vector: 32, Piece: 32, NonTemporal: true, loops: avx2Loops, Kernel: []int32{avx2}},
	avx512:    {Name: "avx512", Arch: "amd64", Needs: "AVX512VBMI", Vector: 64, NonTemporal: true, Masks: true, loops: avx512Loops, Kernel: []int32{avx2, avx512}},
	neon:      {Name: "neon", Arch: "arm64", Needs: "NEON", Vector: 16, Piece: 16, Lookup: true, loops: neonLoops, Kernel: []int32{neon}},
	simdAMD64: {InGo: true, Name: "simd", Arch: "amd64", Needs: "AVX2", Vector: 32, Piece: 32, loops: simdLoops, Kernel: []int32{simdAMD64}},
	simdARM64: {InGo: true, Name: "simd", Arch: "arm64", Needs: "NEON", Vector: 16, Piece: 16, loops: simdNEONLoops, Kernel: []int32{simdARM64}},
	simdWasm:  {InGo: true, Name: "simd", Arch: "wasm", Vector: 16, Piece: 16, loops: simdLaneLoops, Kernel: []int32{simdWasm}},
}

// A Form is what a loop does with each row of a program.
type Form uint8

const (
	Copy Form = iota // contiguous on both sides
	Tile             // a transposed view, in tiles
	// Table does what Tile does for few elements on a side, or for two loops on a side: tables say
	// where the lines and the rows of a tile are.
	Table
	Gather  // elements with any source stride, 0 among them, to a contiguous row
	Element // element by element, with any strides
	String  // as Copy, by the processor's instruction that copies strings
	// Lanes to Every4 make vectors of the destination from windows of the source.
	Lanes  // the bytes of each 16-byte lane picked out of windows of its own
	Dwords // windows of a whole vector merged, then dwords (4 bytes) permuted
	Bytes  // merged, bytes permuted in their lanes, then dwords if a vector has several lanes
	Cross  // merged, bytes permuted across two lanes
	Every2 // every second element
	Every3 // every third one
	Every4 // every fourth one
	// UnitsLanes to UnitsCross make units, which a table places, like Lanes to Cross make vectors.
	UnitsLanes
	UnitsDwords
	UnitsBytes
	UnitsCross
	// Permute to UnitsPermute merge windows of 64 bytes under masks, then permute all 64 bytes.
	Permute      // a row, also with gaps between the elements of the destination
	UnitsPermute // the units that a table places
	forms        // how many forms there are
)

// The variant of a loop tells it from the other loops of its form. For Every2 to Every4 it is the
// width of an element. For other forms that have windows it is the number of windows. For forms
// without windows it is 0.
const variants = MaxWindows + 1

// A variantSet has bit v if there is a loop of variant v.
type variantSet uint16

const single variantSet = 1 << 0 // the one loop of a form without windows

// windows are the loops for each number of windows from first to last.
func windows(first, last int) variantSet { return 1<<(last+1) - 1<<first }

// widths are the loops for elements of these numbers of bytes.
func widths(bytes ...int) (v variantSet) {
	for _, w := range bytes {
		v |= 1 << w
	}
	return v
}

// The loops of each set. If a set has no Dwords, Bytes does the same with one more instruction.
var (
	avx2Loops = [forms]variantSet{
		Copy: single, Tile: single, Table: single, Gather: single, Element: single, String: single,
		Lanes: windows(1, 8), Dwords: windows(1, 8), Bytes: windows(1, 8), Cross: windows(1, 8),
		Every2: widths(1, 2, 4, 8), Every3: widths(4), Every4: widths(1, 2, 4),
		UnitsLanes: windows(1, 2), UnitsDwords: windows(1, 2), UnitsBytes: windows(1, 2), UnitsCross: windows(1, 2),
	}
	avx512Loops = [forms]variantSet{Copy: single, Permute: windows(1, 8), UnitsPermute: windows(1, 4)}

	neonLoops = [forms]variantSet{
		Copy: single, Tile: single, Table: single, Gather: single, Element: single,
		Lanes: windows(1, 8), Bytes: windows(3, 8), Every2: widths(1, 2, 4, 8), Every4: widths(1, 2, 4), UnitsLanes: windows(1, 2),
	}
	simdLoops = [forms]variantSet{
		Copy: single, Tile: single, Table: single, Element: single, Lanes: windows(1, 8), Bytes: windows(1, 8), UnitsLanes: windows(1, 2),
	}
	simdNEONLoops = [forms]variantSet{Tile: single, Table: single, Element: single, Lanes: windows(1, 8), UnitsLanes: windows(1, 2)}
	simdLaneLoops = [forms]variantSet{Copy: single, Tile: single, Table: single, Element: single, Lanes: windows(1, 8), UnitsLanes: windows(1, 2)}
)

// SetNumber returns the number of the first set in Sets of that name, or -1 if there is none.
func SetNumber(name string) int32 {
	for i := range Sets {
		if Sets[i].Name == name {
			return int32(i)
		}
	}
	return -1
}

// InC reports whether this build has the loops of set number s, and has them in C.
func InC(s int32) bool { return hasC && !Sets[s].InGo && Sets[s].Arch == runtime.GOARCH }

// Loop returns the number of the loop of a form and variant, and whether set number s has it.
func Loop(s int32, form Form, variant int) (number int32, ok bool) {
	return int32(form)*variants + int32(variant), Sets[s].loops[form]>>variant&1 != 0
}

// HasLoop reports whether set number s has a loop of a form.
func HasLoop(s int32, form Form) bool { return Sets[s].loops[form] != 0 }

// FormOf returns the form of a loop.
func FormOf(loop int32) Form { return Form(loop / variants) }
