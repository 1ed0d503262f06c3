package plan

// costs is the one table for all processors. Command calibrate fitted Go, AVX2 and AVX-512 to 2,150 slices that take less
// than 6 microseconds, of a Zen 3 without AVX-512 and a Zen 5 whose times were multiplied by 1.4 for its clock, and the lines to
// slices of all sizes; both were virtual machines of two cores with Go 1.26 and gcc 12. Make was measured on a Zen 4.
var costs = Costs{
	Make: [3]int64{720_000, 2_700_000, 2200},
	Go: GoCosts{
		Start:    7000,
		Block:    6100,
		Row:      4200,
		Copied:   430,
		Bulk:     180,
		Reversed: [4]int64{30, 100, 92, 0},
		Packed:   [4]int64{200, 180, 180, 0},
		Element:  [4]int64{220, 250, 240, 240},
		Turned:   [4]int64{210, 450, 420, 590},
		Unit:     300,
		Move:     220,
	},
	Sets: [6]SetCosts{
		0: {
			Call:      38_000,
			Row:       1600,
			Copied:    450,
			Gathered:  [4]int64{280, 250, 190, 240},
			Element:   [4]int64{240, 240, 250, 260},
			Strip:     890,
			Tile:      [4]int64{17_000, 5000, 3100, 1100},
			TileApart: [4]int64{140_000, 31_000, 9400, 2900},
			Few:       [4]int64{40_000, 19_000, 7700, 0},
			Window:    540,
			Merged:    300,
			Tail:      1400,
			Unit:      490,
		},
		1: {
			Call:      39_000,
			Row:       1300,
			Copied:    540,
			Gathered:  [4]int64{280, 210, 160, 220},
			Element:   [4]int64{280, 280, 280, 250},
			Strip:     760,
			Tile:      [4]int64{12_000, 5400, 1800, 860},
			TileApart: [4]int64{140_000, 29_000, 8900, 2700},
			Few:       [4]int64{30_000, 15_000, 7300, 0},
			Window:    500,
			Tail:      1200,
			Unit:      730,
		},
		2: neon,
		3: simd,
		4: simdNEON,
		5: simdLane,
	},
	Near:   [levels]int64{230, 220, 980},
	Far:    [levels]int64{330, 390, 920},
	NTLine: 1400,
}

// neon holds the costs of the loops of NEON. They are estimates, most of them by the models of Neoverse V1
// and N2 in llvm-mca 19, at 2.8 GHz.
var neon = SetCosts{
	Call:      39_000,
	Row:       800,
	Copied:    330,
	Gathered:  [4]int64{230, 240, 220, 220},
	Element:   [4]int64{360, 360, 360, 360},
	Strip:     900,
	Tile:      [4]int64{10_000, 4300, 1600, 600},
	TileApart: [4]int64{46_000, 11_000, 2900, 720},
	Window:    200,
	Merged:    170,
	Tail:      900,
	Unit:      400,
}

// simd holds the costs of the loops in Go's vectors on amd64. They are estimates from three things: what AVX2
// takes, what tables of package bench show of both on Zen 4, and, where package vector leaves a loop to
// package portable, what plain Go takes.
var simd = SetCosts{
	Call:      6000,
	Row:       1500,
	Copied:    360,
	Gathered:  [4]int64{260, 240, 200, 220},
	Element:   [4]int64{260, 240, 210, 230},
	Strip:     3000,
	Tile:      [4]int64{21_000, 6000, 2000, 750},
	TileApart: [4]int64{190_000, 130_000, 90_000, 20_000},
	Few:       [4]int64{50_000, 25_000, 12_000, 0},
	Window:    480,
	Merged:    230,
	Tail:      1300,
	Unit:      450,
}

// simdLane holds the costs of the loops in Go's vectors on wasm. They are estimates from simd. A vector has one
// lane there, and two in simd. The row of a tile also has half the bytes.
var simdLane = func() SetCosts {
	c := simd
	c.Row, c.Copied, c.Window = 1500, 250, 300
	for log := range 4 {
		c.Tile[log] /= 2
		c.TileApart[log] /= 2
	}
	return c
}()

// simdNEON holds the costs of the loops in Go's vectors on arm64. Those that are set here are estimates of 60 ps
// for each instruction of a loop, about what an instruction of plain Go's loops takes. The others are simdLane's.
var simdNEON = func() SetCosts {
	c := simdLane
	c.Call, c.Row, c.Copied = 12_000, 800, 60
	c.Gathered, c.Element = [4]int64{140, 140, 130, 130}, [4]int64{180, 160, 190, 200}
	c.Tile = [4]int64{8700, 4700, 1900, 1500}
	c.Window, c.Merged, c.Unit = 260, 250, 420
	return c
}()
