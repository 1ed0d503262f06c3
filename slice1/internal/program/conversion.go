package program

// Period is the number of elements after which a row of places repeats its windows. They are whole
// vectors in every set, and whole pixels of 1 to 4, 6, 8, 12 or 16 channels.
const Period = 48

// MaxParams is the most values that a scale, a bias or a zero point of a Conversion has.
const MaxParams = 256

// Params are the values of scale, bias and zero point. If a conversion repeats values, they are
// repeated here as often as they fit.
type Params struct {
	Scale, Bias [MaxParams]float32
	Zero        [MaxParams]int32
}

// TableSize is the number of entries of a table.
const TableSize = 256

// ElementType is a type of numbers that a conversion takes and makes.
type ElementType int32

// The types, in the order of C's tables.
const (
	Opaque ElementType = iota // no number

	Bits16 // this type and the two following ones are no numbers either: elements that keep their bits
	Bits32
	Bits64

	Uint8
	Int8
	Uint16
	Int16
	Int32
	Float32
	Float16
	BFloat16  // the upper half of a float32
	Sample257 // 16 bits, the high byte first, that count in 257ths
	Float64

	Int64 // for this type and the following ones C has no loops in float32
	Uint32
	Uint64
)

// KeepsBits reports whether elements of type t are no numbers, but have their bytes reversed.
func (t ElementType) KeepsBits() bool { return t >= Bits16 && t <= Bits64 }

// IsInteger reports whether elements are integers. A Sample257 is none: it counts in 257ths.
func (t ElementType) IsInteger() bool {
	switch t {
	case Uint8, Int8, Uint16, Int16, Int32, Uint32, Int64, Uint64:
		return true
	}
	return false
}

// Size returns the bytes of an element.
func (t ElementType) Size() int64 { return elementSizes[t] }

var elementSizes = [...]int64{Bits16: 2, Bits32: 4, Bits64: 8, Uint8: 1, Int8: 1, Uint16: 2, Int16: 2, Int32: 4, Float32: 4, Float16: 2, BFloat16: 2, Sample257: 2,
	Float64: 8, Int64: 8, Uint32: 4, Uint64: 8}

// NumberRule says what number y a conversion makes of each number x. y is then stored as the
// nearest number of the destination's type: float64 of 1 + 2^-11 + 2^-40 becomes the float16 above
// 1 if it is rounded once, and 1 if it becomes float32 first.
type NumberRule int32

// The rules.
const (
	InFloat32   NumberRule = iota // y = float32(float32(x)*scale) + bias, in float32
	InFloat64                     // the same in float64, also for numbers that float32 does not hold
	Unchanged                     // y = x, by way of float64
	Saturating                    // y = x, integers of 32 bits or more, which become others of these
	ByTable                       // y is entry x of a table, for bytes x; the table has it as it is stored
	Quotient                      // y = float32(x) / scale
	Quantized                     // y = round(float32(x) / scale) + zero, where the sum is exact
	Dequantized                   // y = float32(x - zero) * scale, where the difference is exact
)

// Picks say where the bytes of Period elements lie. Each group of elements comes from one window.
// If the set has masks, a group fills a vector with float32 and its window has 64 bytes. Else a
// group is 4 elements and its window has 16 bytes.
type Picks struct {
	At   [Period / 4]int32 // where each group's window begins, from the period's first element
	Pick [Period][4]uint8  // the byte of its window that is the element, and three times NoByte
}

// NoByte is the place of no byte: a lookup gives 0 for it.
const NoByte = 0x80

// Conversion converts rows of numbers. Each x becomes a number by the Rule, which is rounded after
// each step. That becomes an element of type Dst. If Src keeps its bits, Dst is the same
// type, and only the bytes of each element are reversed. Rows have no gaps on either side, except
// rows of places in the source. Conversion holds no pointers.
//
// A row of places takes its bytes from windows. First come Whole periods that use First, Advance
// bytes apart. Then come periods that use Last, as many as the row needs. The last one ends with
// the row.
type Conversion struct {
	Set            int32       // the number of the set in C that converts
	Src, Dst       ElementType // of the elements of the source and of the destination
	Swap           int32       // 1 if the source has the other byte order than the machine, else 0
	Rule           NumberRule  // of the numbers
	Places         int32       // 1 if rows are places, else 0
	NT             int64       // 1 if float32 of places, and entries of 4 bytes, are stored by non-temporal stores where they are aligned, else 0
	Loops          int64       // the number of loops around the row
	Count          int64       // elements of a row
	Period         int64       // elements after which scale and bias repeat in a row; 0 if a row has one value of each
	Made           int64       // bytes of memory before those to which rows are converted if a slice follows
	Advance, Whole int64
	First, Last    Picks
	Loop           [MaxRank]Dim
}
