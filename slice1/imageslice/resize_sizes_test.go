package imageslice_test

import (
	"image"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
	"github.com/seed2e45c115/dml/slice1/internal/rows"
)

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// flat returns a grey picture of one value.
func flat(width, height int, v uint8) *image.Gray {
	m := image.NewGray(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = v
	}
	return m
}

// A picture of one value becomes what Pillow 9.4 makes of it, from one pixel to a million and back,
// along either axis. A sample of the result takes up to a million samples. The sum of so many
// rounded weights is not 1, so the value changes.
func TestResizeToAndFromOnePixel(t *testing.T) {
	const many = 1_000_000
	for f := imageslice.Bilinear; f <= imageslice.Linear; f++ {
		for _, size := range [][2]image.Point{{{1, 1}, {many, 1}}, {{1, 1}, {1, many / 10}}, {{many, 1}, {1, 1}}, {{1, many}, {1, 1}}, {{many / 10, 3}, {2, 5}}} {
			from, to := size[0], size[1]
			got := make([]uint8, to.X*to.Y)
			a := imageslice.Tensor{Type: slice1.Uint8, Resize: to, Filter: f}
			require.NoError(t, imageslice.Convert(got, flat(from.X, from.Y, 201), image.Rectangle{Max: from}, a))
			want := uint8(201)
			if from.X == many || from.Y == many {
				want = [...]uint8{imageslice.Bilinear: 200, imageslice.Bicubic: 202, imageslice.Lanczos: 203, imageslice.Box: 192,
					imageslice.Hamming: 202, imageslice.Nearest: 201, imageslice.Linear: 201}[f]
			}
			require.Equal(t, flat(to.X, to.Y, want).Pix, got, "filter %d: %v to %v", f, from, to)
		}
	}
}

// The part of a result of 2^31 - 1 columns or rows that stays in a small tensor has the values of
// its place, and memory for this part alone.
func TestResizeKeepsASmallPartOfAVastResult(t *testing.T) {
	m := &image.Gray{Pix: []uint8{100, 140, 100, 140}, Stride: 2, Rect: image.Rect(0, 0, 2, 2)}
	far := -min(math.MaxInt32-4, math.MaxInt>>3) // At's limit, if an int has 32 bits
	for f := imageslice.Bilinear; f <= imageslice.Lanczos; f++ {
		for _, at := range []int{0, far} {
			a := imageslice.Tensor{Type: slice1.Uint8, Filter: f, Resize: image.Pt(math.MaxInt32, 2), Width: 4, Height: 2, At: image.Pt(at, 0)}
			got := make([]uint8, 8)
			require.Less(t, allocated(func() { require.NoError(t, imageslice.Convert(got, m, m.Rect, a)) }), uint64(1<<20))
			row := alongOf(f, m.Pix[:2], 1<<16) // its first and its last samples are nearly where those of the vast row are
			want := row[:4]
			switch {
			case at != 0 && strconv.IntSize == 64:
				want = row[len(row)-4:]
			case at != 0:
				i := int(int64(-at) << 16 / math.MaxInt32)
				want = row[i:][:4]
			}
			require.Equal(t, slices.Concat(want, want), got, "filter %d at %d", f, at)
		}
	}
}

// A picture whose result is small takes memory for the rows and columns of the result, and not for
// a picture between the passes: of 3,000 rows, each has 8 pixels.
func TestResizeTakesLittleMemory(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 500, 3000))
	got := image.NewRGBA(image.Rect(0, 0, 8, 8))
	for f := imageslice.Bilinear; f <= imageslice.Linear; f++ {
		// Weights of 4 bytes and their packed form, a ring of rows with the lists of its rows, and
		// less than half a MiB of scratch memory and plans.
		require.Less(t, allocated(func() { require.NoError(t, imageslice.Resize(got, m, m.Rect, f, slice1.WithParallelism(1))) }), uint64(1<<20), "filter %d", f)
	}
}

