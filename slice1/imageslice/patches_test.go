package imageslice_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// The patches of Qwen2-VL, of ViT and of zerfoo are those that testdata/fit/patches.py makes.
func TestPatchesArePythons(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 56, 84))
	for i := range m.Pix {
		m.Pix[i] = uint8(7*(i/4%56) + 13*(i/4/56) + 50*(i%4))
	}
	want, err := os.ReadFile("../../testdata/fit/patches.txt")
	require.NoError(t, err)
	var got strings.Builder
	for _, c := range []struct {
		name string
		t    imageslice.Tensor
	}{
		{"qwen", imageslice.Tensor{Patch: 14, Merge: 2, Frames: 2}},
		{"vit", imageslice.Tensor{Patch: 14}},
		{"zerfoo", imageslice.Tensor{Patch: 14, Layout: imageslice.HWC}},
	} {
		shape, err := c.t.Size(m, m.Rect)
		require.NoError(t, err)
		require.Equal(t, [3]int{1, 24, 588 * max(1, c.t.Frames)}, shape)
		dst := make([]float32, shape[1]*shape[2])
		require.NoError(t, imageslice.Convert(dst, m, m.Rect, c.t))
		var bytes []byte
		for _, v := range dst {
			bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(v))
		}
		fmt.Fprintln(&got, c.name, crc32.ChecksumIEEE(bytes))
	}
	require.Equal(t, string(want), got.String())
}

// A tensor of patches has the numbers of the tensor without patches, in the order of a loop over
// rows and columns of blocks, of patches in them, and of a patch: of pictures of all types, in all
// orientations, resized or not, in a place among fill, by every kernel.
func TestPatchesAreTheTensorsNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 3))
	var kernels []slice1.Option
	for _, k := range slice1.Kernels() {
		if k.Usable {
			kernels = append(kernels, slice1.WithKernel(k.Name))
		}
	}
	list := kinds(t)
	for turn := range 12 * len(list) {
		tensor := imageslice.Tensor{Layout: imageslice.Layout(rng.IntN(2)), BGR: rng.IntN(2) == 0, Orientation: rng.IntN(9), Filter: imageslice.Filter(rng.IntN(7))}
		side, merge, frames := 1+rng.IntN(5), rng.IntN(4), rng.IntN(3)
		if tensor.Layout == imageslice.HWC {
			frames = min(frames, 1)
		}
		block := side * max(1, merge)
		size := image.Pt(block*(1+rng.IntN(4)), block*(1+rng.IntN(4)))
		upright := image.Rectangle{Max: size}
		k := list[turn%len(list)]
		var r image.Rectangle
		if tensor.Resize = size; rng.IntN(2) == 0 || strings.Contains(k.name, "16") || strings.Contains(k.name, "64") {
			tensor.Resize = image.Point{}
			tensor.StepX, tensor.StepY = rng.IntN(5)-2, rng.IntN(5)-2
			upright.Max = image.Pt(size.X*max(1, abs(tensor.StepX)), size.Y*max(1, abs(tensor.StepY)))
		}
		stored := upright.Max.Add(image.Pt(rng.IntN(3), rng.IntN(3)))
		if tensor.Orientation >= 5 {
			stored.X, stored.Y = stored.Y, stored.X
		}
		corner := image.Pt(2*rng.IntN(3), 2*rng.IntN(3))
		m := k.lay(rng, image.Rectangle{corner, corner.Add(stored)}, func(n int) []uint8 { return noise(rng, n) })
		r = upright.Add(tensor.Whole(m).Min)
		if rng.IntN(2) == 0 {
			tensor.At = image.Pt(block*rng.IntN(3), block*rng.IntN(3))
			tensor.Width, tensor.Height = tensor.At.X+size.X+block*rng.IntN(3), tensor.At.Y+size.Y+block*rng.IntN(3)
			if tensor.Fill = []float32{3}; rng.IntN(2) == 0 {
				tensor.Channels, tensor.Fill = 3, []float32{4, 5, 6}
			}
		}
		if rng.IntN(2) == 0 {
			tensor.Channels = 3
			tensor.Affine = slice1.Affine{Scale: []float32{1.5, -2, 3}, Bias: []float32{.25, 1, -1}}
		}
		o := kernels[rng.IntN(len(kernels))]
		plain, err := tensor.Size(m, r)
		require.NoError(t, err, "%s %+v", k.name, tensor)
		pixels := make([]float32, plain[0]*plain[1]*plain[2])
		require.NoError(t, imageslice.Convert(pixels, m, r, tensor, o))
		channels, height, width := extents(tensor, plain)
		cut := tensor
		cut.Patch, cut.Merge, cut.Frames = side, merge, frames
		merge, frames = max(1, merge), max(1, frames)
		shape, err := cut.Size(m, r)
		require.NoError(t, err)
		require.Equal(t, [3]int{1, width / side * (height / side), channels * frames * side * side}, shape)
		got := make([]float32, shape[1]*shape[2])
		require.NoError(t, imageslice.Convert(got, m, r, cut, o))
		var want []float32
		for by := range height / block {
			for bx := range width / block {
				for patch := range merge * merge {
					x, y := bx*block+patch%merge*side, by*block+patch/merge*side
					for i := range shape[2] {
						c, i := i/(frames*side*side), i%(side*side)
						if tensor.Layout == imageslice.HWC {
							c, i = len(want)%shape[2]%channels, len(want)%shape[2]/channels
						}
						want = append(want, pixels[place(tensor, plain, c, y+i/side, x+i%side)])
					}
				}
			}
		}
		require.Equal(t, want, got, "%s, %v of %v, %+v", k.name, r, m.Bounds(), cut)
		bytes, wantBytes := make([]uint8, len(got)), make([]uint8, len(pixels))
		cut.Type, tensor.Type, cut.Affine, tensor.Affine = slice1.Uint8, slice1.Uint8, slice1.Affine{}, slice1.Affine{}
		require.NoError(t, imageslice.Convert(bytes, m, r, cut, o))
		require.NoError(t, imageslice.Convert(wantBytes, m, r, tensor, o))
		counts := [2][256]int{}
		for i, v := range bytes {
			counts[0][v]++
			if i%frames == 0 {
				counts[1][wantBytes[i/frames]] += frames
			}
		}
		require.Equal(t, counts[1], counts[0])
	}
}

