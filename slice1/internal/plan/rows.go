package plan

import "math"

// neon holds the costs of the loops of NEON, which are the same in every row. They are estimates,
// most of them by the models of Neoverse V1 and N2 in llvm-mca 19, at 2.8 GHz.
var neon = SetCosts{
	Call:       38590,
	Row:        300,
	Next:       1700,
	Outer:      4500,
	CopyRow:    300,
	Copied:     330,
	FillRow:    1000,
	Filled:     200,
	GatherRow:  700,
	Gathered:   [4]int64{230, 240, 220, 220},
	ElementRow: 700,
	Element:    [4]int64{360, 360, 360, 360},
	Strip:      900,
	Tile:       [4]int64{10400, 4300, 1600, 600},
	Tile2:      [4]int64{12500, 5200, 2000, 800},
	TileApart:  [4]int64{46000, 11500, 2900, 720},
	Tables:     300,
	Table:      300,
	Main:       900,
	Lanes:      180,
	LanesOf:    200,
	Merged:     180,
	MergedOf:   170,
	Cross:      300,
	Every:      [4]int64{150, 150, 145, 145},
	Tail:       900,
	TailOf:     400,
	Units:      700,
	Unit:       250,
	UnitOf:     250,
	Alone:      1500,
	AloneOf:    450,
}

// simd holds the costs of the loops in Go's vectors on amd64, which are the same in every row. They
// are estimates from three things: what AVX2 takes, the table that `go -C bench run . -kernels
// simd,avx2` prints on Zen 4, and, where package vector leaves a loop to package portable, what
// plain Go takes.
var simd = SetCosts{
	Call:       6000,
	Row:        150,
	Next:       3000,
	Outer:      7134,
	CopyRow:    100,
	Copied:     360,
	FillRow:    8000,
	Filled:     330,
	GatherRow:  6000,
	Gathered:   [4]int64{255, 235, 200, 220},
	ElementRow: 6500,
	Element:    [4]int64{260, 240, 210, 230},
	Strip:      3000,
	Tile:       [4]int64{21000, 6000, 2000, 750},
	Tile2:      [4]int64{38000, 19000, 9000, 3000},
	TileApart:  [4]int64{190000, 130000, 90000, 20000},
	Few:        [4]int64{50000, 25000, 12000, 0},
	FewApart:   [4]int64{70000, 33000, 18000, 0},
	Tables:     1000,
	Table:      300,
	Main:       1500,
	Lanes:      300,
	LanesOf:    480,
	Merged:     250,
	MergedOf:   230,
	Ragged:     62,
	Every:      [4]int64{360, 360, 360, 360},
	Tail:       1500,
	TailOf:     1100,
	Units:      1500,
	Unit:       300,
	UnitOf:     300,
	Alone:      3500,
	AloneOf:    700,
	Lines:      [levels]LineCosts{{17, 0}, {12, 6}, {22, 291}},
}

// simdLane holds the costs of the loops in Go's vectors on wasm, which are the same in every row.
// They are estimates from simd. A vector has one lane there, and two in simd. The row of a tile
// also has half the bytes, so that a tile is taken to cost half as much.
var simdLane = func() SetCosts {
	c := simd
	c.Row, c.CopyRow, c.Copied, c.Lanes, c.LanesOf = 300, 300, 250, 200, 300
	for _, tiles := range [...]*[4]int64{&c.Tile, &c.Tile2, &c.TileApart} {
		for log := range tiles {
			tiles[log] /= 2
		}
	}
	return c
}()

// simdNEON holds the costs of the loops in Go's vectors on arm64, which are the same in every row.
// Those that are set here are estimates of 60 ps for each instruction of a loop, about what an
// instruction of plain Go's loops takes. The others are simdLane's.
var simdNEON = func() SetCosts {
	c := simdLane
	c.Call, c.Row, c.CopyRow, c.Copied = 12000, 60, 460, 60
	c.GatherRow, c.Gathered = 100, [4]int64{140, 140, 125, 125}
	c.ElementRow, c.Element = 1500, [4]int64{180, 160, 190, 200}
	c.Tile, c.Tile2 = [4]int64{8700, 4700, 1900, 1500}, [4]int64{26000, 11800, 7500, 3000}
	c.Lanes, c.LanesOf = 250, 260
	c.Merged, c.MergedOf = 100, 250
	c.Every = [4]int64{150, 150, 150, 150}
	c.Unit, c.UnitOf = 300, 180
	return c
}()

