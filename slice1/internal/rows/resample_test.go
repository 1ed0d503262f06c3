package rows

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/slice1/internal/plan"
	"github.com/seed2e45c115/dml/slice1/internal/program"
	"github.com/seed2e45c115/dml/slice1/internal/vector"
)

var names = map[string]Filter{"bilinear": Bilinear, "bicubic": Bicubic, "lanczos": Lanczos, "box": Box, "hamming": Hamming, "nearest": Nearest, "linear": Linear, "area": Area}

// picture is a source whose rows are all in memory, or are made one at a time.
type picture struct {
	pix                 []uint8
	stride, left, pixel int
	first               int // the number of the first row
	stays               bool
	plan                *Plan
}

func (p *picture) Load(rows [][]uint8, y, first, n int, memory []uint8) {
	first, n = first*p.pixel, n*p.pixel
	for k := range rows {
		made := p.pix[(y+k-p.first)*p.stride+p.left+first:][:n:n]
		switch {
		case p.plan.Pixel() != p.pixel:
			row := made
			made = memory[4*n/3*k:][: 4*n/3 : 4*n/3]
			p.plan.unpack(made, row)
		case !p.stays:
			row := made
			made = memory[k*n:][:n:n]
			copy(made, row)
		}
		rows[k] = made
	}
}

// resampled returns what a plan makes of a picture, in bands of `band` rows.
func resampled(t *testing.T, f Filter, x, y Axis, rowsFirst bool, pixel int, pix []uint8, stride int, stays bool, band int) []uint8 {
	var want []uint8
	for _, set := range sets() {
		got := resampledBy(t, set, f, x, y, rowsFirst, pixel, pix, stride, stays, band)
		if want != nil && !bytes.Equal(want, got) {
			require.FailNow(t, "other bytes", "set %d: filter %d, %+v, %+v, rows first %v, pixels of %d", set, f, x, y, rowsFirst, pixel)
		}
		want = got
	}
	return want
}

// sets returns plain Go, and the sets in C and in Go that this build and this host have.
func sets() []int32 {
	list := []int32{-1}
	for s := range program.Sets {
		if k := plan.Kernel(s); (k.CallsC() || vector.Converts) && k.Built() && k.Lacks(cpuid.Host()) == "" {
			list = append(list, int32(s))
		}
	}
	return list
}

func resampledBy(t *testing.T, set int32, f Filter, x, y Axis, rowsFirst bool, pixel int, pix []uint8, stride int, stays bool, band int) []uint8 {
	p, err := NewPlan(f, x, y, rowsFirst, pixel, stays, set)
	require.NoError(t, err)
	low, _ := p.SourceColumns()
	src := &picture{pix: pix, stride: stride, left: low * pixel, pixel: pixel, stays: stays, plan: p}
	made := p.Pixel()
	width, height := p.Size()
	dst := make([]uint8, width*height*made)
	var w Worker
	w.Open(p)
	for k := 0; k < height; k += band {
		w.Resample(dst[k*width*made:], width*made, k, min(band, height-k), src)
	}
	w.Close()
	return withoutFourth(dst, made, pixel)
}

// withoutFourth returns pixels of `made` bytes, of which those from number `pixel` on are left out.
func withoutFourth(pix []uint8, made, pixel int) []uint8 {
	kept := pix[:0]
	for i := 0; i < len(pix); i += made {
		kept = append(kept, pix[i:][:pixel]...)
	}
	return kept
}

// shrink makes axes that Area takes: the longer side becomes the shorter one.
func shrink(f Filter, axes ...*Axis) {
	for _, a := range axes {
		if f == Area && a.Scaled > a.Size {
			a.Size, a.Scaled, a.End = a.Scaled, a.Size, a.Size
		}
	}
}

