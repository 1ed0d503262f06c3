package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
	"github.com/seed2e45c115/dml/slice1/npy"
)

// The tour writes the same bytes as one call of the library gives. The test does not use t.TempDir,
// since that calls os.RemoveAll at the end, which fails under Wine 8.
func TestTour(t *testing.T) {
	const in = "../../../../../testdata"
	out, err := os.MkdirTemp("", "tour")
	require.NoError(t, err)
	t.Cleanup(func() {
		for _, name := range []string{"astronaut.png", "f32_nchw.npy", "tensor.npy", "."} {
			require.NoError(t, os.Remove(filepath.Join(out, name)))
		}
	})
	tour(in, out)
	decode := func(folder string) image.Image {
		return must(png.Decode(bytes.NewReader(must(os.ReadFile(filepath.Join(folder, "astronaut.png"))))))
	}
	whole := decode(in)
	want, err := imageslice.Slice(whole, image.Rect(61, 0, 401, 400), -2, 2)
	require.NoError(t, err)
	require.Equal(t, want, decode(out))

	src, shape := read(t, filepath.Join(in, "arrays/f32_nchw.npy"))
	flipped, of, err := slice1.Slice(src, shape, "[:, ::-1, ::2, ::-1]")
	require.NoError(t, err)
	dst, shape := read(t, filepath.Join(out, "f32_nchw.npy"))
	require.Equal(t, of, shape)
	require.Equal(t, flipped, dst)

	values, shape := read(t, filepath.Join(out, "tensor.npy"))
	require.Equal(t, []int{1, 3, 224, 224}, shape)
	r, _, _, _ := whole.At(144, 144).RGBA()
	require.InDelta(t, (float64(r>>8)/255-0.485)/0.229, values[0], 1e-6)
}

func read(t *testing.T, name string) ([]float32, []int) {
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	values, shape, err := npy.Read[float32](f)
	require.NoError(t, err)
	return values, shape
}
