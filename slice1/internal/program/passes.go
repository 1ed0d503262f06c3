package program

// Pass is a pass of resampling over columns, or over rows. csrc/resample.h and csrc/vnni.h have
// them.
type Pass int32

// The passes over columns make four rows at a time, each from a row of the source.
const (
	WeighColumns Pass = iota
	SumColumns
	AddColumns
	PickColumns4
	PickColumns1
	JoinRows
	PartRows1
	PartRows2
	WeighQuads // here and below, passes of sets with VNNI, which have no others
	ZipQuads
	WeighSpans
	ZipSpans
)

// The passes over rows make one row from several rows.
const (
	WeighRows Pass = iota
	SumRows
	AddRows
	WeighFours
	WeighZipped
)

// ColumnPass has the numbers of a pass over the columns of four rows, which makes N pixels of each.
type ColumnPass struct {
	Pass      Pass
	N, Groups int64    // Groups is how many groups of four weights a pixel of Pillow's filters has
	Dst, Src  [4]int64 // bytes from the first row of the result, or of the source, to each
}

var columnNames = [...]string{"weigh_columns", "sum_columns", "add_columns", "pick_columns4", "pick_columns1", "join_rows", "part_rows1", "part_rows2"}
var vnniColumnNames = [...]string{"weigh_quads", "zip_quads", "weigh_spans", "zip_spans"}
var rowNames = [...]string{"weigh_rows", "sum_rows", "add_rows"}
var vnniRowNames = [...]string{"weigh_fours", "weigh_zipped"}