// A sample of the cases, with what Pillow 9.4.0 and OpenCV 4.6.0 make of them. RESIZE_CASES names a
// file of others, which testdata/resize/cases.py makes.
func TestPillowAndOpenCV(t *testing.T) {
	names := []string{"../../../testdata/resize/cases.jsonl", "../../../testdata/resize/area.jsonl"}
	if other := os.Getenv("RESIZE_CASES"); other != "" {
		names = []string{other}
	}
	for _, name := range names {
		requireCases(t, name)
	}
}

func requireCases(t *testing.T, name string) {
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	lines, wrong := 0, 0
	for scan := bufio.NewScanner(file); scan.Scan(); lines++ {
		var c struct {
			Width, Height, Channels int
			Kind, Rule, CRC32       string
			Box                     [4]int
			To                      [2]int
		}
		require.NoError(t, json.Unmarshal(scan.Bytes(), &c))
		pixel := c.Channels // of three, in three bytes or in four
		if pixel == 3 && lines/2%2 == 0 {
			pixel = 4
		}
		pix := make([]uint8, c.Width*c.Height*pixel)
		for k := range c.Width * c.Height * c.Channels {
			i := k / c.Channels
			v := 7*(i%c.Width) + 13*(i/c.Width) + 50*(k%c.Channels)
			if c.Kind == "noise" {
				h := uint64(k+1) * 0x9E3779B97F4A7C15
				h ^= h >> 29
				v = int(h * 0x94D049BB133111EB >> 56)
			}
			pix[i*pixel+k%c.Channels] = uint8(v)
		}
		x, y := Axis{Size: c.Box[2] - c.Box[0], Scaled: c.To[0], End: c.To[0]}, Axis{Size: c.Box[3] - c.Box[1], Scaled: c.To[1], End: c.To[1]}
		out := resampled(t, names[c.Rule], x, y, false, pixel, pix[(c.Box[1]*c.Width+c.Box[0])*pixel:], c.Width*pixel, lines%2 == 0, 1+lines%9)
		sum := crc32.NewIEEE()
		for i := 0; i < len(out); i += pixel {
			sum.Write(out[i:][:c.Channels])
		}
		if got := fmt.Sprintf("%08x", sum.Sum32()); got != c.CRC32 {
			wrong++
			t.Logf("%s: %s", scan.Text(), got)
		}
	}
	require.Zero(t, wrong)
	require.NotZero(t, lines)
}

// A part, from either end, in either order of the passes and in any bands, is that part of the
// whole result, mirrored and transposed as the source is.
func TestParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(66, 1))
	side := func() int { return 1 + int(math.Exp2(rng.Float64()*5)) }
	for n := range 400 {
		f, pixel := Filter(n%int(filters)), 1+3*rng.IntN(2)
		x, y := Axis{Size: side(), Scaled: side()}, Axis{Size: side(), Scaled: side()}
		if n%5 == 0 {
			x.Scaled = x.Size
		}
		if n%7 == 0 {
			y.Scaled = y.Size
		}
		shrink(f, &x, &y)
		pix := make([]uint8, x.Size*y.Size*pixel)
		for i := range pix {
			pix[i] = uint8(rng.Uint32())
		}
		x.End, y.End = x.Scaled, y.Scaled
		whole := resampled(t, f, x, y, false, pixel, pix, x.Size*pixel, true, 1)

		flipX, flipY, transposed := rng.IntN(2) == 0, rng.IntN(2) == 0, rng.IntN(2) == 0
		place := func(i, j, w, h int) int { // where pixel (i, j) of an upright picture of w x h is stored
			if flipX {
				i = w - 1 - i
			}
			if flipY {
				j = h - 1 - j
			}
			if transposed {
				return (i*h + j) * pixel
			}
			return (j*w + i) * pixel
		}
		stored, want := make([]uint8, len(pix)), make([]uint8, len(whole))
		for j := range y.Size {
			for i := range x.Size {
				copy(stored[place(i, j, x.Size, y.Size):][:pixel], pix[(j*x.Size+i)*pixel:])
			}
		}
		for j := range y.Scaled {
			for i := range x.Scaled {
				copy(want[place(i, j, x.Scaled, y.Scaled):][:pixel], whole[(j*x.Scaled+i)*pixel:])
			}
		}
		x.Flip, y.Flip = flipX, flipY
		if transposed {
			x, y = y, x
		}
		for _, a := range []*Axis{&x, &y} {
			a.Begin = rng.IntN(a.Scaled)
			a.End = a.Begin + 1 + rng.IntN(a.Scaled-a.Begin)
		}
		got := resampled(t, f, x, y, transposed, pixel, stored, x.Size*pixel, rng.IntN(2) == 0, 1+rng.IntN(9))
		for j := range y.End - y.Begin {
			length := (x.End - x.Begin) * pixel
			require.Equal(t, want[((y.Begin+j)*x.Scaled+x.Begin)*pixel:][:length], got[j*length:][:length], "%d: filter %d, %+v, %+v, transposed %v", n, f, x, y, transposed)
		}
	}
}