// zen4 is the row of Zen 4. Command calibrate measured Make and Find, and fitted the costs of plain
// Go, of AVX2, of AVX-512 and of lines to the times that slices took on a virtual machine of two
// cores with 1 MiB of second-level and 32 MiB of third-level cache, with Go 1.26 and gcc 12. Some
// slices ran while the other core was idle, some while it was busy. None of calibrate's slices is a
// fill: FillRow and Filled of AVX2 and AVX-512 are estimates, and Filled of plain Go is 0.
// Joined and Joint were fitted apart, to what tiles of 66 such views took.
var zen4 = Costs{
	Name:    "zen4",
	Storing: Short,
	Make:    722000,
	Find:    1940000,
	Go: GoCosts{
		Start:      9585,
		Block:      8036,
		Row:        47,
		Copied:     303,
		Long:       6004,
		Bulk:       153,
		WordRow:    3333,
		Reversed:   [4]int64{37, 134, 172, 0},
		Packed:     [4]int64{192, 180, 173, 0},
		ElementRow: 5710,
		Step:       241,
		Element:    [4]int64{131, 104, 129, 142},
		Tile:       53403,
		Turned:     [4]int64{215, 261, 773, 222},
		Units:      108,
		List:       2167,
		Again:      5355,
		Unit:       383,
		Move:       237,
		Lines:      [levels]LineCosts{{69, 15}, {0, 62}, {153, 0}},
	},
	Sets: [6]SetCosts{
		0: {
			Call:       41143,
			Row:        97,
			Next:       1441,
			Outer:      5666,
			Copied:     362,
			FillRow:    1500,
			Filled:     236,
			GatherRow:  808,
			Gathered:   [4]int64{220, 220, 137, 148},
			GatheredNT: 82,
			ElementRow: 837,
			Element:    [4]int64{208, 213, 272, 354},
			Strip:      1276,
			Tile:       [4]int64{13340, 3090, 1212, 733},
			Tile2:      [4]int64{22567, 8414, 2496, 1518},
			TileApart:  [4]int64{119775, 23834, 6363, 1743},
			Few:        [4]int64{27313, 13924, 6195, 0},
			FewApart:   [4]int64{42338, 17294, 11514, 0},
			Joined:     [4]int64{14500, 4700, 2600, 1050},
			Joint:      650,
			TileNT:     [4]int64{24650, 0, 0, 205},
			Main:       662,
			Lanes:      31,
			LanesOf:    524,
			Merged:     147,
			MergedOf:   201,
			Cross:      35,
			Ragged:     46,
			Every:      [4]int64{230, 225, 225, 215},
			Tail:       1095,
			TailOf:     1013,
			Units:      664,
			Unit:       230,
			UnitOf:     240,
			Alone:      436,
			AloneOf:    919,
			Lines:      [levels]LineCosts{{29, 0}, {3, 9}, {187, 615}},
		},
		1: {
			Call:       40442,
			Row:        97,
			Next:       1954,
			Outer:      4793,
			Copied:     754,
			FillRow:    1500,
			Filled:     415,
			GatherRow:  1155,
			Gathered:   [4]int64{208, 204, 136, 243},
			GatheredNT: 103,
			ElementRow: 2331,
			Element:    [4]int64{289, 419, 266, 347},
			Strip:      1421,
			Tile:       [4]int64{12642, 3271, 2146, 262},
			Tile2:      [4]int64{14371, 8948, 2688, 1353},
			TileApart:  [4]int64{124090, 26321, 6764, 1851},
			Few:        [4]int64{25485, 12384, 6743, 0},
			FewApart:   [4]int64{28540, 18427, 11152, 0},
			Joined:     [4]int64{14500, 4700, 2600, 1050},
			Joint:      650,
			TileNT:     [4]int64{18732, 0, 0, 63},
			Main:       1183,
			Lanes:      394,
			LanesOf:    397,
			Ragged:     65,
			Tail:       119,
			TailOf:     855,
			Units:      904,
			Unit:       562,
			UnitOf:     369,
			Spread:     349,
			SpreadOf:   248,
			Lines:      [levels]LineCosts{{26, 1}, {13, 0}, {0, 43}},
		},
		2: neon,
		3: simd,
		4: simdNEON,
		5: simdLane,
	},
	Streams: 16,
	Near:    [levels]LineCosts{{264, 235}, {56, 90}, {977, 1205}},
	Far:     [levels]LineCosts{{344, 410}, {355, 156}, {2691, 7771}},
	NTLine:  965,
	NTPart:  10721,
}

