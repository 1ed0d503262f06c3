package imageslice_test

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// filterNames has the names of filters in testdata.
var filterNames = map[string]imageslice.Filter{"bilinear": imageslice.Bilinear, "bicubic": imageslice.Bicubic, "lanczos": imageslice.Lanczos, "box": imageslice.Box,
	"hamming": imageslice.Hamming, "nearest": imageslice.Nearest, "linear": imageslice.Linear}

// planeNumbers returns n numbers as testdata/resize/planes.py makes them.
func planeNumbers(n int, kind string) []float32 {
	numbers := make([]float32, n)
	for k := range numbers {
		h := uint64(k+1) * 0x9E3779B97F4A7C15
		h ^= h >> 29
		h *= 0x94D049BB133111EB
		top, low := float64(h>>40), int(h&63)
		v := float64(top*0x1p-19) - 16
		switch {
		case kind == "wild":
			v = math.Ldexp(top-1<<23, low-32)
		case kind == "infinite" && low&31 == 0:
			v = math.Inf(1)
		case kind == "infinite" && low&31 == 1:
			v = math.NaN()
		}
		numbers[k] = float32(v)
	}
	return numbers
}

// sumOf returns the CRC-32 of numbers. Every NaN counts as one.
func sumOf(numbers []float32) string {
	b := make([]byte, 0, 4*len(numbers))
	for _, v := range numbers {
		bits := math.Float32bits(v)
		if v != v {
			bits = 0x7fc00000
		}
		b = binary.LittleEndian.AppendUint32(b, bits)
	}
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE(b))
}

// A sample of the cases of testdata/resize/planes.py, with what Pillow 9.4.0 in mode F and OpenCV
// 4.6.0 make of them, by every kernel. RESIZE_PLANES names a file of others.
func TestResizePlaneIsPillowsAndOpenCVs(t *testing.T) {
	name := "../../testdata/resize/planes.jsonl"
	if other := os.Getenv("RESIZE_PLANES"); other != "" {
		name = other
	}
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	lines, wrong, numbers := 0, 0, 0
	for scan := bufio.NewScanner(file); scan.Scan(); lines++ {
		var c struct {
			Planes, Width, Height int
			Kind, Rule, CRC32     string
			Box                   [4]int
			To                    [2]int
		}
		require.NoError(t, json.Unmarshal(scan.Bytes(), &c))
		src, to := planeNumbers(c.Planes*c.Width*c.Height, c.Kind), image.Pt(c.To[0], c.To[1])
		for i, kernel := range usable() {
			dst := make([]float32, c.Planes*to.X*to.Y)
			numbers += len(dst)
			require.NoError(t, imageslice.ResizePlane(dst, to, src, image.Pt(c.Width, c.Height), image.Rect(c.Box[0], c.Box[1], c.Box[2], c.Box[3]), filterNames[c.Rule],
				kernel, slice1.WithParallelism(1+lines%3)))
			if got := sumOf(dst); got != c.CRC32 {
				wrong++
				t.Logf("%s by kernel %d: %s", scan.Text(), i, got)
			}
		}
	}
	require.Zero(t, wrong)
	require.NotZero(t, lines)
	t.Logf("%d cases, %d numbers", lines, numbers)
}

// numbersIn returns the numbers that lie in memory.
//
// unsafe: b has whole numbers, and its address is a multiple of 4.
func numbersIn(b []uint8) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4)
}

// planesEqual requires equal bits, but for those of NaNs.
func planesEqual(t *testing.T, want, got []float32, format string, args ...any) {
	t.Helper()
	for i, v := range want {
		if u := got[i]; math.Float32bits(u) != math.Float32bits(v) && (u == u || v == v) {
			require.FailNow(t, "other numbers", "number %d is %v, must be %v: %s", i, u, v, fmt.Sprintf(format, args...))
		}
	}
}

// Planes lie beside inaccessible pages: nothing before or behind them is read or written. Numbers
// outside of the window are NaNs, and do not count. Several planes are what each of them is alone,
// on any number of goroutines and by any kernel.
func TestResizePlaneStaysInside(t *testing.T) {
	rng := rand.New(rand.NewPCG(82, 1))
	nan, kernels := float32(math.NaN()), usable()
	for n := range 600 {
		side := func(most float64) int { return int(math.Exp2(rng.Float64() * most)) }
		f, planes, atEnd := imageslice.Filter(n%7), 1+rng.IntN(3), n/7%2 == 0
		r := image.Rect(0, 0, side(6), side(4)).Add(image.Pt(rng.IntN(3), rng.IntN(3)))
		from, to := r.Max.Add(image.Pt(rng.IntN(3), rng.IntN(3))), image.Pt(side(6.5), side(5))
		switch n % 5 {
		case 0:
			r = image.Rectangle{Max: from}
		case 1:
			to.X = r.Dx()
		case 2:
			to.Y = r.Dy()
		}
		src := numbersIn(fenced(t, 4*planes*from.X*from.Y, atEnd))
		for i := range src {
			if src[i] = nan; image.Pt(i%from.X, i/from.X%from.Y).In(r) {
				src[i] = float32(rng.NormFloat64())
			}
		}
		want, size := make([]float32, planes*to.X*to.Y), to.X*to.Y
		for k := range planes {
			require.NoError(t, imageslice.ResizePlane(want[k*size:][:size], to, src[k*from.X*from.Y:][:from.X*from.Y], from, r, f, slice1.WithKernel("go")))
		}
		for _, v := range want {
			require.True(t, v == v)
		}
		for i, kernel := range kernels {
			got := numbersIn(fenced(t, 4*len(want), atEnd))
			require.NoError(t, imageslice.ResizePlane(got, to, src, from, r, f, kernel, slice1.WithParallelism(1+n%3)))
			planesEqual(t, want, got, "%d: filter %d, %v of %v to %v, %d planes by kernel %d", n, f, r, from, to, planes, i)
		}
	}
}

