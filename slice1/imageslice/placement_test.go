package imageslice_test

import (
	"errors"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// anyTensor returns a tensor for window r of a picture, which may leave it if it has a Fill.
func anyTensor(rng *rand.Rand, r image.Rectangle, grey bool) imageslice.Tensor {
	t := imageslice.Tensor{Layout: imageslice.Layout(rng.IntN(2)), BGR: rng.IntN(2) == 0, Orientation: rng.IntN(9)}
	if rng.IntN(2) == 0 {
		t.StepX, t.StepY = step(rng), step(rng)
	}
	if grey && rng.IntN(2) == 0 {
		t.Channels = 3
	}
	w, h := positions(r.Dx(), max(1, abs(t.StepX))), positions(r.Dy(), max(1, abs(t.StepY)))
	if rng.IntN(2) == 0 {
		t.At = image.Pt(rng.IntN(4), rng.IntN(4))
		t.Width, t.Height = t.At.X+w+rng.IntN(4), t.At.Y+h+rng.IntN(4)
	}
	n := []int{0, 1, 3}[rng.IntN(3)]
	if grey && t.Channels == 0 {
		n = min(n, 1)
	}
	for range n {
		t.Fill = append(t.Fill, float32(rng.IntN(200)-50)+0.25)
	}
	t.Keep = n == 0
	n = max(1, n)
	t.Affine = slice1.Affine{Axis: 99, Scale: []float32{1.5, -2, 0.3}[:n], Bias: []float32{-7.25, 1, 2}[:n]}
	return t
}

func abs(v int) int { return max(v, -v) }

// uprightAt returns the samples of a pixel of the picture that Orient returns, or nil outside of
// it.
func uprightAt(m image.Image, orientation, x, y int) []float32 {
	b := m.Bounds()
	if orientation <= 1 {
		if !image.Pt(x, y).In(b) {
			return nil
		}
		return samplesAt(m, x, y)
	}
	w, h := b.Dx(), b.Dy()
	if orientation >= 5 {
		w, h = h, w
	}
	if x < 0 || y < 0 || x >= w || y >= h {
		return nil
	}
	switch orientation {
	case 2:
		x = w - 1 - x
	case 3:
		x, y = w-1-x, h-1-y
	case 4:
		y = h - 1 - y
	case 5:
		x, y = y, x
	case 6:
		x, y = y, w-1-x
	case 7:
		x, y = h-1-y, w-1-x
	case 8:
		x, y = h-1-y, x
	}
	return samplesAt(m, b.Min.X+x, b.Min.Y+y)
}

// place returns the index of a channel of a pixel in a tensor.
func place(t imageslice.Tensor, shape [3]int, c, y, x int) int {
	if t.Layout == imageslice.HWC {
		return (y*shape[1]+x)*shape[2] + c
	}
	return (c*shape[1]+y)*shape[2] + x
}

// extents is shape as channels, height and width.
func extents(t imageslice.Tensor, shape [3]int) (channels, height, width int) {
	if t.Layout == imageslice.HWC {
		return shape[2], shape[0], shape[1]
	}
	return shape[0], shape[1], shape[2]
}

// Pictures of every type go to any place of a tensor, in every orientation, also from windows that
// leave the picture. Each pixel is compared with package image. The rest of the tensor becomes Fill
// or keeps its value.
func TestConvertPlacesThePixels(t *testing.T) {
	rng := rand.New(rand.NewPCG(50, 1))
	for turn := range 400 {
		bounds := image.Rect(rng.IntN(9)-4, rng.IntN(9)-4, 12+rng.IntN(20), 12+rng.IntN(20))
		if turn%100 == 0 {
			bounds = image.Rect(0, 0, 5000, 20) // of several bands
		}
		var all []image.Image
		for _, m := range pictures(bounds) {
			scramble(m, rng)
			all = append(all, m)
		}
		for _, v := range rawVideo {
			f, err := v.frame(noise(rng, v.bytes(bounds.Max.Y, v.least(bounds.Max.X))), bounds.Max.X, bounds.Max.Y, 0)
			require.NoError(t, err)
			all = append(all, f)
		}
		m := all[rng.IntN(len(all))]
		grey := len(samplesAt(m, m.Bounds().Min.X, m.Bounds().Min.Y)) == 1
		upright := m.Bounds()
		r := random(rng, upright)
		tensor := anyTensor(rng, r, grey)
		if tensor.Orientation > 1 {
			upright = image.Rectangle{Max: upright.Size()}
			if tensor.Orientation >= 5 {
				upright.Max.X, upright.Max.Y = upright.Max.Y, upright.Max.X
			}
			inside := random(rng, upright)
			r = image.Rectangle{inside.Min, inside.Min.Add(r.Size())}
			if !r.In(upright) {
				r = inside
				tensor.Width, tensor.Height, tensor.At = 0, 0, image.Point{}
			}
		}
		if len(tensor.Fill) > 0 && rng.IntN(2) == 0 {
			r = r.Add(image.Pt(rng.IntN(41)-20, rng.IntN(41)-20))
		}
		shape, err := tensor.Size(m, r)
		require.NoError(t, err)
		channels, h, w := extents(tensor, shape)
		const canary = float32(12345)
		want := slices.Repeat([]float32{canary}, channels*h*w)
		for y := range h {
			for x := range w {
				fromX, fromY := leftAndTop(r, stepOr1(tensor.StepX), stepOr1(tensor.StepY), x-tensor.At.X, y-tensor.At.Y)
				var samples []float32
				if image.Pt(fromX, fromY).In(r) {
					samples = uprightAt(m, tensor.Orientation, fromX, fromY)
				}
				for c := range channels {
					at := place(tensor, shape, c, y, x)
					switch {
					case samples != nil:
						from := min(c, len(samples)-1)
						if tensor.BGR && len(samples) == 3 {
							from = 2 - c
						}
						v := min(c, len(tensor.Affine.Scale)-1)
						want[at] = float32(samples[from]*tensor.Affine.Scale[v]) + tensor.Affine.Bias[v]
					case len(tensor.Fill) > 0:
						want[at] = tensor.Fill[min(c, len(tensor.Fill)-1)]
					}
				}
			}
		}
		got := slices.Repeat([]float32{canary}, len(want))
		require.NoError(t, imageslice.Convert(got, m, r, tensor))
		require.Equal(t, want, got, "%T of %v, %v, %+v", m, m.Bounds(), r, tensor)
		bytes := make([]uint8, len(got))
		tensor.Type = slice1.Uint8
		require.NoError(t, imageslice.Convert(bytes, m, r, tensor))
		for i, y := range want {
			if y != canary {
				require.Equal(t, uint8(math.RoundToEven(float64(min(max(y, 0), 255)))), bytes[i])
			}
		}
	}
}

func stepOr1(step int) int {
	if step == 0 {
		return 1
	}
	return step
}

// The middle of the upright picture is the middle of what Orient returns, and Convert takes its
// pixels.
func TestTensorCenter(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 5))
	checked := 0
	for _, bounds := range []image.Rectangle{image.Rect(0, 0, 13, 8), image.Rect(3, 5, 12, 16), image.Rect(-7, -3, 5, 4), image.Rect(1, 2, 11, 10)} {
		var all []image.Image
		for _, m := range pictures(bounds) {
			scramble(m, rng)
			all = append(all, m)
		}
		if bounds.Min.X >= 0 {
			jpeg := image.NewYCbCr(bounds, image.YCbCrSubsampleRatio420)
			copy(jpeg.Y, noise(rng, len(jpeg.Y)))
			copy(jpeg.Cb, noise(rng, len(jpeg.Cb)))
			all = append(all, jpeg)
		}
		for _, v := range rawVideo {
			size := bounds.Size()
			f, err := v.frame(noise(rng, v.bytes(size.Y, v.least(size.X))), size.X, size.Y, 0)
			require.NoError(t, err)
			all = append(all, f)
		}
		for _, m := range all {
			for orientation := range 9 {
				tensor := imageslice.Tensor{Orientation: orientation}
				upright := m.Bounds()
				if orientation > 1 {
					upright = image.Rectangle{Max: upright.Size()}
				}
				if orientation > 4 {
					upright.Max = image.Pt(upright.Max.Y, upright.Max.X)
				}
				for _, size := range []image.Point{{4, 4}, {5, 3}, {1, 1}, {2, 7}, {99, 2}, {3, 99}, {99, 99}, {math.MaxInt32, math.MaxInt32}, {0, 2}, {-1, 2}} {
					got := tensor.Center(m, size.X, size.Y)
					name := fmt.Sprintf("%T of %v, orientation %d, %v", m, bounds, orientation, size)
					require.True(t, got.Empty() || got.In(upright), name)
					require.Equal(t, min(max(size.X, 0), upright.Dx()), got.Dx(), name)
					require.Equal(t, min(max(size.Y, 0), upright.Dy()), got.Dy(), name)
					for _, rest := range []int{upright.Max.X - got.Max.X - (got.Min.X - upright.Min.X), upright.Max.Y - got.Max.Y - (got.Min.Y - upright.Min.Y)} {
						require.Contains(t, []int{0, 1}, rest, name) // pixels more at the right and at the bottom
					}
					if got.Empty() {
						continue
					}
					shape, err := tensor.Size(m, got)
					require.NoError(t, err, name)
					dst := make([]float32, shape[0]*shape[1]*shape[2])
					require.NoError(t, imageslice.Convert(dst, m, got, tensor), name)
					for c := range shape[0] {
						require.Equal(t, uprightAt(m, orientation, got.Min.X, got.Min.Y)[c], dst[c*shape[1]*shape[2]], name)
						require.Equal(t, uprightAt(m, orientation, got.Max.X-1, got.Max.Y-1)[c], dst[(c+1)*shape[1]*shape[2]-1], name)
					}
					checked++
				}
			}
			require.Empty(t, imageslice.Tensor{Orientation: 9}.Center(m, 2, 2))
			require.Empty(t, imageslice.Tensor{Orientation: -1}.Center(m, 2, 2))
		}
	}
	require.Equal(t, 5976, checked)
	require.Empty(t, imageslice.Tensor{}.Center(nil, 2, 2))
	require.Empty(t, imageslice.Tensor{Orientation: 6}.Center((*image.RGBA)(nil), 2, 2))
}