// rows holds the generic row, which is the first, and the row of each known microarchitecture. Only
// zen4 is measured. The others are made of it: most of their costs are zen4's times factors, which
// are estimates by what the manufacturers' descriptions say of the processors.
var rows = [...]Costs{generic(), zen4, zen5(), sapphireRapids(), neoverse()}

// generic returns the row of unknown processors. Where its costs differ from those of Zen 4, most
// of them lie between those of Zen 4 and those of Sapphire Rapids. It prefetches as Sapphire Rapids
// does.
func generic() Costs {
	c := likeZen4("generic", Far, 1)
	masked := &c.Sets[1]
	multiply(1.1, &masked.Lanes, &masked.LanesOf, &masked.TailOf, &masked.UnitOf, &masked.SpreadOf)
	c.fartherLines(1.4, 1.2)
	multiply(1.3, &c.NTLine)
	return c
}

// zen5 returns the row of Zen 5. The costs that likeZen4 multiplies have a factor of .8 for the
// clock, which is faster than Zen 4's. Some costs of AVX-512 have a second factor: Zen 5 loads,
// stores and shuffles 64 bytes at once, where Zen 4 makes a vector of AVX-512 in two halves.
func zen5() Costs {
	c := likeZen4("zen5", Near, .8)
	whole := &c.Sets[1]
	multiply(.6, &whole.Copied, &whole.Lanes)
	multiply(.7, &whole.LanesOf, &whole.Unit)
	multiply(.8, &whole.UnitOf, &whole.Spread, &whole.SpreadOf)
	return c
}

// sapphireRapids returns the row of Sapphire Rapids, which all processors of Intel with AVX-512
// VBMI have.
func sapphireRapids() Costs {
	c := likeZen4("sapphirerapids", Far, 1.05) // a slower clock
	wide := &c.Sets[1]
	multiply(.7, &wide.Copied) // loads and stores are 64 bytes wide
	// Masked loads that straddle lines take longer.
	multiply(1.25, &wide.LanesOf)
	multiply(1.2, &wide.TailOf, &wide.SpreadOf)
	multiply(1.5, &wide.UnitOf)
	// A mesh joins all cores to the third-level cache and to memory.
	c.fartherLines(2.2, 1.5)
	multiply(2, &c.NTLine)
	return c
}

// neoverse returns the row of arm64. What is not a cost of a set takes a tenth longer than on Zen
// 4: plain Go, lines, and making programs. The costs of the sets are all zen4's. Those of AVX2 and
// AVX-512 are there for tests, which plan by every row for all sets.
func neoverse() Costs {
	c := likeZen4("neoverse", Far, 1.1)
	c.Sets = zen4.Sets
	return c
}

// likeZen4 returns a row of the given name and storing whose costs are zen4's times a factor,
// rounded. Three things have no factor: the costs of NEON, those of Go's vectors, and Streams,
// which is a count.
func likeZen4(name string, storing Storing, factor float64) Costs {
	c := zen4
	c.Name, c.Storing = name, storing
	all := c.Quantities()
	for i, v := range all {
		all[i] = int64(math.RoundToEven(float64(v) * factor))
	}
	c.Streams = zen4.Streams
	copy(c.Sets[2:], zen4.Sets[2:])
	return c
}

// fartherLines multiplies the costs of loading and storing a line, near or far: for the third-level
// cache by l3, and for memory by the other factor.
func (c *Costs) fartherLines(l3, memory float64) {
	for _, lines := range [...]*[levels]LineCosts{&c.Near, &c.Far} {
		multiply(l3, &lines[levelL3].Load, &lines[levelL3].Store)
		multiply(memory, &lines[levelMemory].Load, &lines[levelMemory].Store)
	}
}

// multiply multiplies each quantity by a factor and drops the fraction of the product.
func multiply(factor float64, quantities ...*int64) {
	for _, q := range quantities {
		*q = int64(float64(*q) * factor)
	}
}
