// Package csrc holds the SIMD kernels of package slice1: loops in C for AVX2, AVX-512 and NEON
// that copy, fill, gather, shuffle and transpose strided memory, the one cgo call to them, and
// the programs that they run. It is for slice1 alone and promises no compatibility: use
// slice1, which checks what this package does not.
//
// A [Program] is a strided copy made ready for one loop of one instruction set of [Sets].
// Package slice1/internal/plan makes programs; [Program.Run] checks nothing, not even
// whether the host has the instructions. Where cgo is off, under the tag purego, and on
// processors without loops of their own, [Built] reports false for every set, and programs
// can still be made.
package csrc

import "unsafe"

// Sizes of what programs hold.
const (
	MaxRank        = 8   // loops, the rank limit of DML_SLICE1_OPERATOR_DESC
	MaxWindows     = 8   // windows that make a vector
	LaneBytes      = 16  // a lane, the vector of NEON
	VectorBytes    = 32  // the longest vector made of lanes
	PermuteBytes   = 64  // a vector under masks
	LineBytes      = 64  // a cache line
	MaxTails       = 4   // vectors of a row made apart from its main ones
	MaxUnits       = 256 // vectors that a table places
	MaxUnitWindows = 2   // windows of such a vector without masks
)

// Kind is which of a Program's bodies is set.
type Kind int32

const (
	Plain    Kind = iota // none: Copy, Fill, Gather, Element
	Tiled                // Tiles: Tile, Narrow, Folded
	Windowed             // Windows: Lanes to Every4
	Masked               // Masks: Permute, Spread
	Placed               // Units: UnitsLanes to UnitsCross
	MaskedAt             // MaskedUnits: UnitsPermute
)

// Dim is one loop: its iterations, and the bytes that an iteration moves the
// positions in the source and in the destination.
type Dim struct {
	Extent, Src, Dst int64
}

// Program is a strided copy made ready for one loop of one set. It holds no
// pointers. Its layout is that of s1_program in program.h.
type Program struct {
	Set, Loop int32 // which loop runs it: numbers of Sets and of that set's table
	Kind      Kind
	Width     int32 // bytes per element: 1, 2, 4 or 8
	Src, Dst  int64 // bytes from the addresses given to Run to the first element
	Row       Dim   // the loop of a row, an element in each iteration
	Outer     int32 // loops around the row
	NT        int32 // whether the loop stores by non-temporal stores
	Innermost Dim   // the innermost loop around the row, or a loop of one iteration
	Next      Dim   // the loop around that one, or a loop of one iteration
	Dims      [MaxRank]Dim
	Prefetch  Prefetch
	body      [bodyBytes / 8]uint64
}

// Prefetch is what a loop with non-temporal stores prefetches.
type Prefetch struct {
	Distance      int64 // bytes ahead of where the source is read
	Reach         int64 // Copy: bytes of a row to prefetch, gaps included
	Begin, Length int64 // the span that may be prefetched: where it begins in the source, and its bytes
	Near          int64 // whether to the first-level cache and not the second
}

// Tiles is the body of transposed views.
type Tiles struct {
	Across Dim   // the loop that walks lines of the source upwards
	Block  int64 // elements of a row to take before the next line of source
	Fold   Dim   // Folded: the loop within each iteration of Across
}

// Vector is one vector of the destination: where its windows lie and which byte of which window
// goes where.
type Vector struct {
	Windows int32
	At      [2][MaxWindows]int32           // bytes from the vector's source position, by lane; merged windows use At[0]
	Pick    [MaxWindows][VectorBytes]uint8 // Lanes: indices of bytes, 0x80 for none; merged: 0xff where the window replaces those before it
	Perm    [2][VectorBytes]uint8          // merged: indices of the permutations; Cross: into the lanes of its only window, or into the same lane and the other one
}

// Tail is a vector of a row made apart from the main ones, always by Lanes.
type Tail struct {
	Src, Dst int64 // bytes from the row's first element
	Vector   Vector
}

// Windows is the body of rows whose vectors are made from windows of the source:
// Count main vectors, then tails.
type Windows struct {
	Count         int64 // main vectors
	Step, Advance int64 // bytes from one to the next, in the source and in the destination; what a vector stores beyond Advance the next one overwrites
	PerGrain      int64 // non-temporal: bytes of the source to 1<<Grain bytes of the destination
	Grain         int32
	Tails         int32
	TailLanes     int32 // lanes of a tail
	Main          Vector
	Tail          [MaxTails]Tail
}

// Masks is the body of rows whose vectors are made under masks: Count vectors, which
// Permute stores whole and Spread under the mask Store, then Tails under that mask. The
// last tail overlaps the vector before it and ends with the row: a mask of its own would
// hide bytes outside the row, and a mask that hides an absent page costs a microcode
// assist.
type Masks struct {
	Count            int64
	Step, Advance    int64
	PerGrain         int64
	Grain            int32
	Tails, Windows   int32
	At               [MaxWindows]int32
	Take             [MaxWindows]uint64 // bytes of a window to take
	Store            uint64             // bytes that a masked store stores
	LastSrc, LastDst int64              // the last tail, in bytes from the row's first element
	Index            [PermuteBytes]uint8
}

// Units is the body of rows of Count units of Unit bytes, each at the beginning of a
// vector. Units in Alone would access bytes outside the row by a vector and are
// copied element by element.
type Units struct {
	Count, Unit int64
	Each        Vector
	Element     [VectorBytes]int32   // where the elements of a unit are, in bytes from its first
	At          [MaxUnits]int32      // where the units are, in bytes from the row's first element
	Alone       [MaxUnits + 1]uint16 // ascending numbers of units, then Count
}

// MaskedUnits is the body of rows of Whole units that a whole vector stores and Tails
// units stored under a mask.
type MaskedUnits struct {
	Whole, Tails, Unit int64
	Windows            int32
	WindowAt           [MaxWindows]int32
	Take               [MaxWindows]uint64
	Store              uint64
	Index              [PermuteBytes]uint8
	At                 [MaxUnits]int32
}

const bodyBytes = (max(unsafe.Sizeof(Tiles{}), unsafe.Sizeof(Windows{}), unsafe.Sizeof(Masks{}),
	unsafe.Sizeof(Units{}), unsafe.Sizeof(MaskedUnits{})) + 7) / 8 * 8

// The bodies lie in the same bytes. Kind says which of them is set.
//
// unsafe: a body has no pointers, and body is aligned for the widest of its fields.
func (p *Program) Tiles() *Tiles             { return (*Tiles)(unsafe.Pointer(&p.body)) }
func (p *Program) Windows() *Windows         { return (*Windows)(unsafe.Pointer(&p.body)) }
func (p *Program) Masks() *Masks             { return (*Masks)(unsafe.Pointer(&p.body)) }
func (p *Program) Units() *Units             { return (*Units)(unsafe.Pointer(&p.body)) }
func (p *Program) MaskedUnits() *MaskedUnits { return (*MaskedUnits)(unsafe.Pointer(&p.body)) }