// What Convert refuses of a tensor, and hostile numbers. Nothing is written.
func TestConvertRefusesTensors(t *testing.T) {
	r := image.Rect(0, 0, 4, 4)
	rgba, grey := image.NewRGBA(r), image.NewGray(r)
	dst := make([]float32, 48)
	huge := image.Rectangle{image.Pt(math.MinInt, math.MinInt), image.Pt(math.MaxInt, math.MaxInt)}
	fill := []float32{1}
	for _, c := range []struct {
		m  image.Image
		r  image.Rectangle
		t  imageslice.Tensor
		is error
	}{
		{rgba, r, imageslice.Tensor{Layout: 2}, slice1.ErrSize},
		{rgba, r, imageslice.Tensor{Channels: 2}, slice1.ErrSize},
		{rgba, r, imageslice.Tensor{Channels: -1}, slice1.ErrSize},
		{rgba, r, imageslice.Tensor{Channels: 1}, slice1.ErrBuffer},
		{rgba, r, imageslice.Tensor{Background: []uint8{1}}, slice1.ErrSize},
		{rgba, r, imageslice.Tensor{Orientation: 9}, errors.ErrUnsupported},
		{rgba, r, imageslice.Tensor{Orientation: -1}, errors.ErrUnsupported},
		{rgba, r, imageslice.Tensor{Width: -1}, slice1.ErrSize},
		{rgba, r, imageslice.Tensor{At: image.Pt(1, 0)}, slice1.ErrWindow},
		{rgba, r, imageslice.Tensor{Width: 4, At: image.Pt(1, 0)}, slice1.ErrWindow},
		{rgba, r, imageslice.Tensor{Width: 9, At: image.Pt(-1, 0)}, slice1.ErrWindow},
		{rgba, r, imageslice.Tensor{Width: 9, At: image.Pt(math.MaxInt, 0)}, slice1.ErrWindow},
		{rgba, r, imageslice.Tensor{Width: 3}, slice1.ErrWindow},
		{rgba, image.Rect(0, 0, 4, 3), imageslice.Tensor{Height: 4}, slice1.ErrWindow},
		{rgba, r, imageslice.Tensor{Fill: fill, Keep: true}, errors.ErrUnsupported},
		{rgba, image.Rect(1, 0, 5, 4), imageslice.Tensor{Keep: true}, slice1.ErrWindow},
		{rgba, r, imageslice.Tensor{Fill: []float32{1, 2}}, slice1.ErrSize},
		{grey, r, imageslice.Tensor{Fill: []float32{1, 2, 3}, Width: 12}, slice1.ErrSize},
		{rgba, r, imageslice.Tensor{Type: slice1.Float64}, slice1.ErrDataType},
		{rgba, r, imageslice.Tensor{Type: slice1.Int32}, slice1.ErrDataType},
		{rgba, image.Rect(1, 0, 5, 4), imageslice.Tensor{}, slice1.ErrWindow},
		{rgba, image.Rectangle{}, imageslice.Tensor{Fill: fill}, slice1.ErrEmpty},
		{rgba, huge, imageslice.Tensor{Fill: fill}, slice1.ErrOverflow},
		{rgba, image.Rect(0, 0, math.MaxInt>>4, 8), imageslice.Tensor{Fill: fill}, slice1.ErrOverflow}, // more than an int counts
		{rgba, r, imageslice.Tensor{Width: math.MaxInt, Height: math.MaxInt}, slice1.ErrOverflow},
		{rgba, r, imageslice.Tensor{Width: 1 << (strconv.IntSize / 2), Height: 1 << (strconv.IntSize / 2)}, slice1.ErrOverflow},
		{rgba, image.Rect(8, 8, 12, 11), imageslice.Tensor{Fill: fill, Height: 4, Affine: slice1.Affine{Scale: []float32{1, 2}}}, slice1.ErrSize},
		{rgba, image.Rect(0, 0, 4, 3), imageslice.Tensor{}, slice1.ErrBuffer},
	} {
		require.ErrorIs(t, imageslice.Convert(dst, c.m, c.r, c.t), c.is, "%v %+v", c.r, c.t)
	}
	require.Equal(t, make([]float32, 48), dst)
	// The least and the largest steps take one pixel, of the widest window, too.
	require.NoError(t, imageslice.Convert(dst[:3], rgba, r, imageslice.Tensor{StepX: math.MinInt, StepY: math.MaxInt}))
	widest := image.Rect(-(math.MaxInt >> 3), -(math.MaxInt >> 3), math.MaxInt>>3, math.MaxInt>>3)
	require.NoError(t, imageslice.Convert(dst[:3], rgba, widest, imageslice.Tensor{Fill: fill, StepX: math.MinInt, StepY: math.MaxInt}))
}