// Sizes beyond the limits are errors that name the number.
func TestResizeNamesTheNumberThatIsTooLarge(t *testing.T) {
	const (
		weighed = 1<<20 + 1 // samples of 8 weights each
		tooMany = "imageslice: 1048577 samples of the result have 8388616 weights: must be at most 8388608"
	)
	small, dst := flat(4, 4, 1), make([]uint8, 16)
	type c struct {
		m    *image.Gray
		t    imageslice.Tensor
		is   error
		text string
	}
	list := []c{
		{small, imageslice.Tensor{Resize: image.Pt(4, -1)}, slice1.ErrSize, "Resize.Y is -1"},
		{small, imageslice.Tensor{Resize: image.Pt(0, 4)}, slice1.ErrSize, "Resize.X is 0"},
		{flat(1, 1<<15, 1), imageslice.Tensor{Resize: image.Pt(1<<16, 1), Width: 1 << 16, Height: 1}, slice1.ErrOverflow,
			"imageslice: the rows between the passes have 2147483648 bytes: must have at most 67108864, and 16 times what the source and the result have"},
		{flat(1<<21, 1, 1), imageslice.Tensor{Resize: image.Pt(1, 1), Width: 1, Height: 1}, slice1.ErrOverflow,
			"imageslice: a sample of the result takes 2097152 of the source along an axis: must take at most 1048576"},
		{flat(8, 1, 1), imageslice.Tensor{Resize: image.Pt(weighed, 1), Width: weighed, Filter: imageslice.Lanczos}, slice1.ErrOverflow, tooMany},
		{flat(1, 8, 1), imageslice.Tensor{Resize: image.Pt(1, weighed), Width: 1, Filter: imageslice.Lanczos}, slice1.ErrOverflow, tooMany},
	}
	if strconv.IntSize == 64 {
		large := math.MaxInt32
		large++
		list = append(list, c{small, imageslice.Tensor{Resize: image.Pt(large, 4)}, slice1.ErrOverflow, "Resize.X is 2147483648"},
			c{small, imageslice.Tensor{Resize: image.Pt(4, large)}, slice1.ErrOverflow, "Resize.Y is 2147483648"})
	} else {
		list = append(list, c{small, imageslice.Tensor{Resize: image.Pt(math.MaxInt32, 2)}, slice1.ErrOverflow, "2147483647 x 2"})
	}
	for _, c := range list {
		dst := dst
		if c.t.Width > 0 {
			dst = make([]uint8, c.t.Resize.X*c.t.Resize.Y)
		}
		c.t.Type = slice1.Uint8
		err := imageslice.Convert(dst, c.m, c.m.Rect, c.t)
		require.ErrorIs(t, err, c.is)
		require.ErrorContains(t, err, c.text)
		if c.text == tooMany {
			to := &image.Gray{Pix: dst, Stride: c.t.Resize.X, Rect: image.Rectangle{Max: c.t.Resize}}
			require.EqualError(t, imageslice.Resize(to, c.m, c.m.Rect, c.t.Filter), err.Error())
		}
		require.Equal(t, make([]uint8, len(dst)), dst)
	}
}

// The goroutines of a call share the memory of its rows: 90 MiB for one of them leave no room for
// another. After two collections nothing of that is left.
func TestResizeTakesMemoryOnce(t *testing.T) {
	before := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(before)
	m, got := image.NewRGBA(image.Rect(0, 0, 900, 1600)), image.NewRGBA(image.Rect(0, 0, 14_000, 2))
	var kept, held runtime.MemStats
	for _, number := range []int{1, 4} {
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&kept)
		took := allocated(func() {
			require.NoError(t, imageslice.Resize(got, m, m.Rect, imageslice.Bilinear, slice1.WithParallelism(number)))
		})
		require.Less(t, took, uint64(110<<20), "%d goroutines", number)
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&held)
		require.Less(t, held.HeapAlloc, kept.HeapAlloc+16<<20, "%d goroutines", number)
	}
}

// The bands of all goroutines and the rows that these keep take the bound together, if a goroutine
// alone can keep to it. A band is cut only if they would take more.
func TestBandsAreBounded(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	processors := runtime.GOMAXPROCS(0) // one in wasm, which does not take four
	rng := rand.New(rand.NewPCG(76, 9))
	cut, fewer := 0, 0
	for range 20_000 {
		number := func(most float64) int64 { return int64(math.Exp2(rng.Float64() * most)) }
		band, made, kept, parallelism := number(50)-1, number(33), number(27)-1, rng.IntN(6)
		inPlace := rng.IntN(4) == 0
		got, workers := imageslice.Bound(band, made, kept, inPlace, parallelism)
		about := []any{"band %d of %d bytes, %d kept, parallelism %d: %d by %d", band, made, kept, parallelism, got, workers}
		require.Positive(t, workers, about...)
		require.LessOrEqual(t, got, max(band, 1), about...)
		runs := int64(min(workers, processors))
		took, asked := kept, kept
		if !inPlace {
			took += made * max(1, got)
			if asked = math.MaxInt64; band <= math.MaxInt64/8/made {
				asked = kept + made*max(1, band)
			}
		}
		if runs > 1 {
			require.LessOrEqual(t, runs*took, int64(rows.MostMemory), about...)
		}
		if asked <= rows.MostMemory/4 {
			require.Equal(t, band, got, about...)
			require.GreaterOrEqual(t, workers, min(processors, max(parallelism, 1)), about...)
		}
		if got < band {
			cut++
		}
		if int(runs) < processors && (parallelism == 0 || parallelism >= processors) {
			fewer++
		}
	}
	t.Logf("%d cut, %d by fewer goroutines", cut, fewer)
	require.NotZero(t, cut)
	require.Equal(t, processors > 1, fewer > 0)
}

