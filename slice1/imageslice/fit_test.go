package imageslice_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// The sizes of Ultralytics' letterbox for all sides to 2,000 and of Qwen2-VL's smart_resize for all
// sides to 1,500 are those that testdata/fit/sizes.py computes.
func TestSizesArePythons(t *testing.T) {
	file, err := os.Open("../../testdata/fit/sizes.txt")
	require.NoError(t, err)
	defer file.Close()
	rules := 0
	for lines := bufio.NewScanner(file); lines.Scan(); rules++ {
		name, text, _ := strings.Cut(lines.Text(), " ")
		var sizes func(r image.Rectangle) []int
		var most int
		var want uint32
		switch name {
		case "letterbox":
			var side int
			_, err = fmt.Sscan(text, &side, &most, &want)
			sizes = func(r image.Rectangle) []int {
				l := imageslice.Tensor{}.Letterbox(r, side, side)
				return []int{l.Resize.X, l.Resize.Y, l.At.X, l.At.Y}
			}
		case "smart_resize":
			var factor, least, largest int
			_, err = fmt.Sscan(text, &factor, &least, &largest, &most, &want)
			sizes = func(r image.Rectangle) []int {
				size := imageslice.Tensor{}.SmartResize(r, factor, least, largest).Resize
				return []int{size.X, size.Y}
			}
		}
		require.NoError(t, err)
		var got uint32
		row := make([]byte, 0, 16*most)
		for height := 1; height <= most; height++ {
			row = row[:0]
			for width := 1; width <= most; width++ {
				for _, v := range sizes(image.Rect(-3, 7, width-3, height+7)) {
					row = binary.LittleEndian.AppendUint32(row, uint32(int32(v)))
				}
			}
			got = crc32.Update(got, crc32.IEEETable, row)
		}
		require.Equal(t, want, got, lines.Text())
	}
	require.Equal(t, 4, rules)
}

// A letterbox in a tensor that is not square. A side becomes int(round(side*gain)) of Python, whose
// halves go to the even number, or 1 if that is 0. Left and above are round(rest/2 - 0.1) pixels.
func TestLetterboxesAreUltralytics(t *testing.T) {
	round := func(x float64) int {
		n := int(math.Floor(x))
		if d := x - float64(n); d > 0.5 || d == 0.5 && n%2 != 0 {
			n++
		}
		return n
	}
	for _, to := range []image.Point{{640, 384}, {384, 640}, {1280, 736}, {31, 1}} {
		for width := 1; width <= 2000; width += 3 {
			for height := 1; height <= 2000; height += 3 {
				gain := min(float64(to.Y)/float64(height), float64(to.X)/float64(width))
				// Without these conversions Go may fuse a product and the difference in round.
				size := image.Pt(max(1, round(float64(float64(width)*gain))), max(1, round(float64(float64(height)*gain))))
				rest := to.Sub(size)
				at := image.Pt(round(float64(rest.X)/2-0.1), round(float64(rest.Y)/2-0.1))
				l := imageslice.Tensor{}.Letterbox(image.Rect(0, 0, width, height), to.X, to.Y)
				if l.Resize != size || l.At != at || l.Width != to.X || l.Height != to.Y || l.Filter != imageslice.Linear {
					require.FailNow(t, "another letterbox", "%d x %d to %v: %+v, not %v at %v", width, height, to, l, size, at)
				}
			}
		}
	}
}