// Without Fill and Keep, a tensor with a rest is refused: a dst from a pool would keep another
// client's pixels there. With a Fill no number of dst stays, and with Keep no number of the rest
// changes. The window has every place in the tensor, and a resampled one leaves it on every side.
func TestRestOfATensorIsNeverLeftByAccident(t *testing.T) {
	const stale = 99
	m := image.NewRGBA(image.Rect(0, 0, 3, 2))
	for i := range m.Pix {
		m.Pix[i] = uint8(i)
	}
	refusals := 0
	for _, resize := range []image.Point{{}, {3, 2}, {2, 4}} {
		size, least, most := image.Pt(3, 2), 0, 1
		if resize != (image.Point{}) {
			size, least, most = resize, -5, 5
		}
		for _, layout := range []imageslice.Layout{imageslice.CHW, imageslice.HWC} {
			for y := least; y <= most; y++ {
				for x := least; x <= most; x++ {
					for _, room := range []image.Point{{4, 4}, {size.X, 5}, {5, size.Y}, size} {
						tensor := imageslice.Tensor{Layout: layout, Resize: resize, Width: room.X, Height: room.Y, At: image.Pt(x, y)}
						placed := image.Rectangle{tensor.At, tensor.At.Add(size)}
						all := image.Rectangle{Max: room}
						if resize == (image.Point{}) && !placed.In(all) {
							continue
						}
						dst := slices.Repeat([]float32{stale}, 3*room.X*room.Y)
						untouched := slices.Clone(dst)
						if _, err := tensor.Size(m, m.Rect); placed.Intersect(all) != all {
							require.ErrorIs(t, err, slice1.ErrWindow)
							err = imageslice.Convert(dst, m, m.Rect, tensor)
							require.ErrorIs(t, err, slice1.ErrWindow)
							require.ErrorContains(t, err, "; Fill says what the others become, Keep leaves them, Resize scales the picture")
							require.Equal(t, untouched, dst)
							refusals++
						} else {
							require.NoError(t, err)
							require.NoError(t, imageslice.Convert(dst, m, m.Rect, tensor))
							require.NotContains(t, dst, float32(stale))
						}
						for _, keep := range []bool{false, true} {
							rest := float32(-7)
							if tensor.Keep, tensor.Fill = keep, []float32{rest}; keep {
								tensor.Fill, rest = nil, stale
							}
							copy(dst, untouched)
							shape, err := tensor.Size(m, m.Rect)
							require.NoError(t, err)
							require.NoError(t, imageslice.Convert(dst, m, m.Rect, tensor))
							for y := range room.Y {
								for x := range room.X {
									for c := range 3 {
										v := dst[place(tensor, shape, c, y, x)]
										require.Equal(t, !image.Pt(x, y).In(placed), v == rest, "%+v: %v at %d,%d", tensor, v, x, y)
									}
								}
							}
						}
					}
				}
			}
		}
	}
	require.Greater(t, refusals, 1000)
}

