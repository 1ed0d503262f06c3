package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// conversion returns a conversion with at least one loop. `permuted` says how the source is
// ordered: its loop i is the loop permuted[i] of a packed array of the extents, with every step-th
// element of the innermost axis. The destination is packed, and has a gap of so many elements
// behind each iteration of the innermost loop but one.
func conversion(from, to program.ElementType, extents, permuted []int64, step, gap int64, paramLoop int) plan.Problem {
	p := plan.Problem{Nest: nest.Nest{Width: int32(from.Size()), Rank: int32(len(extents))}}
	p.Cast = plan.Cast{Src: from, Dst: to}
	src, dst := from.Size()*max(step, -step), to.Size()
	for i := len(extents) - 1; i >= 0; i-- {
		d := &p.Nest.Dims[i]
		d.Extent, d.Dst = extents[i], dst
		if dst *= extents[i]; i == len(extents)-1 {
			dst += gap * to.Size()
		}
		q := permuted[i]
		p.Nest.Dims[q].Src = src
		src *= extents[q]
	}
	if paramLoop >= 0 {
		p.Nest.Dims[paramLoop].Param = 1
	}
	if step < 0 {
		p.Nest.Dims[permuted[len(extents)-1]].Src *= -1
	}
	return p
}

// slowly calls f for each element of a nest, with its places in the source and in the destination,
// and with the iteration of the loop that has values of its own.
func slowly(p *plan.Problem, loop int, src, dst, value int64, f func(src, dst, value int64)) {
	if loop == int(p.Nest.Rank) {
		f(src, dst, value)
		return
	}
	for i := range p.Nest.Dims[loop].Extent {
		if p.Nest.Dims[loop].Param != 0 {
			value = i
		}
		d := &p.Nest.Dims[loop]
		slowly(p, loop+1, src+i*d.Src, dst+i*d.Dst, value, f)
	}
}

// numberAt and putNumber read and store the numbers of the types that the tests here convert.
func numberAt(t program.ElementType, b []byte) float32 {
	switch t {
	case program.Uint8:
		return float32(b[0])
	case program.Int16:
		return float32(int16(binary.NativeEndian.Uint16(b)))
	}
	return math.Float32frombits(binary.NativeEndian.Uint32(b))
}

func putNumber(t program.ElementType, b []byte, y float32) {
	switch t {
	case program.Uint8:
		b[0] = uint8(math.RoundToEven(float64(min(max(y, 0), 255))))
	case program.Int16:
		binary.NativeEndian.PutUint16(b, uint16(int16(math.RoundToEven(float64(min(max(y, -32768), 32767))))))
	default:
		binary.NativeEndian.PutUint32(b, math.Float32bits(y))
	}
}

// conversionMemory returns a source with small numbers for a conversion, a destination, and what it
// must become.
func conversionMemory(p *plan.Problem, v Values) (src []byte, from unsafe.Pointer, dst, want []byte) {
	var low, high, end int64
	slowly(p, 0, 0, 0, 0, func(s, d, _ int64) {
		low, high, end = min(low, s), max(high, s+p.Cast.Src.Size()), max(end, d+p.Cast.Dst.Size())
	})
	src, dst = make([]byte, high-low), bytes.Repeat([]byte{0xa5}, int(end))
	for i := int64(0); i+p.Cast.Src.Size() <= int64(len(src)); i += p.Cast.Src.Size() {
		putNumber(p.Cast.Src, src[i:], float32(i*7%251))
	}
	want = bytes.Clone(dst)
	slowly(p, 0, -low, 0, 0, func(s, d, value int64) {
		scale, bias := v.Scale[value%int64(len(v.Scale))], v.Bias[value%int64(len(v.Bias))]
		putNumber(p.Cast.Dst, want[d:], float32(numberAt(p.Cast.Src, src[s:])*scale)+bias)
	})
	return src, unsafe.Pointer(&src[-low]), dst, want
}

