package program

// Pass is a pass of resampling over columns, or over rows. csrc/resample.h, csrc/area.h and
// csrc/vnni.h have those of samples, csrc/planes.h those of planes of numbers.
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
	JoinRows2
	JoinRows4
	PartRows4
	CoverColumns
	AverageColumns
	MeanColumns
	WeighColumns3 // of pixels of three bytes
	SumColumns3
	PickColumns3
	SumWindows  // of pixels of a byte
	PickWindows // here and below, passes of all sets in C
	SumPairs
	WeighQuads // here and below, passes of sets with VNNI, which have no others
	ZipQuads
	WeighSpans
	ZipSpans
	WeighRuns
	ZipRuns
	WeighQuads1 // of pixels of a byte
	ZipQuads1
	WeighSpans1
	ZipSpans1
)

// The passes over rows make one row from several rows.
const (
	WeighRows Pass = iota
	SumRows
	AddRows
	CoverRows
	AverageRows
	TotalRows
	MeanFours1
	MeanFours4
	MixRows
	WeighFours // here and below, passes of sets with VNNI
	WeighZipped
)

// MaxRows is how many rows a pass over columns makes in one call at most.
const MaxRows = 16

// ColumnPass has the numbers of a pass over the columns of Rows rows, which makes N pixels of each.
type ColumnPass struct {
	Pass         Pass
	AtOnce, Rows int32          // rows that the pass takes at once: 4, or 8 that it zips; Rows is a multiple
	N, Groups    int64          // weights of a pixel: groups of four or, as csrc/area.h says, single ones
	Dst, Src     [MaxRows]int64 // bytes from the first row of the result, or of the source, to each
}

// RowPass has the numbers of a pass that makes Count rows of N samples, Stride bytes apart.
type RowPass struct {
	Pass             Pass
	N, Count, Stride int64
	Each             int64 // bytes of the weights of each row that is made
}

// The passes over columns of planes make MaxJoined rows at most, each from a row of the source.
const (
	WeighPlaneColumns Pass = iota
	AddPlaneColumns
)

// The passes over rows of planes make rows that take the same rows.
const (
	WeighPlaneRows Pass = iota
	AddPlaneRows
)

// MaxJoined is how many rows of planes have their columns resampled at once by the longest vectors,
// which have a number of each.
const MaxJoined = 8

// PlaneColumnPass has the numbers of a pass over the columns of as many rows as a vector of the set
// has numbers.
type PlaneColumnPass struct {
	Pass     Pass
	N, Width int64            // numbers of a row of the result, and of the source
	Taps     int64            // weights of each number of the result, of which some count
	Dst, Src [MaxJoined]int64 // bytes from the first row of the result, or of the source, to each
}

// PlaneRowPass has the numbers of a pass that makes Count rows of N numbers, Stride numbers apart,
// of Rows rows.
type PlaneRowPass struct {
	Pass                   Pass
	Rows, N, Count, Stride int64
	Taps                   int64 // weights of each row that is made, of which Rows count
}

var planeColumnNames = [...]string{"weigh_plane_columns", "add_plane_columns"}
var planeRowNames = [...]string{"weigh_plane_rows", "add_plane_rows"}
var columnNames = [...]string{"weigh_columns", "sum_columns", "add_columns", "pick_columns4", "pick_columns1", "join_rows", "part_rows1",
	"join_rows2", "join_rows4", "part_rows4", "cover_columns", "average_columns", "mean_columns", "weigh_columns3", "sum_columns3", "pick_columns3", "sum_windows"}
var windowNames = [...]string{"pick_windows", "sum_pairs"}
var vnniColumnNames = [...]string{"weigh_quads", "zip_quads", "weigh_spans", "zip_spans", "weigh_runs", "zip_runs", "weigh_quads1", "zip_quads1", "weigh_spans1", "zip_spans1"}
var rowNames = [...]string{"weigh_rows", "sum_rows", "add_rows", "cover_rows", "average_rows", "total_rows", "mean_fours1", "mean_fours4", "mix_rows"}
var vnniRowNames = [...]string{"weigh_fours", "weigh_zipped"}