// The window that a Resize was computed for may lie anywhere. One of another size is an error, also
// from Size, and nothing is written. A Resize that is set by hand takes any window.
func TestFittedTensorsTakeTheirWindowAlone(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 60, 50))
	r := image.Rect(5, 3, 45, 33)
	for name, fit := range map[string]func(imageslice.Tensor, image.Rectangle) imageslice.Tensor{
		"ResizeCrop":  func(t imageslice.Tensor, r image.Rectangle) imageslice.Tensor { return t.ResizeCrop(r, 12, 10) },
		"Letterbox":   func(t imageslice.Tensor, r image.Rectangle) imageslice.Tensor { return t.Letterbox(r, 16, 16) },
		"SmartResize": func(t imageslice.Tensor, r image.Rectangle) imageslice.Tensor { return t.SmartResize(r, 4, 16, 400) },
	} {
		fitted := fit(imageslice.Tensor{Fill: []float32{1}}, r)
		shape, err := fitted.Size(m, r)
		require.NoError(t, err, name)
		dst := make([]float32, shape[0]*shape[1]*shape[2])
		clean := make([]float32, len(dst))
		for _, other := range []image.Rectangle{m.Rect, image.Rect(0, 0, 30, 40), image.Rect(5, 3, 46, 33), image.Rect(5, 4, 45, 33)} {
			_, err := fitted.Size(m, other)
			require.ErrorIs(t, err, slice1.ErrWindow, name)
			require.ErrorIs(t, imageslice.Convert(dst, m, other, fitted), slice1.ErrWindow, name)
			require.Equal(t, clean, dst)
			byHand := fitted
			byHand.Resize.X++
			_, err = byHand.Size(m, other)
			require.NoError(t, err, name)
			again := fit(fitted, other)
			_, err = again.Size(m, other)
			require.NoError(t, err, name)
		}
		for _, at := range []image.Point{{}, {1, 2}, {15, 17}} {
			require.NoError(t, imageslice.Convert(dst, m, r.Add(at), fitted), name)
		}
		unfit := []imageslice.Tensor{fit(fitted, image.Rectangle{}), fit(fitted, image.Rect(3, 3, 3, 9)),
			fit(fitted, image.Rectangle{image.Pt(math.MinInt, math.MinInt), image.Pt(math.MaxInt, math.MaxInt)})}
		for _, size := range []int{0, -1, math.MinInt} {
			unfit = append(unfit, fitted.ResizeCrop(r, size, 9), fitted.ResizeCrop(r, 9, size), fitted.Letterbox(r, size, 9), fitted.Letterbox(r, 9, size),
				fitted.SmartResize(r, size, 9, 9), fitted.SmartResize(r, 9, size, 9), fitted.SmartResize(r, 9, 9, size))
		}
		unfit = append(unfit, fitted.SmartResize(image.Rect(0, 0, 201, 1), 1, 1, 999))
		for _, bad := range unfit {
			copy(dst, clean)
			require.ErrorIs(t, imageslice.Convert(dst, m, r, bad), slice1.ErrSize, "%s: %+v", name, bad)
			require.Equal(t, clean, dst)
		}
	}
	require.Equal(t, image.Pt(200, 1), imageslice.Tensor{}.SmartResize(image.Rect(0, 0, 200, 1), 1, 1, 999).Resize)
}

// Sides and sizes of any length panic in no method, and make nothing but errors of Convert.
func TestHostileFits(t *testing.T) {
	m, dst := image.NewGray(image.Rect(0, 0, 4, 4)), make([]float32, 16)
	hostile := []int{math.MinInt, math.MinInt + 1, -1, 0, 1, 2, 3, 1 << 30, math.MaxInt32, math.MaxInt - 1, math.MaxInt}
	for _, a := range hostile {
		for _, b := range hostile {
			for _, c := range hostile {
				r := image.Rectangle{image.Pt(a, c), image.Pt(b, b)}
				small := image.Rect(0, 0, 2, 3)
				for _, t := range []imageslice.Tensor{imageslice.Tensor{}.ResizeCrop(r, b, c), imageslice.Tensor{}.Letterbox(r, a, c), imageslice.Tensor{}.SmartResize(r, a, b, c),
					imageslice.Tensor{}.ResizeCrop(small, a, b), imageslice.Tensor{}.Letterbox(small, a, b), imageslice.Tensor{}.SmartResize(small, a, b, c)} {
					_ = imageslice.Convert(dst, m, r, t)
					_ = imageslice.Convert(dst, m, m.Rect, t)
					t.Source(r, float64(a), float64(b))
				}
			}
		}
	}
}

