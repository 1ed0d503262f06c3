package csrc

// MaxParams is the number of values of a scale or a bias that a Conversion takes at most.
const MaxParams = 256

// Params are the values of scale and of bias. Where a conversion repeats values, they are there as
// often as they fit.
type Params [2][MaxParams]float32

// ElementType is a type of elements that a conversion takes.
type ElementType int32

// The types, in the order of C's table.
const (
	Uint8 ElementType = iota
	Int8
	Uint16
	Int16
	Int32
	Float32
	Float16
	Sample // 16 bits, the high byte first, that count in 257ths
)

// RowLoop is a loop around the rows of a Conversion: its iterations, and by how many bytes of the
// source and of the destination, and how many values of scale and bias, each iteration moves.
type RowLoop struct {
	Extent, Src, Dst, Param int64
}

// Conversion converts rows of elements to rows of float32, both without gaps: each element becomes
// scale*x + bias, rounded after each step. It holds no pointers. Its layout is that of s1_conversion
// in program.h.
type Conversion struct {
	Type   ElementType
	Loops  int32 // the number of loops around the row
	Count  int64 // elements of a row
	Period int64 // elements after which scale and bias repeat in a row; 0 if a row has one value of each
	Loop   [MaxRank]RowLoop
}