// valuesOf returns values for the loop that has some of its own.
func valuesOf(p *plan.Problem) Values {
	v := Values{Scale: []float32{0.5}, Bias: []float32{3}}
	if paramLoop := p.Nest.ParamLoop(); paramLoop >= 0 {
		v.Bias = nil
		for i := range p.Nest.Dims[paramLoop].Extent {
			v.Bias = append(v.Bias, float32(i%17))
		}
	}
	return v
}

// Every candidate of a conversion writes what a plain loop writes, and nothing between its
// elements. Each can be named.
func TestEveryCandidateOfAConversion(t *testing.T) {
	var named func(p plan.Problem)
	seen, streams := map[string]bool{}, false
	named = func(p plan.Problem) {
		v := valuesOf(&p)
		_, from, fresh, want := conversionMemory(&p, v)
		usual := p
		require.NoError(t, Configure(&usual, &Settings{}))
		for _, k := range Kernels() {
			if !k.Usable {
				continue
			}
			among := p
			require.NoError(t, Configure(&among, &Settings{Kernel: k.Name}))
			for _, c := range host(&among).EveryWay(&among) {
				s := Settings{Kernel: k.Name, Candidate: c.String()}
				e, err := EntryOf(&among, &s)
				require.NoError(t, err, c)
				require.True(t, e.Upcoming().SameWay(c), "%s is %s", c, e.Upcoming())
				dst := bytes.Clone(fresh)
				require.NoError(t, e.Run(context.Background(), unsafe.Pointer(&dst[0]), from, &v, true))
				require.True(t, bytes.Equal(want, dst), "%s of %+v", c, p)
				seen[c.Cutting.String()+c.Stages.String()] = true
				seen["nt "+c.Stages.String()] = seen["nt "+c.Stages.String()] || c.NonTemporal
				streams = streams || c.Kernel.CallsC() && program.Sets[c.Kernel].NonTemporal
			}
		}
	}
	rng := rand.New(rand.NewPCG(64, 2))
	types := []program.ElementType{program.Uint8, program.Int16, program.Float32}
	for _, from := range types {
		for _, to := range types {
			named(conversion(from, to, []int64{40, 33, 31}, []int64{0, 2, 1}, 1, 0, rng.IntN(4)-1))
			named(conversion(from, to, []int64{3, 23, 301}, []int64{1, 2, 0}, 1, 0, 0))
			named(conversion(from, to, []int64{53, 701}, []int64{0, 1}, -2, 5, -1))
			named(conversion(from, to, []int64{53, 704}, []int64{0, 1}, 2, 0, -1))
			named(conversion(from, to, []int64{2, 30011}, []int64{1, 0}, 1, 0, 0))
			named(conversion(from, to, []int64{23, 3, 320}, []int64{1, 0, 2}, 1, 0, 1)) // rows of lines
			named(conversion(from, to, []int64{3, 3, 336}, []int64{1, 0, 2}, 1, 0, 1))  // rows of whole periods
		}
	}
	for _, name := range []string{"convert", "slice convert", "convert slice", "slice convert slice", " longslice convert", " bandsslice convert"} {
		assert.True(t, seen[name], "%s of %v", name, seen)
	}
	assert.Equal(t, streams, seen["nt convert windows"])
	assert.Equal(t, streams, seen["nt convert"])
}

// listed returns the ways to run p that are compared.
func listed(p *plan.Problem) []plan.Candidate {
	var (
		pieces plan.Pieces
		made   program.Draft
	)
	return host(p).OtherWays(p, host(p).Ways(p, &pieces, &made))
}

// A conversion writes upwards: loops of a destination that goes down or stays are refused.
func TestConversionsWriteUpwards(t *testing.T) {
	for _, made := range []int64{0, 4096} {
		for _, step := range []int64{-200, 0} {
			p := conversion(program.Uint8, program.Float32, []int64{40, 50}, []int64{1, 0}, 1, 0, -1)
			p.Nest.Dims[0].Dst, p.Pitch = step, made
			require.ErrorIs(t, Configure(&p, &Settings{}), errDescends)
		}
	}
}