func TestHostileSizes(t *testing.T) {
	one := Axis{Size: 1, Scaled: 1, End: 1}
	for text, a := range map[string]Axis{
		"rows: 0 columns of the source: must be 1 to 2147483647":                                               {Size: 0, Scaled: 1, End: 1},
		"rows: -1 columns of the result: must be 1 to 2147483647":                                              {Size: 1, Scaled: -1, End: 1},
		"rows: columns 1 to 1 of 1":                                                                            {Size: 1, Scaled: 1, Begin: 1, End: 1},
		"rows: 2147483647 samples of the result have 2147483647 weights: must be at most 8388608":              {Size: 1, Scaled: math.MaxInt32, End: math.MaxInt32},
		"rows: a sample of the result takes 2000000000 of the source along an axis: must take at most 1048576": {Size: 2e9, Scaled: 1, End: 1},
	} {
		_, err := NewPlan(Lanczos, a, one, false, 4, true, -1)
		require.EqualError(t, err, text)
	}
	_, err := NewPlan(filters, one, one, false, 4, true, -1)
	require.EqualError(t, err, fmt.Sprintf("rows: filter %d: must be 0 to %d", filters, filters-1))
	_, err = NewPlan(Area, Axis{Size: 2, Scaled: 3, End: 3}, one, false, 4, true, -1)
	require.EqualError(t, err, "rows: 3 x 1 pixels of 2 x 1: no side may grow")
	_, err = NewPlan(Area, Axis{Size: 1 << 13, Scaled: 1, End: 1}, Axis{Size: 1 << 12, Scaled: 1, End: 1}, false, 4, true, -1)
	require.EqualError(t, err, "rows: a sample of the result takes 8192 x 4096 of the source: must take at most 16777216")
	for f := range Area {
		wide := resampled(t, f, Axis{Size: 1, Scaled: 1e6, End: 1e6}, one, false, 1, []uint8{77}, 1, true, 1)
		require.Equal(t, bytes.Repeat([]uint8{77}, 1e6), wide)
		end := resampled(t, f, Axis{Size: 2, Scaled: math.MaxInt32, Begin: math.MaxInt32/2 - 2, End: math.MaxInt32/2 + 3}, one, false, 1, []uint8{9, 9}, 2, true, 1)
		require.Equal(t, []uint8{9, 9, 9, 9, 9}, end)
		tall := make([]uint8, 1e5)
		for i := range tall {
			tall[i] = 200
		}
		require.Equal(t, []uint8{200}, resampled(t, f, one, Axis{Size: 1e5, Scaled: 1, End: 1}, false, 1, tall, 1, false, 1))
	}
}