// A large picture in patches is the same on several goroutines.
func TestPatchesOnGoroutines(t *testing.T) {
	m := ycbcr(rand.New(rand.NewPCG(81, 4)), image.Rect(0, 0, 700, 600), image.YCbCrSubsampleRatio420)
	for _, resize := range []image.Point{{}, {1120, 840}} {
		tensor := imageslice.Tensor{Patch: 10, Merge: 2, Frames: 2, Resize: resize}
		shape, err := tensor.Size(m, m.Bounds())
		require.NoError(t, err)
		one, three := make([]float32, shape[1]*shape[2]), make([]float32, shape[1]*shape[2])
		require.NoError(t, imageslice.Convert(one, m, m.Bounds(), tensor, slice1.WithParallelism(1)))
		for range 5 {
			clear(three)
			require.NoError(t, imageslice.Convert(three, m, m.Bounds(), tensor, slice1.WithParallelism(3)))
			require.True(t, slices.Equal(one, three), "%+v", tensor)
		}
	}
}

// What is refused of patches, and hostile numbers. Nothing is written.
func TestPatchesAreRefused(t *testing.T) {
	m := image.NewRGBA(image.Rect(0, 0, 8, 6))
	dst := make([]float32, 3*8*6)
	for _, c := range []struct {
		t  imageslice.Tensor
		is error
	}{
		{imageslice.Tensor{Patch: -1}, slice1.ErrSize},
		{imageslice.Tensor{Patch: 2, Merge: -1}, slice1.ErrSize},
		{imageslice.Tensor{Patch: 2, Frames: -1}, slice1.ErrSize},
		{imageslice.Tensor{Merge: 1}, slice1.ErrSize},
		{imageslice.Tensor{Frames: 1}, slice1.ErrSize},
		{imageslice.Tensor{Patch: 4}, slice1.ErrSize},
		{imageslice.Tensor{Patch: 3}, slice1.ErrSize},
		{imageslice.Tensor{Patch: 2, Merge: 2}, slice1.ErrSize},
		{imageslice.Tensor{Patch: math.MaxInt}, slice1.ErrSize},
		{imageslice.Tensor{Patch: 2, Merge: math.MaxInt}, slice1.ErrSize},
		{imageslice.Tensor{Patch: 1 << 32 % math.MaxInt, Merge: 1 << 32 % math.MaxInt}, slice1.ErrSize},
		{imageslice.Tensor{Patch: 2, Frames: math.MaxInt}, slice1.ErrOverflow},
		{imageslice.Tensor{Patch: 2, Frames: 2, Layout: imageslice.HWC}, errors.ErrUnsupported},
		{imageslice.Tensor{Patch: 2, Width: 10, Height: 8, At: image.Pt(1, 0), Fill: []float32{1}}, errors.ErrUnsupported},
		{imageslice.Tensor{Patch: 2, Frames: 2}, slice1.ErrBuffer},
	} {
		_, err := c.t.Size(m, m.Rect)
		if c.is != slice1.ErrBuffer {
			require.ErrorIs(t, err, c.is, "%+v", c.t)
		}
		require.ErrorIs(t, imageslice.Convert(dst, m, m.Rect, c.t), c.is, "%+v", c.t)
	}
	require.Equal(t, make([]float32, len(dst)), dst)
	require.ErrorIs(t, imageslice.Draw(m, m.Rect, dst, imageslice.Tensor{Patch: 2}), errors.ErrUnsupported)
	require.ErrorIs(t, imageslice.Convert(make([]float32, 240), m, m.Rect, imageslice.Tensor{Patch: 2, Width: 10, Height: 8}), slice1.ErrWindow)
}
