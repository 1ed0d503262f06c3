// Package program is the model of what the loops of package slice1 are handed: programs and what
// they consist of, conversions of numbers, colours, and the instruction sets with the loops that
// each has. It is plain Go and runs nothing. The loops are in C, in package csrc, and in Go's
// vectors, in package slice1/internal/vector. C has the same structs in csrc/layout.h, which a test
// of this package writes.
//
// A [Program] is a strided copy made ready for one loop of one instruction set of [Sets]. Package
// slice1/internal/plan makes programs, also for sets that the build or the host lacks.
package program

import (
	"runtime"
	"unsafe"
)

// Sizes and limits of what programs hold.
const (
	MaxRank        = 8   // the most loops, the rank limit of DML_SLICE1_OPERATOR_DESC
	MaxWindows     = 8   // the most windows that one vector is made of
	LaneBytes      = 16  // bytes of a lane; a vector of NEON is one lane
	VectorBytes    = 32  // bytes of the longest vector that is made by lanes, AVX2's
	PermuteBytes   = 64  // bytes of a vector that is made under masks, AVX-512's
	LineBytes      = 64  // bytes of a cache line, on most processors
	MaxTails       = 4   // the most tails of a row of Shuffle
	MaxUnits       = 256 // the most units of a row
	MaxUnitWindows = 2   // the most windows that a unit of Units is made of
)

// Dim is one loop: its iterations, by how many bytes each iteration moves the positions in the
// source and in the destination, and by how many values of scale and bias. A loop of a slice moves
// by none.
type Dim struct {
	Extent, Src, Dst, Param int64
}

// Program is a strided copy made ready for one loop of one set. Its body follows it in memory, if
// its form has one. It holds no pointers.
type Program struct {
	Set, Loop int32 // the loop that runs it: the number of its set, and its own number in that set
	Width     int32 // bytes per element: 1, 2, 4 or 8
	Outer     int32 // the number of loops around the row
	Src, Dst  int64 // bytes from the addresses given to a loop to the first element
	Row       Dim   // the innermost loop, over elements; only forms Copy to String read it
	NT        int64 // 1 if the loop stores by non-temporal stores, else 0
	Innermost Dim   // the innermost loop around the row, or a loop of one iteration
	Next      Dim   // the loop around that one, or a loop of one iteration
	// Dims are the loops around the row, outermost first. In a program that is ready to run, the
	// strides of each count from the last row of the loops inside it.
	Dims     [MaxRank]Dim
	Prefetch Prefetch
}

// Draft is a program with room for the longest body. Programs are made in drafts.
type Draft struct {
	Program
	room [bodyBytes / 8]uint64
}

// Programs are at most four programs, one after another in memory. Each has only the bytes of its
// own body behind it, so most take a quarter of the memory of a Draft. To allocate a Draft takes
// longer than to make most programs.
type Programs struct {
	words  []uint64
	starts [4]int32 // in words
	count  int32
}

// Add appends a copy of d.
func (ps *Programs) Add(d *Draft) {
	ps.starts[ps.count] = int32(len(ps.words))
	ps.count++
	// unsafe: a Draft consists of whole words, and has at least as many as its program.
	ps.words = append(ps.words, unsafe.Slice((*uint64)(unsafe.Pointer(d)), d.size()/8)...)
}

// Clear removes all programs, and keeps their memory.
func (ps *Programs) Clear() { ps.words, ps.count = ps.words[:0], 0 }

// Len returns how many programs there are.
func (ps *Programs) Len() int { return int(ps.count) }

// Bytes returns how many bytes the programs take.
func (ps *Programs) Bytes() int64 { return 8 * int64(len(ps.words)) }

// At returns program number i.
//
// unsafe: Add has put a program there.
func (ps *Programs) At(i int) *Program { return (*Program)(unsafe.Pointer(&ps.words[ps.starts[i]])) }

// Start returns where program number i begins, in bytes from the first one.
func (ps *Programs) Start(i int) int64 { return 8 * int64(ps.starts[i]) }

// Part is a program to run among others, and where. Program is where it begins among them, in
// bytes, and Src and Dst are bytes that are added to the addresses.
type Part struct {
	Src, Dst, Program int64
}

// Prefetch is what a loop prefetches of the source. Loops with non-temporal stores may read all
// fields. Of loops with ordinary stores, only Gather's read any, and only Distance.
type Prefetch struct {
	// Distance is the prefetch distance in bytes of the source. If it is 0, all forms except Tile
	// prefetch nothing.
	Distance int64
	// Reach is for Copy: for how many bytes from the beginning of a row on it prefetches, either
	// the bytes of the row or as far as the next row.
	Reach int64
	// Begin and Length are the span of the source that may be prefetched: where it begins, from the
	// address given to a loop, and its bytes.
	Begin, Length int64
	Near          int64 // 1 to prefetch into the first-level cache, 0 into the second
}

// Vector is how one vector of the destination is made from windows of the source.
//
// At[0] says where the windows lie. In form Lanes, the high lane of a vector has windows of its
// own, and At[1] says where.
//
// In form Lanes, Pick[k][j] is the place of byte j in window k, or 0x80 if window k does not have
// it. In a set with Lookup, Pick[i][j] is its place in windows 4*i to 4*i+3 side by side. Forms
// Dwords to Cross merge the windows: Pick[k][j] is 0xff if window k gives byte j in place of the
// windows before it, else 0.
//
// Perm permutes the merged windows. For Dwords, Perm[0] has indices of dwords. For Bytes, Perm[0]
// has indices of bytes within a lane. If a vector has several lanes, Bytes then permutes dwords by
// Perm[1]. For Cross, both have indices of bytes in a lane, or 0x80 for none. If there is a single
// window, Perm[0] is for its low lane and Perm[1] for its high one. If there are several, Perm[0]
// is for a byte's own lane and Perm[1] for the other one.
type Vector struct {
	Windows int32                // how many there are
	At      [2][MaxWindows]int32 // in bytes from the vector's source position
	Pick    [MaxWindows][VectorBytes]uint8
	Perm    [2][VectorBytes]uint8
}