// Points of the picture go through window, steps, Resize and At, and Source brings them back. The
// forward map is computed pixel by pixel: pixel i of the tensor begins where its first pixel of the
// picture does.
func TestSourceIsTheWayBack(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 1))
	const points = 1_000_000
	for range points {
		x, y := rng.IntN(4000)-2000, rng.IntN(4000)-2000
		r := image.Rect(x, y, x+20+rng.IntN(3980), y+20+rng.IntN(3980)) // no side is 200 times the other
		tensor := imageslice.Tensor{StepX: rng.IntN(3) - 1, StepY: rng.IntN(3) - 1, At: image.Pt(rng.IntN(400)-200, rng.IntN(400)-200), Orientation: rng.IntN(9)}
		switch rng.IntN(5) {
		case 0:
			tensor.Resize = image.Pt(1+rng.IntN(2000), 1+rng.IntN(2000))
		case 1:
			tensor = tensor.Letterbox(r, 640, 640)
		case 2:
			tensor = tensor.ResizeCrop(r, 256, 224)
		case 3:
			tensor = tensor.SmartResize(r, 28, 3136, 1003520)
		default:
			tensor.StepX, tensor.StepY = step(rng), step(rng)
		}
		forward := func(p float64, lo, hi, step, resized, at int) float64 {
			v := p - float64(lo)
			if step < 0 {
				v = float64(hi) - p // mirrored
			}
			if resized > 0 {
				v = v / float64(hi-lo) * float64(resized)
			} else {
				v /= float64(max(1, abs(step)))
			}
			return v + float64(at)
		}
		px, py := float64(r.Min.X)+rng.Float64()*float64(r.Dx()), float64(r.Min.Y)+rng.Float64()*float64(r.Dy())
		gotX, gotY := tensor.Source(r, forward(px, r.Min.X, r.Max.X, tensor.StepX, tensor.Resize.X, tensor.At.X), forward(py, r.Min.Y, r.Max.Y, tensor.StepY, tensor.Resize.Y, tensor.At.Y))
		if math.Abs(gotX-px) > 1e-8 || math.Abs(gotY-py) > 1e-8 {
			require.FailNow(t, "another place", "%v,%v is %v,%v of %v, %+v", px, py, gotX, gotY, r, tensor)
		}
	}
}

// Each pixel that Convert takes lies where Source says, by steps and places, and by Resize with
// Nearest, which takes the pixel of the picture that has the middle of the tensor's.
func TestSourceIsWhereConvertTakesPixels(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 2))
	m := image.NewGray16(image.Rect(3, 5, 43, 36))
	bytes := image.NewGray(image.Rect(0, 0, 15, 17))
	for i := range bytes.Pix {
		bytes.Pix[i] = uint8(i)
	}
	for i := range m.Pix {
		m.Pix[i] = uint8(rng.Uint32())
	}
	for range 2000 {
		var from image.Image = m
		tensor := imageslice.Tensor{StepX: step(rng), StepY: step(rng), Orientation: rng.IntN(9), Keep: true}
		if rng.IntN(2) == 0 {
			from = bytes
			tensor.StepX, tensor.StepY, tensor.Filter = rng.IntN(3)-1, rng.IntN(3)-1, imageslice.Nearest
			tensor.Resize = image.Pt(1+2*rng.IntN(20), 1+2*rng.IntN(20))
		}
		r := random(rng, tensor.Whole(from))
		if tensor.Resize != (image.Point{}) { // so that no middle of a pixel is an edge of the picture's
			r.Max = r.Min.Add(image.Pt(r.Dx()|1, r.Dy()|1))
			r = r.Sub(image.Pt(max(0, r.Max.X-tensor.Whole(from).Max.X), max(0, r.Max.Y-tensor.Whole(from).Max.Y)))
			if !r.In(tensor.Whole(from)) {
				continue
			}
		}
		shape, err := tensor.Size(from, r)
		require.NoError(t, err)
		tensor.At = image.Pt(rng.IntN(4), rng.IntN(4))
		tensor.Width, tensor.Height = shape[2]+tensor.At.X, shape[1]+tensor.At.Y
		dst := make([]float32, tensor.Width*tensor.Height)
		require.NoError(t, imageslice.Convert(dst, from, r, tensor))
		for y := tensor.At.Y; y < tensor.Height; y++ {
			for x := tensor.At.X; x < tensor.Width; x++ {
				across, down := float64(x)+.5, float64(y)+.5
				if tensor.Resize == (image.Point{}) { // of |step| pixels the first is taken
					across, down = float64(x)+.5/float64(max(1, abs(tensor.StepX))), float64(y)+.5/float64(max(1, abs(tensor.StepY)))
				}
				px, py := tensor.Source(r, across, down)
				want := uprightAt(from, tensor.Orientation, int(math.Floor(px)), int(math.Floor(py)))
				require.NotNil(t, want, "%v,%v: %v of %v, %+v", x, y, r, from.Bounds(), tensor)
				require.Equal(t, want[0], dst[y*tensor.Width+x], "%v,%v: %v of %v, %+v", x, y, r, from.Bounds(), tensor)
			}
		}
	}
}
