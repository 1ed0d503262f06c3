package plan

// costs is the one table for all processors. Command calibrate fitted Go, AVX2 and AVX-512 to 2,150
// slices that take less than 6 microseconds, of a Zen 3 without AVX-512 and a Zen 5 whose times
// were multiplied by 1.4 for its clock, and the lines to slices of all sizes; both were virtual
// machines of two cores with Go 1.26 and gcc 12. Bulk was fitted to a Xeon with AMX-FP16 too;
// Choice is the mean of what List takes there among Go, AVX2 and AVX-512.
var costs = Costs{
	Choice: 3_000_000,
	Go: GoCosts{
		Start:    7000,
		Block:    6100,
		Row:      4200,
		Copied:   430,
		Bulk:     130,
		Reversed: [4]int64{30, 100, 92, 0},
		Packed:   [4]int64{200, 180, 180, 0},
		Element:  [4]int64{220, 250, 240, 240},
		Turned:   [4]int64{210, 450, 420, 590},
		Listed:   2200,
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
			Window:    540,
			Merged:    300,
			Tail:      1400,
			Unit:      490,
		},
		1: {
			Call:   39_000,
			Row:    1300,
			Copied: 540,
			Window: 500,
			Tail:   1200,
			Unit:   730,
		},
		2: neon,
		3: simd,
		4: simdNEON,
		5: simdLane,
	},
	Line: 250,
}

// neon holds the costs of the loops of NEON. They are estimates, most of them by the models of
// Neoverse V1 and N2 in llvm-mca 19, at 2.8 GHz.
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

// simd, simdLane and simdNEON hold the costs of the loops in Go's vectors on amd64, wasm and arm64.
// They are estimates. Those for amd64 and wasm are plain Go's costs times what these loops took,
// compared with plain Go, on a Xeon with AVX-512 and there under node. A window on arm64 has about
// the instructions of two elements of plain Go.
var (
	simd = SetCosts{
		Call:    6000,
		Row:     1500,
		Copied:  450,
		Element: [4]int64{450, 430, 380, 400},
		Strip:   3000,
		Tile:    [4]int64{27_000, 8000, 2600, 0},
		Window:  600,
		Merged:  360,
		Tail:    1300,
		Unit:    1000,
	}
	simdLane = SetCosts{
		Call:    8000,
		Row:     1500,
		Copied:  250,
		Element: [4]int64{450, 430, 380, 400},
		Strip:   3000,
		Tile:    [4]int64{10_500, 4000, 1500, 0},
		Window:  300,
		Tail:    1300,
		Unit:    500,
	}
	simdNEON = func() SetCosts {
		c := simdLane
		c.Window, c.Unit = 400, 800
		return c
	}()
)