// Sums of Area are made in the order of the upright picture, wherever its samples lie and by every
// kernel: of ten samples that become three, many sums are nearly halves.
func TestMirroredAreas(t *testing.T) {
	rng := rand.New(rand.NewPCG(80, 10))
	const short, long, out = 40, 1000, 12
	for _, alongRows := range []bool{false, true} {
		shrunk, kept := Axis{Size: short, Scaled: out, End: out}, Axis{Size: long, Scaled: long, End: long}
		for _, pixel := range []int{1, 4} {
			for _, transposed := range []bool{false, true} {
				x, y := shrunk, kept
				if alongRows {
					x, y = kept, shrunk
				}
				mirror := func(pix []uint8, width, height int) []uint8 {
					mirrored := make([]uint8, len(pix))
					for i := range width * height {
						column, row := width-1-i%width, i/width
						if alongRows {
							column, row = i%width, height-1-i/width
						}
						copy(mirrored[(row*width+column)*pixel:][:pixel], pix[i*pixel:])
					}
					return mirrored
				}
				pix := make([]uint8, pixel*short*long)
				for i := range pix {
					pix[i] = uint8(rng.Uint32())
				}
				want := resampled(t, Area, x, y, transposed, pixel, pix, x.Size*pixel, true, 7)
				x.Flip, y.Flip = !alongRows, alongRows
				got := resampled(t, Area, x, y, transposed, pixel, mirror(pix, x.Size, y.Size), x.Size*pixel, true, 7)
				require.True(t, bytes.Equal(want, mirror(got, x.Scaled, y.Scaled)), "along rows %v, transposed %v, pixels of %d", alongRows, transposed, pixel)
			}
		}
	}
}

// Sums of as many rows as fit a word, and of one more, of pictures of black and white, by every
// kernel.
func TestMeansOfManySamples(t *testing.T) {
	rng := rand.New(rand.NewPCG(80, 11))
	for _, along := range []int{2, mostWords - 1, mostWords, mostWords + 1, 300} {
		for _, across := range []int{1, 2, 5, 300} {
			for _, pixel := range []int{1, 4} {
				x, y := Axis{Size: 35 * across, Scaled: 35, End: 35}, Axis{Size: 2 * along, Scaled: 2, End: 2}
				pix := make([]uint8, x.Size*y.Size*pixel)
				for i := range pix {
					if pix[i] = 255; i < len(pix)/2 {
						pix[i] = uint8(rng.Uint32())
					}
				}
				got := resampled(t, Area, x, y, false, pixel, pix, x.Size*pixel, true, 2)
				m := model{Area, x, y}
				for i, v := range got {
					want := m.mean(i/pixel%35, i/pixel/35, func(x, y int) int64 { return int64(pix[(y*35*across+x)*pixel+i%pixel]) })
					require.Equal(t, want, int64(v), "%d x %d, pixels of %d", across, along, pixel)
				}
			}
		}
	}
}

// Two products of samples with the high halves of neighbouring weights fit a word.
func TestHalvesOfWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(66, 2))
	for n := range 5000 {
		f := Filter(n % int(Nearest))
		a := Axis{Size: 1 + int(math.Exp2(rng.Float64()*8)), Scaled: 1 + int(math.Exp2(rng.Float64()*8))}
		a.Begin = rng.IntN(a.Scaled)
		a.End = min(a.Scaled, a.Begin+4)
		w, err := a.weights(f, false)
		require.NoError(t, err)
		for i := range w.starts {
			before := 0
			for _, v := range w.weights[i*w.taps:][:w.n[i]] {
				high, low := split(v)
				require.Equal(t, v, int32(int8(high))<<16+int32(int16(low)))
				now := max(int(int8(high)), -int(int8(high)))
				require.LessOrEqual(t, before+now, 128, "%d of %+v", f, a)
				before = now
			}
		}
	}
}