// A conversion settles for the fastest of its ways, and its candidates have the times.
func TestConversionsLearn(t *testing.T) {
	learningFrom(t, 0)
	p := conversion(program.Uint8, program.Float32, []int64{3, 100, 150}, []int64{1, 2, 0}, 1, 0, -1)
	v := valuesOf(&p)
	_, from, dst, want := conversionMemory(&p, v)
	require.NoError(t, Configure(&p, &Settings{}))
	first, err := EntryOf(&p, &Settings{})
	require.NoError(t, err)
	require.Greater(t, len(waysIn(first)), 1)
	require.LessOrEqual(t, len(waysIn(first)), plan.MaxStaged)
	for i := range waysIn(first) {
		Forget()
		e, err := EntryOf(&p, &Settings{})
		require.NoError(t, err)
		best := waysIn(e)[i]
		name := best.String()
		setClock(t, e, 1, fastest(best))
		for runs := 0; e.settled.Load() == nil; runs++ {
			require.Less(t, runs, 10_000)
			clear(dst)
			require.NoError(t, e.Run(context.Background(), unsafe.Pointer(&dst[0]), from, &v, true))
			require.True(t, bytes.Equal(want, dst))
		}
		assert.Equal(t, name, e.Upcoming().String())
		all, measured, _ := e.Candidates()
		assert.Equal(t, len(waysIn(first)), measured)
		assert.Equal(t, name, all[0].String())
	}
}

// copied is a Source that copies rows.
type copied struct {
	rows  []byte
	pitch int64
}

func (c *copied) Make(dst unsafe.Pointer, first, count int64) {
	copy(unsafe.Slice((*byte)(dst), count*c.pitch), c.rows[first*c.pitch:])
}

// A conversion or a slice of rows that are made while it runs stores what it stores if they lie in
// memory, by every candidate, on one goroutine and on several, and allocates nothing.
func TestRowsThatAreMade(t *testing.T) {
	seen := map[string]bool{}
	const width, pitch = 512, 3*512 + 36
	for _, height := range []int64{1, 2, 1301} {
		for i := range 4 {
			planes, to, size := i%2 == 0, program.Float32, int64(4)
			if i >= 2 {
				to, size = program.Opaque, 1
			}
			p := plan.Problem{Nest: nest.Nest{Rank: 3, Width: 1}, Pitch: pitch}
			p.Cast = plan.Cast{Src: program.Uint8, Dst: to}
			p.Nest.Dims[0] = nest.Dim{Extent: height, Src: pitch, Dst: size * 3 * width}
			p.Nest.Dims[1] = nest.Dim{Extent: width, Src: -1, Dst: size * 3}
			p.Nest.Dims[2] = nest.Dim{Extent: 3, Src: width, Dst: size, Param: 1}
			if planes {
				p.Nest.Dims[0].Dst, p.Nest.Dims[1].Dst, p.Nest.Dims[2].Dst = size*width, size, size*width*height
			}
			if height == 1 { // the loops of one iteration are the caller's to leave out
				p.Nest.Dims[0], p.Nest.Dims[1] = p.Nest.Dims[1], p.Nest.Dims[2]
				p.Nest.Rank = 2
			}
			p.Nest.SrcOff = width - 1
			v := valuesOf(&p)
			if to == program.Opaque {
				p.Cast, v = plan.Cast{}, Values{}
				p.Nest.Dims[p.Nest.Rank-1].Param = 0
				nest.Normalize(&p.Nest)
			}
			memory := p
			memory.Pitch, memory.Nest.SrcOff = 0, 0
			source := copied{make([]byte, height*pitch), pitch}
			for i := range source.rows {
				source.rows[i] = byte(i * 7)
			}
			dst, want := make([]byte, 3*size*width*height), make([]byte, 3*size*width*height)
			require.NoError(t, Configure(&memory, &Settings{Kernel: "go", Parallelism: 1}))
			Copy(&memory, unsafe.Pointer(&want[0]), unsafe.Pointer(&source.rows[width-1]), &v, false)
			v.Source = &source
			for _, parallelism := range []int{1, 2} {
				made := p
				require.NoError(t, Configure(&made, &Settings{Parallelism: parallelism}))
				for _, c := range host(&made).EveryWay(&made) {
					e, err := EntryOf(&made, &Settings{Candidate: c.String()})
					require.NoError(t, err)
					clear(dst)
					require.NoError(t, e.Run(context.Background(), unsafe.Pointer(&dst[0]), nil, &v, true))
					require.True(t, bytes.Equal(want, dst), "%s, %d rows", c, height)
					seen[c.Stages.String()+c.Cutting.String()] = true
				}
			}
			if height > 2 {
				require.NoError(t, Configure(&p, &Settings{}))
				w := p
				w.Fixed, w.Stores = false, plan.Stores{Cached: true, NonTemporal: true}
				ways := listed(&w)
				for _, c := range ways {
					nt := c.NonTemporal && c.Stages == ways[0].Stages
					assert.True(t, !nt && c.NonTemporal || slices.ContainsFunc(ways, func(longer plan.Candidate) bool {
						return longer.Stages == ways[0].Stages && longer.NonTemporal == nt && longer.Parts == plan.LongBands
					}), "%v", ways)
				}
			}
			if !Race {
				require.NoError(t, Configure(&p, &Settings{Parallelism: 1, Fixed: true}))
				e, err := EntryOf(&p, &Settings{Fixed: true})
				require.NoError(t, err)
				assert.Zero(t, testing.AllocsPerRun(10, func() {
					_ = e.Run(context.Background(), unsafe.Pointer(&dst[0]), nil, &v, true)
				}))
			}
		}
	}
	assert.True(t, seen["slice"] && seen["slice long bands"] && seen["convert long bands"], "%v", seen)
}

