package plan

// neon holds the costs of the loops of NEON. They are estimates,
// most of them by the models of Neoverse V1 and N2 in llvm-mca 19, at 2.8 GHz.
var neon = SetCosts{
	Call:       39000,
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
	Tile:       [4]int64{10000, 4300, 1600, 600},
	Tile2:      [4]int64{12000, 5200, 2000, 800},
	TileApart:  [4]int64{46000, 12000, 2900, 720},
	Tables:     300,
	Table:      300,
	Main:       900,
	Lanes:      180,
	LanesOf:    200,
	Merged:     180,
	MergedOf:   170,
	Cross:      300,
	Every:      [4]int64{150, 150, 140, 140},
	Tail:       900,
	TailOf:     400,
	Units:      700,
	Unit:       250,
	UnitOf:     250,
	Alone:      1500,
	AloneOf:    450,
}

// simd holds the costs of the loops in Go's vectors on amd64. They
// are estimates from three things: what AVX2 takes, the table that `go -C bench run . -kernels
// simd,avx2` prints on Zen 4, and, where package vector leaves a loop to package portable, what
// plain Go takes.
var simd = SetCosts{
	Call:       6000,
	Row:        150,
	Next:       3000,
	Outer:      7100,
	CopyRow:    100,
	Copied:     360,
	FillRow:    8000,
	Filled:     330,
	GatherRow:  6000,
	Gathered:   [4]int64{260, 240, 200, 220},
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
	Lines:      [levels]LineCosts{{17, 0}, {12, 6}, {22, 290}},
}

// simdLane holds the costs of the loops in Go's vectors on wasm.
// They are estimates from simd. A vector has one lane there, and two in simd. The row of a tile
// also has half the bytes, so that a tile is taken to cost half as much.
var simdLane = func() SetCosts {
	c := simd
	c.Row, c.CopyRow, c.Copied, c.Lanes, c.LanesOf = 300, 300, 250, 200, 300
	c.Tile, c.Tile2, c.TileApart = [4]int64{10000, 3000, 1000, 380}, [4]int64{19000, 9500, 4500, 1500}, [4]int64{95000, 65000, 45000, 10000}
	return c
}()

// simdNEON holds the costs of the loops in Go's vectors on arm64.
// Those that are set here are estimates of 60 ps for each instruction of a loop, about what an
// instruction of plain Go's loops takes. The others are simdLane's.
var simdNEON = func() SetCosts {
	c := simdLane
	c.Call, c.Row, c.CopyRow, c.Copied = 12000, 60, 460, 60
	c.GatherRow, c.Gathered = 100, [4]int64{140, 140, 120, 120}
	c.ElementRow, c.Element = 1500, [4]int64{180, 160, 190, 200}
	c.Tile, c.Tile2 = [4]int64{8700, 4700, 1900, 1500}, [4]int64{26000, 12000, 7500, 3000}
	c.Lanes, c.LanesOf = 250, 260
	c.Merged, c.MergedOf = 100, 250
	c.Every = [4]int64{150, 150, 150, 150}
	c.Unit, c.UnitOf = 300, 180
	return c
}()

// costs is the row that every machine plans by. All of it but the costs of sets 2 to 5 was fitted by
// command calibrate to the times that slices took on a Zen 4, a virtual machine of two cores with
// 1 MiB of second-level and 32 MiB of third-level cache, with Go 1.26 and gcc 12. On a Zen 5 and on
// a Zen 3 it chooses as well as rows that were made for these processors. None of calibrate's
// slices is a fill: FillRow and Filled of AVX2 and AVX-512 are estimates, and Filled of plain Go is
// 0. Joined and Joint were fitted apart, to what tiles of 66 such views took.
var costs = Costs{
	Name:    "costs",
	Storing: Far,
	Make:    720000,
	Find:    1900000,
	Go: GoCosts{
		Start:      9600,
		Block:      8000,
		Row:        47,
		Copied:     300,
		Long:       6000,
		Bulk:       150,
		WordRow:    3300,
		Reversed:   [4]int64{37, 130, 170, 0},
		Packed:     [4]int64{190, 180, 170, 0},
		ElementRow: 5700,
		Step:       240,
		Element:    [4]int64{130, 100, 130, 140},
		Tile:       53000,
		Turned:     [4]int64{220, 260, 770, 220},
		Units:      110,
		List:       2200,
		Again:      5400,
		Unit:       380,
		Move:       240,
		Lines:      [levels]LineCosts{{69, 15}, {0, 62}, {150, 0}},
	},
	Sets: [6]SetCosts{
		0: {
			Call:       41000,
			Row:        97,
			Next:       1400,
			Outer:      5700,
			Copied:     360,
			FillRow:    1500,
			Filled:     240,
			GatherRow:  810,
			Gathered:   [4]int64{220, 220, 140, 150},
			GatheredNT: 82,
			ElementRow: 840,
			Element:    [4]int64{210, 210, 270, 350},
			Strip:      1300,
			Tile:       [4]int64{13000, 3100, 1200, 730},
			Tile2:      [4]int64{23000, 8400, 2500, 1500},
			TileApart:  [4]int64{120000, 24000, 6400, 1700},
			Few:        [4]int64{27000, 14000, 6200, 0},
			FewApart:   [4]int64{42000, 17000, 12000, 0},
			Joined:     [4]int64{14000, 4700, 2600, 1000},
			Joint:      650,
			TileNT:     [4]int64{25000, 0, 0, 200},
			Main:       660,
			Lanes:      31,
			LanesOf:    520,
			Merged:     150,
			MergedOf:   200,
			Cross:      35,
			Ragged:     46,
			Every:      [4]int64{230, 220, 220, 220},
			Tail:       1100,
			TailOf:     1000,
			Units:      660,
			Unit:       230,
			UnitOf:     240,
			Alone:      440,
			AloneOf:    920,
			Lines:      [levels]LineCosts{{29, 0}, {3, 9}, {190, 620}},
		},
		1: {
			Call:       40000,
			Row:        97,
			Next:       2000,
			Outer:      4800,
			Copied:     750,
			FillRow:    1500,
			Filled:     420,
			GatherRow:  1200,
			Gathered:   [4]int64{210, 200, 140, 240},
			GatheredNT: 100,
			ElementRow: 2300,
			Element:    [4]int64{290, 420, 270, 350},
			Strip:      1400,
			Tile:       [4]int64{13000, 3300, 2100, 260},
			Tile2:      [4]int64{14000, 8900, 2700, 1400},
			TileApart:  [4]int64{120000, 26000, 6800, 1900},
			Few:        [4]int64{25000, 12000, 6700, 0},
			FewApart:   [4]int64{29000, 18000, 11000, 0},
			Joined:     [4]int64{14000, 4700, 2600, 1000},
			Joint:      650,
			TileNT:     [4]int64{19000, 0, 0, 63},
			Main:       1200,
			Lanes:      390,
			LanesOf:    400,
			Ragged:     65,
			Tail:       120,
			TailOf:     860,
			Units:      900,
			Unit:       560,
			UnitOf:     370,
			Spread:     350,
			SpreadOf:   250,
			Lines:      [levels]LineCosts{{26, 1}, {13, 0}, {0, 43}},
		},
		2: neon,
		3: simd,
		4: simdNEON,
		5: simdLane,
	},
	Streams: 16,
	Near:    [levels]LineCosts{{260, 240}, {56, 90}, {980, 1200}},
	Far:     [levels]LineCosts{{340, 410}, {360, 160}, {2700, 7800}},
	NTLine:  960,
	NTPart:  11000,
}
