package program

// Tiles is the body of transposed views: forms Tile and Table. Row is the loop along a row of the
// destination.
type Tiles struct {
	Across Dim   // the loop that steps along the lines of the source, upwards
	Band   int64 // rows in a band, whole tiles; a band is turned as a whole before the next one
	Block  int64 // elements of a row in a block; all elements of a row that is joined or is shorter than a row of a tile
	// Ahead is what loops with ordinary stores prefetch: 0 nothing, 1 what the next iteration of
	// Innermost reads and stores, 2 what a block of Tile stores.
	Ahead int64
	// Fold and Join are for Table, and at most one of them. If there is no such loop, it has one
	// iteration. Fold is inside Across and continues it along the lines, for rows of a vector or
	// longer. Join is around the row, for lines of 16 bytes or more, and its iterations continue
	// each other in the destination.
	Fold, Join Dim
}

// Merged says how a vector is made under masks: windows are merged, and the bytes permuted.
type Merged struct {
	Windows int32
	At      [MaxWindows]int32   // where the windows lie, in bytes from the vector's source position
	Take    [MaxWindows]uint64  // bit i: byte i of the window is taken
	Store   uint64              // bit i: a store under this mask stores byte i
	Index   [PermuteBytes]uint8 // for each byte of a vector, its place in the merged windows
}

// Masks is the body of form Permute, of rows whose vectors are made under masks. The first Count
// vectors are stored whole, the next Ahead under a mask. Tails follow. The last tail may overlap
// the vector before it. Masks hide bytes behind those that a vector takes or stores, and in tails
// those before, so that they lie in the row or in its source.
type Masks struct {
	Count            int64
	Step, Advance    int64 // as in Shuffle
	Period           int64 // as in Shuffle
	Tails            int32 // how many there are
	Own              int32 // 1 if tails have several windows and not those of Each
	Ahead            int64
	TailSrc, TailDst int64 // where the first tail is, in bytes from the row's first element
	LastSrc, LastDst int64 // where the last tail is
	Each, Tail       Merged
}

// Units is the body of forms UnitsLanes to UnitsCross, of rows of Count units of Unit bytes. Each
// unit is made as a vector that begins with it. If units are a lane each, UnitsLanes may make two
// as one vector. A unit whose vector would load or store outside the row is listed in Alone and
// copied element by element.
type Units struct {
	Count, Unit int64
	Each        Vector               // how a unit is made
	Element     [VectorBytes]int32   // where the elements of a unit come from, in bytes from its first
	At          [MaxUnits]int32      // where the units come from, in bytes from the row's first element
	Alone       [MaxUnits + 1]uint16 // ascending numbers of units, then Count
}

// MaskedUnits is the body of form UnitsPermute, of rows of units that are made under masks. The
// first Whole units are stored as whole vectors. The other Tails units are tails. A unit has Unit
// bytes. The vector of a tail begins Back bytes before the unit.
type MaskedUnits struct {
	Whole, Tails, Unit, Back int64
	Each, Tail               Merged
	At                       [MaxUnits]int32 // where the units come from, in bytes from the row's first element
}