// Bands that are stored in another layout take the bound, however many rows they should have.
func TestLargeResultTakesMemoryOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 200 MiB")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	m := image.NewRGBA(image.Rect(0, 0, 160, 40))
	a := imageslice.Tensor{Type: slice1.Uint8, Resize: image.Pt(16_000, 4000)}
	dst := make([]uint8, 3*a.Resize.X*a.Resize.Y)
	took := allocated(func() { require.NoError(t, imageslice.Convert(dst, m, m.Bounds(), a)) })
	require.Less(t, took, uint64(110<<20))
}

// One pixel of a result takes little memory, whatever the sides of the picture and of the result,
// or it is refused.
func TestResizeOfOnePixelTakesLittleMemory(t *testing.T) {
	made := 0
	list := []image.Image{flat(1_000_000, 1, 9), flat(1, 1_000_000, 9), image.NewGray(image.Rect(0, 0, 1<<24, 1)), image.NewYCbCr(image.Rect(0, 0, 1000, 4000), image.YCbCrSubsampleRatio420)}
	if testing.Short() {
		list = list[1:]
	}
	for f := imageslice.Bilinear; f <= imageslice.Linear; f++ {
		for _, m := range list {
			for _, to := range []image.Point{{1, 1}, {8, 4}, {math.MaxInt32, math.MaxInt32}} {
				for orientation := 1; orientation <= 6; orientation += 5 {
					a := imageslice.Tensor{Type: slice1.Uint8, Channels: 3, Orientation: orientation, Resize: to, Filter: f, Width: 1, Height: 1, At: image.Pt(max(1-to.X, -(math.MaxInt>>3)), 0)}
					dst := make([]uint8, 3)
					var err error
					require.Less(t, allocated(func() { err = imageslice.Convert(dst, m, a.Whole(m), a) }), uint64(64<<20), "%v to %v, %+v", m.Bounds(), to, a)
					if err != nil {
						require.ErrorIs(t, err, slice1.ErrOverflow)
						continue
					}
					made++
				}
			}
		}
	}
	require.Greater(t, made, 90)
}

// A mirrored resize is the reverse of the resize: of every kind of picture, in every orientation
// and layout, by every filter, where rows are made in the tensor and where they are stored anew.
func TestMirroredResizesAreReversed(t *testing.T) {
	rng := rand.New(rand.NewPCG(92, 1))
	compared := 0
	for _, k := range kinds(t) {
		m := k.lay(rng, image.Rect(2, 4, 13, 11), func(n int) []uint8 { return noise(rng, n) })
		for number := range 8 * 7 * 4 {
			a := imageslice.Tensor{Type: slice1.Uint8, Orientation: 1 + number%8, Filter: imageslice.Filter(number / 8 % 7), Layout: imageslice.Layout(number / 56 % 2), Channels: number / 112}
			a.Resize = image.Pt(1+rng.IntN(7), 1+rng.IntN(7))
			shape, err := a.Size(m, a.Whole(m))
			if err != nil {
				require.Zero(t, a.Channels, k.name)
				continue
			}
			want, got := make([]uint8, shape[0]*shape[1]*shape[2]), make([]uint8, shape[0]*shape[1]*shape[2])
			require.NoError(t, imageslice.Convert(want, m, a.Whole(m), a))
			mirrored := a
			mirrored.StepX, mirrored.StepY = -1, 1-2*rng.IntN(2)
			require.NoError(t, imageslice.Convert(got, m, a.Whole(m), mirrored))
			channels, height, width := extents(a, shape)
			for c := range channels {
				for y := range height {
					from := y
					if mirrored.StepY < 0 {
						from = height - 1 - y
					}
					for x := range width {
						if want[place(a, shape, c, from, width-1-x)] != got[place(a, shape, c, y, x)] {
							require.FailNow(t, "another sample", "channel %d, row %d, column %d of %s: %+v", c, y, x, k.name, mirrored)
						}
						compared++
					}
				}
			}
		}
	}
	t.Logf("%d samples", compared)
	require.Greater(t, compared, 100_000)
}