// Large planes on several goroutines.
func TestResizePlaneOnGoroutines(t *testing.T) {
	const planes = 3
	src, from, to := planeNumbers(planes*300*200, "logits"), image.Pt(300, 200), image.Pt(900, 700)
	for f := imageslice.Bilinear; f <= imageslice.Linear; f++ {
		want := make([]float32, planes*to.X*to.Y)
		require.NoError(t, imageslice.ResizePlane(want, to, src, from, image.Rectangle{}, f, slice1.WithKernel("go"), slice1.WithParallelism(1)))
		for i, kernel := range usable() {
			got := make([]float32, len(want))
			require.NoError(t, imageslice.ResizePlane(got, to, src, from, image.Rectangle{}, f, kernel, slice1.WithParallelism(5)))
			planesEqual(t, want, got, "filter %d by kernel %d", f, i)
		}
	}
}

// What is refused, with nothing written.
func TestResizePlaneRefuses(t *testing.T) {
	two, src, dst := image.Pt(2, 2), make([]float32, 3*4), make([]float32, 3*4)
	for i := range src {
		src[i] = 1
	}
	all := image.Rectangle{}
	for _, c := range []struct {
		dst    []float32
		to     image.Point
		src    []float32
		from   image.Point
		r      image.Rectangle
		f      imageslice.Filter
		is     error
		kernel string
	}{
		{dst, image.Pt(0, 2), src, two, all, 0, slice1.ErrSize, ""},
		{dst, two, src, image.Pt(2, -1), all, 0, slice1.ErrSize, ""},
		{dst, two, src, two, all, -1, slice1.ErrSize, ""},
		{dst, two, src, two, all, imageslice.Area + 1, slice1.ErrSize, ""},
		{dst, two, src, two, all, imageslice.Area, errors.ErrUnsupported, ""},
		{nil, two, nil, two, all, 0, slice1.ErrEmpty, ""},
		{dst, two, nil, two, all, 0, slice1.ErrBuffer, ""},
		{nil, two, src, two, all, 0, slice1.ErrBuffer, ""},
		{dst[:8], two, src, two, all, 0, slice1.ErrBuffer, ""},
		{dst[:9], two, src, two, all, 0, slice1.ErrBuffer, ""},
		{dst, two, src[:11], two, all, 0, slice1.ErrBuffer, ""},
		{dst, two, src, two, image.Rect(0, 0, 3, 2), 0, slice1.ErrWindow, ""},
		{dst, two, src, two, image.Rect(-1, 0, 1, 2), 0, slice1.ErrWindow, ""},
		{src, two, src, two, all, 0, slice1.ErrOverlap, ""},
		{src[8:], two, src[:9:9][5:], two, all, 0, slice1.ErrOverlap, ""},
		{dst, two, src, two, all, 0, slice1.ErrKernel, "none"},
		{dst, image.Pt(math.MaxInt32, math.MaxInt32), src, two, all, 0, slice1.ErrBuffer, ""},
		{dst, two, src, image.Pt(math.MaxInt32, math.MaxInt32), all, 0, slice1.ErrBuffer, ""},
	} {
		require.ErrorIs(t, imageslice.ResizePlane(c.dst, c.to, c.src, c.from, c.r, c.f, slice1.WithKernel(c.kernel)), c.is, "%+v", c)
	}
	require.ErrorIs(t, imageslice.ResizePlane(dst, two, src, two, all, 0, slice1.WithCandidate("go")), errors.ErrUnsupported)
	require.Equal(t, make([]float32, len(dst)), dst)
	require.NotContains(t, src, float32(0))
}

// Work out of proportion to the planes is refused, also where it is that of many planes together.
func TestWorkOfResizePlaneIsBounded(t *testing.T) {
	for _, c := range []struct {
		planes   int
		from, to image.Point
		text     string
	}{
		{1, image.Pt(1, 1<<13), image.Pt(1<<12, 1), "the rows between the passes have 134217728 bytes: must have at most 67108864, and 16 times what the source and the result have"},
		{40, image.Pt(1, 1<<10), image.Pt(1<<10, 1), "the rows between the passes have 167772160 bytes: must have at most 67108864, and 16 times what the source and the result have"},
		{1, image.Pt(1<<21, 1), image.Pt(1, 1), "a sample of the result takes 2097152 of the source along an axis: must take at most 1048576"},
		{1, image.Pt(8, 1), image.Pt(1<<20+1, 1), "1048577 samples of the result have 8388616 weights: must be at most 8388608"},
	} {
		dst, src := make([]float32, c.planes*c.to.X*c.to.Y), make([]float32, c.planes*c.from.X*c.from.Y)
		err := imageslice.ResizePlane(dst, c.to, src, c.from, image.Rectangle{}, imageslice.Lanczos)
		require.ErrorIs(t, err, slice1.ErrOverflow)
		require.ErrorContains(t, err, c.text)
	}
}