// Goroutines that make bands take few rows twice, unless one band is as long as the rows that it
// takes beside its own.
func TestBands(t *testing.T) {
	for f := range filters {
		for _, y := range []Axis{{Size: 1080, Scaled: 360}, {Size: 3024, Scaled: 224}, {Size: 160, Scaled: 640}, {Size: 500, Scaled: 499}} {
			y.End = y.Scaled
			shrink(f, &y)
			p, err := NewPlan(f, Axis{Size: 100, Scaled: 50, End: 50}, y, false, 4, true, sets()[len(sets())-1])
			require.NoError(t, err)
			own := p.Band() * int64(y.Size) / int64(y.Scaled)
			if f != Nearest {
				require.LessOrEqual(t, 7*int64(p.ring), own, "filter %d, %+v", f, y)
			}
			low, high := p.SourceRows()
			require.Equal(t, int64(high-low)*p.length, p.Bytes())
		}
	}
}

// A plan is made once, unless it is large.
func TestPlansAreKept(t *testing.T) {
	small, large := Axis{Size: 30, Scaled: 20, End: 20}, Axis{Size: 4, Scaled: 1e5, End: 1e5}
	for _, x := range []Axis{small, large} {
		a, err := NewPlan(Lanczos, x, small, false, 4, true, -1)
		require.NoError(t, err)
		b, err := NewPlan(Lanczos, x, small, false, 4, true, -1)
		require.NoError(t, err)
		require.Equal(t, x == small, a == b)
		c, err := NewPlan(Lanczos, x, small, true, 4, true, -1)
		require.NoError(t, err)
		require.NotSame(t, a, c)
	}
}

// vast is a source of any size whose rows are equal.
type vast struct {
	row   []uint8
	pixel int
}

func (v vast) Load(rows [][]uint8, _, _, n int, _ []uint8) {
	for k := range rows {
		rows[k] = v.row[:n*v.pixel]
	}
}

// Parts of results at the ends and in the middle of sides up to 2^31 - 1. Pillow's window is a
// float32, which may be larger than the source: samples at the far end then take nothing, and are
// 0.
func TestPartsOfVastSides(t *testing.T) {
	rng := rand.New(rand.NewPCG(76, 2))
	sides := []int{1, 1000, 1<<24 - 1, 1<<24 + 3, 1<<25 + 3, 1<<26 + 5, math.MaxInt32 - 1, math.MaxInt32}
	taken, nothing := 0, 0
	for n := range 3000 {
		f, pixel := Filter(n%int(Area)), 1+3*rng.IntN(2)
		x := Axis{Size: sides[rng.IntN(len(sides))], Flip: rng.IntN(2) == 0}
		x.Scaled = int(min(math.MaxInt32, max(1, float64(x.Size)*(1+float64(rng.IntN(3)))+float64(rng.IntN(3)-1))))
		count := min(x.Scaled, 1+rng.IntN(40))
		x.Begin = [...]int{0, x.Scaled - count, rng.IntN(x.Scaled - count + 1)}[rng.IntN(3)]
		x.End = x.Begin + count
		y := Axis{Size: 3, Scaled: 1 + rng.IntN(5)}
		y.End = y.Scaled
		transposed := rng.IntN(2) == 0
		if transposed {
			x, y = y, x
		}
		var want []uint8
		for _, set := range sets() {
			p, err := NewPlan(f, x, y, transposed, pixel, true, set)
			require.NoError(t, err)
			low, high := p.SourceColumns()
			width, height := p.Size()
			require.LessOrEqual(t, high-low, 200)
			dst := make([]uint8, width*height*pixel)
			var w Worker
			w.Open(p)
			w.Resample(dst, width*pixel, 0, height, vast{bytes.Repeat([]uint8{200}, (high-low)*pixel), pixel})
			if want == nil {
				want = dst
			}
			require.Equal(t, want, dst, "set %d: filter %d, %+v, %+v, transposed %v", set, f, x, y, transposed)
			for _, v := range dst {
				if v == 0 {
					nothing++
					continue
				}
				require.InDelta(t, 200, int(v), 1)
				taken++
			}
		}
	}
	t.Logf("%d samples take something, %d nothing", taken, nothing)
	require.NotZero(t, nothing)
	require.Greater(t, taken, 100*nothing/99)
}