// The rows of a slice that moves no element are made where they are stored.
func TestRowsThatAreMadeInPlace(t *testing.T) {
	const height, width, pitch = 301, 1200, 1300
	p := plan.Problem{Nest: nest.Nest{Rank: 2, Width: 1}, Pitch: pitch, InPlace: true}
	p.Nest.Dims[0] = nest.Dim{Extent: height, Src: pitch, Dst: pitch}
	p.Nest.Dims[1] = nest.Dim{Extent: width, Src: 1, Dst: 1}
	require.NoError(t, Configure(&p, &Settings{}))
	e, err := EntryOf(&p, &Settings{})
	require.NoError(t, err)
	dst := make([]byte, height*pitch)
	rows := addresses{dst: unsafe.Pointer(&dst[0])}
	require.NoError(t, e.Run(context.Background(), rows.dst, nil, &Values{Source: &rows}, false))
	assert.Equal(t, int64(height), rows.count)
}

// Several goroutines make a small result of many bytes, in bands that leave two for each of them.
func TestBandsOfRowsThatAreMade(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	const height, width, pitch = 224, 224, 225
	for _, c := range []struct{ parallelism, workers, band int }{{1, 1, 0}, {2, 2, 50}, {3, 3, 37}} {
		p := plan.Problem{Nest: nest.Nest{Rank: 2, Width: 1}, Pitch: pitch, RowsAtOnce: 50, BytesRead: 1 << 25}
		p.Nest.Dims[0] = nest.Dim{Extent: height, Src: pitch, Dst: width}
		p.Nest.Dims[1] = nest.Dim{Extent: width, Src: 1, Dst: 1}
		require.NoError(t, Configure(&p, &Settings{Parallelism: c.parallelism}))
		if runtime.GOMAXPROCS(0) == 1 { // in a wasm program
			c.workers, c.band = 1, 0
		}
		assert.EqualValues(t, c.workers, p.Workers)
		assert.EqualValues(t, c.band, p.RowsAtOnce)
	}
}

// addresses is a Source that counts rows, and panics if one is not made at its place behind dst.
type addresses struct {
	dst   unsafe.Pointer
	count int64
}

func (a *addresses) Make(dst unsafe.Pointer, first, count int64) {
	if first != a.count || dst != unsafe.Add(a.dst, first*1300) {
		panic("a row that is made elsewhere")
	}
	a.count += count
}