// Tail is a vector at the end of a row. It is made as form Lanes makes vectors. On amd64, loops of
// Every2 to Every4 read only Src and Dst of it.
type Tail struct {
	Src, Dst int64 // bytes from the row's first element
	Vector   Vector
}

// Shuffle is the body of forms Lanes to Every4, of rows whose vectors are made from windows of the
// source: Count main vectors, then tails.
type Shuffle struct {
	Count int64 // main vectors
	// Step and Advance are the bytes from one to the next, in the source and in the destination.
	// The next vector or a tail overwrites what a vector stores beyond Advance.
	Step, Advance int64
	Period        int64 // non-temporal: bytes of the destination after which the row repeats, a divisor of Advance
	Tails         int32
	TailLanes     int32 // lanes of a tail
	Main          Vector
	Tail          [MaxTails]Tail
}

const bodyBytes = (max(unsafe.Sizeof(Tiles{}), unsafe.Sizeof(Shuffle{}), unsafe.Sizeof(Masks{}),
	unsafe.Sizeof(Units{}), unsafe.Sizeof(MaskedUnits{})) + 7) / 8 * 8

// size returns the bytes of the program with its body, rounded up to words of 8 bytes.
func (p *Program) size() uintptr {
	body := uintptr(0)
	switch form := FormOf(p.Loop); {
	case form == Tile || form == Table:
		body = unsafe.Sizeof(Tiles{})
	case form >= Lanes && form <= Every4:
		body = unsafe.Sizeof(Shuffle{})
	case form >= UnitsLanes && form <= UnitsCross:
		body = unsafe.Sizeof(Units{})
	case form == Permute:
		body = unsafe.Sizeof(Masks{})
	case form == UnitsPermute:
		body = unsafe.Sizeof(MaskedUnits{})
	}
	return unsafe.Sizeof(*p) + (body+7)/8*8
}

// Tiles, Shuffle, Masks, Units and MaskedUnits return the body of the program as that type. All
// bodies begin where the program ends, and the form of the loop says which of them is set, if any.
//
// unsafe: a body has no pointers, and a program consists of words that are aligned for the widest
// of a body's fields. It is part of a Draft, or has its body in Programs.
func (p *Program) Tiles() *Tiles             { return (*Tiles)(p.body()) }
func (p *Program) Shuffle() *Shuffle         { return (*Shuffle)(p.body()) }
func (p *Program) Masks() *Masks             { return (*Masks)(p.body()) }
func (p *Program) Units() *Units             { return (*Units)(p.body()) }
func (p *Program) MaskedUnits() *MaskedUnits { return (*MaskedUnits)(p.body()) }
func (p *Program) body() unsafe.Pointer      { return unsafe.Add(unsafe.Pointer(p), unsafe.Sizeof(*p)) }

// Set is an instruction set that loops are written for, and what its loops can do. Go's vectors are
// one set on each architecture that has them.
type Set struct {
	Name   string // what slice1.WithKernel takes; Go's vectors have one name on all architectures
	Arch   string // GOARCH
	Needs  string // the field of cpuid.Features for it, or "" if every host of Arch has it
	Vector int64  // bytes of a vector, and of a row of a tile

	Lookup      bool // one lookup picks bytes out of up to four windows
	Masks       bool // masks leave out bytes of loads and stores, and one permutation reaches a whole vector
	NonTemporal bool // some loops store whole lines by non-temporal stores

	Weighs string // the field of cpuid.Features for the passes of csrc/vnni.h, or "" if the set does not have them

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
)

// Sets lists the instruction sets by their numbers. The sets in C of one architecture come weakest
// first.
var Sets = [...]Set{
	avx2:      {Name: "avx2", Arch: "amd64", Needs: "AVX2", Vector: 32, NonTemporal: true, loops: avx2Loops, Kernel: []int32{avx2}},
	avx512:    {Name: "avx512", Arch: "amd64", Needs: "AVX512VBMI", Vector: 64, NonTemporal: true, Masks: true, Weighs: "AVX512VNNI", loops: avx512Loops, Kernel: []int32{avx2, avx512}},
	neon:      {Name: "neon", Arch: "arm64", Needs: "NEON", Vector: 16, Lookup: true, loops: neonLoops, Kernel: []int32{neon}},
	simdAMD64: {InGo: true, Name: "simd", Arch: "amd64", Needs: "AVX2", Vector: 32, loops: simdLoops, Kernel: []int32{simdAMD64}},
	simdARM64: {InGo: true, Name: "simd", Arch: "arm64", Needs: "NEON", Vector: 16, loops: simdNEONLoops, Kernel: []int32{simdARM64}},
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
	// UnitsLanes to UnitsCross do with each unit what Lanes to Cross do with each vector. A table
	// says where in the source each unit lies.
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

// windows are the loops for each number of windows from low to high.
func windows(low, high int) variantSet { return 1<<(high+1) - 1<<low }

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
