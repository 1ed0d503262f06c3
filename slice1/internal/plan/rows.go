package plan

import "math"

// neon is what the loops of NEON take by the models of Neoverse V1 and N2 in llvm-mca 19, at
// 2.8 GHz, for every row.
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
	Every:      [4]int64{400, 400, 380, 380},
	Tail:       900,
	TailOf:     400,
	Units:      700,
	Unit:       250,
	UnitOf:     250,
	Alone:      1500,
	AloneOf:    450,
}

// simd is what the loops in Go's vectors take, for every row: estimates from what AVX2 takes,
// from the table that `go -C bench run . -kernels simd,avx2` prints on Zen 4, and, for what
// package portable runs, from what plain Go takes.
var simd = SetCosts{
	Call:       6000,
	Row:        300,
	Next:       3000,
	Outer:      7134,
	CopyRow:    300,
	Copied:     400,
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
	Every:      [4]int64{720, 720, 720, 720},
	Tail:       1500,
	TailOf:     1100,
	Units:      1500,
	Unit:       300,
	UnitOf:     300,
	Alone:      3500,
	AloneOf:    700,
	Lines:      [levels]LineCosts{{17, 0}, {12, 6}, {22, 291}},
}

// zen4 is the row that command calibrate fitted to what slices took on a virtual machine of two
// cores with 1 MiB of second-level and 32 MiB of third-level cache, with Go 1.26 and gcc 12. The
// costs of fills are estimates, since few slices are fills.
var zen4 = Costs{
	Name:    "zen4",
	Storing: Short,
	Make:    722000,
	Find:    1940000,
	Go: GoCosts{
		Start:      7603,
		Block:      8208,
		Row:        202,
		Copied:     322,
		Long:       5153,
		Bulk:       139,
		WordRow:    2818,
		Reversed:   [4]int64{36, 170, 172, 0},
		Packed:     [4]int64{243, 142, 187, 0},
		ElementRow: 5113,
		Element:    [4]int64{189, 224, 188, 211},
		Tile:       15573,
		Turned:     [4]int64{239, 388, 632, 238},
		Units:      1451,
		List:       1603,
		Again:      3746,
		Unit:       292,
		Move:       311,
		Lines:      [levels]LineCosts{{29, 9}, {0, 44}, {0, 0}},
	},
	Sets: [4]SetCosts{
		0: {
			Call:       38590,
			Row:        111,
			Next:       737,
			Outer:      7134,
			Copied:     349,
			FillRow:    1500,
			Filled:     236,
			GatherRow:  807,
			Gathered:   [4]int64{262, 343, 137, 135},
			GatheredNT: 79,
			ElementRow: 1533,
			Element:    [4]int64{234, 273, 243, 253},
			Strip:      1611,
			Tile:       [4]int64{13493, 3688, 1332, 458},
			Tile2:      [4]int64{17023, 8063, 2541, 1652},
			TileApart:  [4]int64{188949, 23949, 6753, 1697},
			Few:        [4]int64{30238, 13885, 6340, 0},
			FewApart:   [4]int64{44005, 19234, 11339, 0},
			TileNT:     [4]int64{10618, 0, 0, 129},
			Main:       724,
			Lanes:      171,
			LanesOf:    443,
			Merged:     122,
			MergedOf:   203,
			Cross:      65,
			Ragged:     62,
			Every:      [4]int64{706, 622, 843, 667},
			Tail:       1052,
			TailOf:     1066,
			Units:      239,
			Unit:       182,
			UnitOf:     231,
			Alone:      2601,
			AloneOf:    689,
			Lines:      [levels]LineCosts{{17, 0}, {12, 6}, {22, 291}},
		},
		1: {
			Call:       38590,
			Next:       3131,
			Outer:      6089,
			Copied:     904,
			FillRow:    1500,
			Filled:     415,
			GatherRow:  1756,
			Gathered:   [4]int64{204, 201, 136, 138},
			GatheredNT: 127,
			ElementRow: 767,
			Element:    [4]int64{211, 244, 248, 259},
			Strip:      978,
			Tile:       [4]int64{12277, 4870, 1620, 348},
			Tile2:      [4]int64{13991, 8755, 3696, 1364},
			TileApart:  [4]int64{185778, 26344, 6499, 1996},
			Few:        [4]int64{29179, 16317, 6962, 0},
			FewApart:   [4]int64{29843, 20537, 10920, 0},
			TileNT:     [4]int64{13015, 0, 0, 321},
			Main:       717,
			Lanes:      392,
			LanesOf:    404,
			Ragged:     63,
			TailOf:     700,
			Units:      747,
			Unit:       505,
			UnitOf:     355,
			Spread:     263,
			SpreadOf:   444,
			Lines:      [levels]LineCosts{{26, 4}, {17, 0}, {13, 251}},
		},
		2: neon,
		3: simd,
	},
	Streams: 16,
	Near:    [levels]LineCosts{{232, 245}, {93, 90}, {1313, 198}},
	Far:     [levels]LineCosts{{343, 378}, {340, 117}, {2419, 5960}},
	NTLine:  1154,
	NTPart:  12888,
}

