package csrc

// Period is the number of elements after which a row of Places repeats its windows: whole vectors
// of every set, for pixels of 1 to 4, 6, 8, 12 and 16 channels.
const Period = 48

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
	Places // bytes that windows have, as First and Last of the Conversion say
)

// RowLoop is a loop around the rows of a Conversion: its iterations, and by how many bytes of the
// source and of the destination, and how many values of scale and bias, each iteration moves.
type RowLoop struct {
	Extent, Src, Dst, Param int64
}

// Picks say where the bytes of Period elements lie. A group of elements comes from one window: a
// whole vector of them from one of 64 bytes if the set has masks, else 4 from one of 16 bytes.
type Picks struct {
	At   [Period / 4]int32 // where each group's window begins, from the period's first element
	Pick [Period][4]uint8  // the byte of its window that is the element, and three times None
}

// None is the place of no byte: a lookup gives 0 for it.
const None = 0x80

// Conversion converts rows of elements to rows of float32 without gaps: each element becomes
// scale*x + bias, rounded after each step. Rows of the source have no gaps, but for Places. It
// holds no pointers. layout.h declares it for C.
//
// A row of Places has Whole periods that use First, Advance bytes apart, then LastCount that use
// Last, of which the last one ends with the row. If LastCount is 0, the elements behind the whole
// periods are converted one by one.
type Conversion struct {
	Type                      ElementType
	Loops                     int32 // the number of loops around the row
	Count                     int64 // elements of a row
	Period                    int64 // elements after which scale and bias repeat in a row; 0 if a row has one value of each
	Advance, Whole, LastCount int64
	First, Last               Picks
	Loop                      [MaxRank]RowLoop
}