// Steps that are longer than any picture take the pixels at which a long window arrives by them.
func TestConvertTakesLongSteps(t *testing.T) {
	const far = math.MaxInt >> 3
	m := image.NewGray(image.Rect(0, 0, 4, 4))
	for i := range m.Pix {
		m.Pix[i] = uint8(100 + i)
	}
	for _, step := range []int{far, far + 1, far + 2, far + 3} {
		for _, along := range []struct {
			r    image.Rectangle
			t    imageslice.Tensor
			want int // the last pixel, of the four of a row or column
		}{
			{image.Rect(-far, 0, 4, 1), imageslice.Tensor{StepX: step}, 100 + step - far},
			{image.Rect(0, -far, 1, 4), imageslice.Tensor{StepY: step}, 100 + 4*(step-far)},
			{image.Rect(0, 0, far, 1), imageslice.Tensor{StepX: -step}, 0},
			{image.Rect(3-far, 0, far, 1), imageslice.Tensor{StepX: -step}, 0},
			{image.Rect(0, 0, far, 1), imageslice.Tensor{StepX: -(far - 2)}, 101},
		} {
			along.t.Fill = []float32{7}
			shape, err := along.t.Size(m, along.r)
			require.NoError(t, err)
			dst := make([]float32, shape[1]*shape[2])
			require.NoError(t, imageslice.Convert(dst, m, along.r, along.t))
			for i := range dst {
				x, y := leftAndTop(along.r, stepOr1(along.t.StepX), stepOr1(along.t.StepY), i*min(1, shape[2]-1), i*min(1, shape[1]-1))
				want := float32(7)
				if image.Pt(x, y).In(m.Rect) {
					want = float32(m.GrayAt(x, y).Y)
				}
				require.Equal(t, want, dst[i], "%v %+v", along.r, along.t)
			}
			if along.want != 0 {
				require.Equal(t, float32(along.want), dst[len(dst)-1])
			}
		}
	}
}

func TestDenormalizeIsTheInverse(t *testing.T) {
	mean, std := []float32{0.5, 0.25, 0.125}, []float32{0.5, 0.125, 0.25}
	require.Equal(t, slice1.Affine{Axis: -1, Scale: []float32{127.5, 31.875, 63.75}, Bias: []float32{127.5, 63.75, 31.875}}, imageslice.Denormalize(mean, std))
	rng := rand.New(rand.NewPCG(50, 3))
	m, back := image.NewRGBA(image.Rect(0, 0, 30, 20)), image.NewRGBA(image.Rect(0, 0, 30, 20))
	disturb(m, rng)
	for i := 3; i < len(m.Pix); i += 4 {
		m.Pix[i] = 255
	}
	tensor := make([]float32, 3*30*20)
	require.NoError(t, imageslice.Convert(tensor, m, m.Rect, imageslice.Tensor{Affine: imageslice.Normalize(mean, std)}))
	require.NoError(t, imageslice.Draw(back, m.Rect, tensor, imageslice.Tensor{Affine: imageslice.Denormalize(mean, std)}))
	require.Equal(t, m.Pix, back.Pix)
}
