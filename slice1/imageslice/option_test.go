package imageslice_test

import (
	"encoding/binary"
	"errors"
	"image"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// Pictures are the same by every kernel, on any number of goroutines, with any stores. An option
// that means nothing for pictures is an error that names it, and nothing is written.
func TestOptionsOfPictures(t *testing.T) {
	rng := rand.New(rand.NewPCG(64, 1))
	r := image.Rect(0, 0, 700, 530) // more than 4 MiB of float32
	frame, err := imageslice.NV12(noise(rng, 700*530*3/2), 700, 530, 0)
	require.NoError(t, err)
	rgba := image.NewRGBA(r)
	scramble(rgba, rng)
	var kernels []slice1.Option
	for _, k := range slice1.Kernels() {
		if k.Usable {
			kernels = append(kernels, slice1.WithKernel(k.Name))
		}
	}
	means := slices.Concat(kernels, []slice1.Option{{}, slice1.WithParallelism(1), slice1.WithParallelism(3), slice1.WithStreaming(1), slice1.WithStreaming(-1), slice1.WithLearning(false)})
	nothing := map[string]slice1.Option{"WithCandidate": slice1.WithCandidate("x"), "WithMeasure": slice1.WithMeasure(time.Second), "WithByteOrder": slice1.WithByteOrder(binary.BigEndian)}
	unknown := slice1.WithKernel("none")
	size := 3 * 700 * 530
	coded, err := imageslice.NV12(make([]uint8, 700*530*3/2), 700, 530, 0)
	require.NoError(t, err)
	for _, m := range []image.Image{frame, rgba} {
		coded.FullRange = true
		require.NoError(t, imageslice.ToFrame(coded, m, r))
		want, drawn, opaque := make([]float32, size), image.NewRGBA(r), image.NewRGBA(r)
		require.NoError(t, imageslice.Convert(want, m, r, imageslice.Tensor{}))
		require.NoError(t, imageslice.Draw(drawn, r, want, imageslice.Tensor{}))
		require.NoError(t, imageslice.ToRGBA(opaque, frame, r))
		for _, o := range means {
			got, back, same := make([]float32, size), image.NewRGBA(r), image.NewRGBA(r)
			require.NoError(t, imageslice.Convert(got, m, r, imageslice.Tensor{}, o))
			require.True(t, slices.Equal(want, got))
			require.NoError(t, imageslice.Draw(back, r, want, imageslice.Tensor{}, o))
			require.True(t, slices.Equal(drawn.Pix, back.Pix))
			require.NoError(t, imageslice.ToRGBA(same, frame, r, o))
			require.True(t, slices.Equal(opaque.Pix, same.Pix))
			again, err := imageslice.NV12(make([]uint8, 700*530*3/2), 700, 530, 0)
			require.NoError(t, err)
			again.FullRange = true
			require.NoError(t, imageslice.ToFrame(again, m, r, o))
			require.True(t, slices.Equal(coded.Y, again.Y) && slices.Equal(coded.Cb, again.Cb))
		}
		got, empty := make([]float32, size), image.NewRGBA(r)
		refused := func(o slice1.Option) []error {
			return []error{imageslice.Convert(got, m, r, imageslice.Tensor{}, o), imageslice.Draw(empty, r, want, imageslice.Tensor{}, o), imageslice.ToRGBA(empty, frame, r, o),
				imageslice.ToFrame(coded, m, r, o)}
		}
		for name, o := range nothing {
			for _, err := range refused(o) {
				require.ErrorIs(t, err, errors.ErrUnsupported)
				require.EqualError(t, err, "imageslice: "+name+" is no option for pictures")
			}
		}
		for _, err := range refused(unknown) {
			require.ErrorIs(t, err, slice1.ErrKernel)
			require.Regexp(t, "^imageslice: ", err.Error())
		}
		require.Equal(t, make([]float32, size), got)
		require.Equal(t, make([]uint8, len(empty.Pix)), empty.Pix)
	}
}
