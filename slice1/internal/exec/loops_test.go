package exec

import (
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/csrc"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// buffer is how many bytes a nest may span on either side: both fit a second-level cache.
const buffer = 1 << 17

// listed returns the names of a list in layout.h, such as copy in PLAIN(copy) and lanes_1 in
// VARIANT(lanes, 1).
func listed(t testing.TB, list string) (names []string) {
	layout, err := os.ReadFile("../../../csrc/layout.h")
	require.NoError(t, err)
	line := regexp.MustCompile(`#define S1_` + list + `\([^)]*\)(.*)`).FindStringSubmatch(string(layout))
	require.NotNil(t, line, list)
	for _, m := range regexp.MustCompile(`\w+\((\w+)(?:, (\d+))?\)`).FindAllStringSubmatch(line[1], -1) {
		if m[2] != "" {
			m[1] += "_" + m[2]
		}
		names = append(names, m[1])
	}
	return names
}

// loopsOf returns the names of the loops of a set, as the program of a profile has them, and for
// each a program that copies 4 to 32 KiB: of random nests, the first that runs by the loop. Its
// source and its destination begin in the middle of two buffers.
func loopsOf(t testing.TB, set int32) (names []string, programs map[string]*program.Draft, bytes map[string]int64) {
	forms, host := listed(t, "EACH_FORM"), *plan.ThisHost()
	host.Strings = true // processors that copy strings slowly have their loop, too
	programs, bytes = map[string]*program.Draft{}, map[string]int64{}
	rng := rand.New(rand.NewPCG(83, 1))
	loops := listed(t, "LOOPS_"+program.Sets[set].Name)
	for tries := 0; len(programs) < len(loops) && tries < 50_000; tries++ {
		n := randomNest(rng)
		srcBegin, srcEnd, dstBegin, dstEnd := nest.Span(&n)
		if size := nest.Bytes(&n); size < buffer/32 || size > buffer/4 || min(srcBegin, dstBegin) < -buffer || max(srcEnd, dstEnd) > buffer {
			continue
		}
		problem := &plan.Problem{Kernels: plan.OneKernel(plan.Kernel(set)), Stores: plan.Stores{Cached: true}}
		for _, c := range host.Candidates(&n, 1, problem) {
			p := new(program.Draft)
			if !host.Make(p, &n, c) || p.Set != set {
				continue
			}
			form := program.FormOf(p.Loop)
			name := forms[form]
			if first, _ := program.Loop(set, form, 0); p.Loop != first {
				name += "_" + strconv.Itoa(int(p.Loop-first))
			}
			if programs[name] == nil {
				programs[name], bytes[name] = p, nest.Bytes(&n)
			}
		}
	}
	return loops, programs, bytes
}

// randomNest returns a nest in normal form whose elements lie in the middle of a buffer's reach: a
// row of channels, of every few elements or of a view turned around, in up to two loops.
func randomNest(rng *rand.Rand) nest.Nest {
	w := int64(1) << rng.IntN(4)
	n := nest.Nest{Width: int32(w)}
	span := w
	add := func(extent, src int64) {
		if extent > 1 {
			copy(n.Dims[1:], n.Dims[:n.Rank])
			n.Dims[0] = nest.Dim{Extent: extent, Src: src, Dst: span}
			n.Rank++
			span *= extent
		}
	}
	if rng.IntN(2) == 0 {
		add(1+rng.Int64N(8), w*[]int64{1, -1, 1, 2, 40, rng.Int64N(64)}[rng.IntN(6)])
	}
	add(1+rng.Int64N(600), w*[]int64{1, -1, 2, 3, 4, 1 + rng.Int64N(16), 61, rng.Int64N(400)}[rng.IntN(8)])
	add(1+rng.Int64N(buffer/4/span+1), w*[]int64{1, 1, 500, rng.Int64N(900), span / w}[rng.IntN(5)])
	if rng.IntN(4) == 0 {
		span += w * rng.Int64N(3)
	}
	add(1+rng.Int64N(8), w*rng.Int64N(3000))
	nest.Normalize(&n)
	return n
}

// BenchmarkLoops runs each loop of the sets that the processor has: the forms of loops by a program
// each, and the passes of resampling over rows of 1,024 pixels.
func BenchmarkLoops(b *testing.B) {
	dst, src := make([]uint8, 2*buffer), make([]uint8, 2*buffer)
	for set := range int32(len(program.Sets)) {
		if k := plan.Kernel(set); !program.InC(set) || !k.Built() || k.Lacks(cpuid.Host()) != "" {
			continue
		}
		prefix := program.Sets[set].Name + "_"
		names, programs, bytes := loopsOf(b, set)
		for _, name := range names {
			b.Run(prefix+name, func(b *testing.B) {
				p := programs[name]
				if p == nil {
					b.Skip("no nest at random runs by it")
				}
				b.SetBytes(bytes[name])
				for b.Loop() {
					csrc.Slice(set, unsafe.Pointer(p), unsafe.Pointer(&dst[buffer]), unsafe.Pointer(&src[buffer]))
				}
			})
		}
		benchmarkPasses(b, set, prefix, dst, src)
	}
}

// benchmarkPasses runs each pass of resampling that a set has, with weights of 0.
func benchmarkPasses(b *testing.B, set int32, prefix string, dst, src []uint8) {
	const pixels = 1024
	weights, rows := make([]uint8, buffer), [...]int64{0, buffer / 2, buffer, 3 * buffer / 2}
	var first, packed [4 * pixels]int32
	for i := range first {
		first[i], packed[i] = int32(i), int32(8*3*i) // as place_of of csrc/resample.h has it
	}
	var to, from [4][]uint8
	for i, at := range rows {
		to[i], from[i] = dst[at:][:buffer/2], src[at:][:buffer/2]
	}
	list := append([]int64{int64(len(rows))}, rows[:]...)
	weakest := set == program.Sets[set].Kernel[0] // which has all passes but those for VNNI
	has := func(vnni bool) bool {
		return !vnni && weakest || vnni && program.Sets[set].Weighs != "" && cpuid.Host().Has(program.Sets[set].Weighs)
	}
	for i, name := range listed(b, "EACH_COLUMNS") {
		pass, at := program.Pass(i), first[:]
		if !has(pass >= program.WeighQuads) {
			continue
		}
		if pass == program.WeighColumns3 || pass == program.SumColumns3 || pass == program.PickColumns3 || pass == program.WeighRuns || pass == program.ZipRuns {
			at = packed[:]
		}
		b.Run(prefix+name, func(b *testing.B) {
			b.SetBytes(4 * pixels)
			for b.Loop() {
				Columns(set, &program.ColumnPass{Pass: pass, AtOnce: 4, N: pixels, Groups: 2}, at, weights, to[:], from[:])
			}
		})
	}
	for i, name := range listed(b, "EACH_ROWS") {
		pass := program.Pass(i)
		if !has(pass >= program.WeighFours) {
			continue
		}
		b.Run(prefix+name, func(b *testing.B) {
			b.SetBytes(4 * pixels)
			for b.Loop() {
				Rows(set, &program.RowPass{Pass: pass, N: 4 * pixels, Count: 1}, list, weights, dst, &src[0])
			}
		})
	}
}

// Each loop of each set has a benchmark of its name.
func TestEachLoopIsTimed(t *testing.T) {
	for set := range int32(len(program.Sets)) {
		if !program.InC(set) {
			continue
		}
		names, programs, _ := loopsOf(t, set)
		for _, name := range names {
			if programs[name] == nil {
				t.Errorf("%s_%s has no benchmark", program.Sets[set].Name, name)
			}
		}
		require.NotEmpty(t, names)
	}
}