// rows are those of the known microarchitectures, the generic one first. Only Zen 4's is
// measured. The others are that row times factors, which are estimates for what differs by the
// manufacturers' own descriptions.
var rows = [...]Costs{generic(), zen4, zen5(), sapphireRapids(), neoverse()}

// generic returns the row of unknown processors. It lies between those of Zen 4 and of Sapphire
// Rapids.
func generic() Costs {
	c := likeZen4("generic", Far, 1)
	c.Sets[0].Every = deinterleaved
	masked := &c.Sets[1]
	multiply(1.1, &masked.Lanes, &masked.LanesOf, &masked.TailOf, &masked.UnitOf, &masked.SpreadOf)
	c.fartherLines(1.4, 1.2)
	multiply(1.3, &c.NTLine)
	return c
}

// zen5 returns the row of Zen 5. Its clock is faster. Its loads, stores and shuffles are 64 bytes
// wide, where Zen 4 makes a vector of AVX-512 in two halves.
func zen5() Costs {
	c := likeZen4("zen5", Near, .8)
	whole := &c.Sets[1]
	multiply(.6, &whole.Copied, &whole.Lanes)
	multiply(.7, &whole.LanesOf, &whole.Unit)
	multiply(.8, &whole.UnitOf, &whole.Spread, &whole.SpreadOf)
	return c
}

// sapphireRapids returns the row of Sapphire Rapids and later processors of Intel.
func sapphireRapids() Costs {
	c := likeZen4("sapphirerapids", Far, 1.05) // a slower clock
	c.Sets[0].Every = deinterleaved
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

// neoverse returns the row of processors with NEON, on which Go takes a tenth longer. Tests plan by
// every row for all sets, and so it has Zen 4's costs of the others.
func neoverse() Costs {
	c := likeZen4("neoverse", Far, 1.1)
	c.Sets = zen4.Sets
	return c
}

// deinterleaved is what a vector of every second, third or fourth element takes on other processors
// than Zen 4. It is an estimate: on Zen 4 such a vector is faster by merged windows.
var deinterleaved = [4]int64{430, 430, 430, 430}

// likeZen4 returns Zen 4's row times a factor, by another name and with other prefetches. Those of
// NEON and of Go's vectors stay the same. The factor also applies to Streams, of which nothing is known.
func likeZen4(name string, storing Storing, factor float64) Costs {
	c := zen4
	c.Name, c.Storing = name, storing
	all := c.Quantities()
	for i, v := range all {
		all[i] = int64(math.RoundToEven(float64(v) * factor))
	}
	c.Sets[2], c.Sets[3] = neon, simd
	return c
}

// fartherLines multiplies what lines of the third-level cache and of memory take.
func (c *Costs) fartherLines(l3, memory float64) {
	for _, lines := range [...]*[levels]LineCosts{&c.Near, &c.Far} {
		multiply(l3, &lines[levelL3].Load, &lines[levelL3].Store)
		multiply(memory, &lines[levelMemory].Load, &lines[levelMemory].Store)
	}
}

// multiply multiplies quantities by a factor and drops fractions.
func multiply(factor float64, quantities ...*int64) {
	for _, q := range quantities {
		*q = int64(float64(*q) * factor)
	}
}
