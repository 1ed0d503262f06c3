package imageslice_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

var pipelines = map[string]imageslice.Pipeline{"divide": imageslice.Divide, "times": imageslice.Times, "fused": imageslice.Fused, "fused64": imageslice.Fused64,
	"reciprocal": imageslice.Reciprocal, "blob": imageslice.Blob, "mmcv": imageslice.MMCV, "double": imageslice.Double, "exact": imageslice.Exact}

// pipelineRow is a line of pipelines.jsonl: the CRC-32 of what a pipeline makes of each byte, for
// each channel, little-endian.
type pipelineRow struct {
	Pipeline, Set, Float32, Float16 string
	Mean, Std                       []float64
}

func pipelineRows(t *testing.T) (rows []pipelineRow) {
	file, err := os.ReadFile("../../testdata/pipelines.jsonl")
	require.NoError(t, err)
	for line := range bytes.Lines(file) {
		var r pipelineRow
		require.NoError(t, json.Unmarshal(line, &r))
		rows = append(rows, r)
	}
	require.Len(t, rows, 54)
	return rows
}

// crc is the CRC-32 of numbers, little-endian.
func crc[T uint16 | float32](t *testing.T, numbers []T) string {
	var b bytes.Buffer
	require.NoError(t, binary.Write(&b, binary.LittleEndian, numbers))
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE(b.Bytes()))
}

// Each pipeline makes the numbers that the Python library makes, by its table, by Convert in each
// layout and order of channels, resampled or not, and by a plan.
func TestPipelinesMakeTheNumbersOfLibraries(t *testing.T) {
	rgba, grey := image.NewRGBA(image.Rect(0, 0, 16, 16)), image.NewGray(image.Rect(0, 0, 16, 16)) // every byte in each channel
	for i := range 256 {
		copy(rgba.Pix[4*i:], []uint8{uint8(i), uint8(i), uint8(i), 255})
		grey.Pix[i] = uint8(i)
	}
	for _, r := range pipelineRows(t) {
		p, ok := pipelines[r.Pipeline]
		require.True(t, ok, r.Pipeline)
		a := p.Normalize(r.Mean, r.Std)
		require.Equal(t, -1, a.Axis)
		require.Equal(t, r.Float32, crc(t, a.Table), "%v", r)
		channels, m := len(r.Mean), image.Image(rgba)
		if channels == 1 {
			m = grey
		}
		for _, kernel := range kernels() {
			for _, layout := range []imageslice.Layout{imageslice.CHW, imageslice.HWC} {
				for _, bgr := range []bool{false, true} {
					for _, resize := range []image.Point{{}, {X: 16, Y: 16}} {
						how := imageslice.Tensor{Layout: layout, BGR: bgr, Affine: a, Resize: resize}
						floats, halves := make([]float32, 256*channels), make([]uint16, 256*channels)
						require.NoError(t, imageslice.Convert(floats, m, m.Bounds(), how, slice1.WithKernel(kernel)))
						how.Type = slice1.Float16
						require.NoError(t, imageslice.Convert(halves, m, m.Bounds(), how, slice1.WithKernel(kernel)))
						if layout == imageslice.HWC {
							floats, halves = planesOf(floats, channels), planesOf(halves, channels)
						}
						require.Equal(t, r.Float32, crc(t, floats), "%s %v %v", kernel, r, how)
						require.Equal(t, r.Float16, crc(t, halves), "%s %v %v", kernel, r, how)
					}
				}
			}
			a.Axis = 0
			d := slice1.Whole(slice1.Uint8, channels, 256)
			d.Input.Strides = []int{1, 4}
			got := make([]float32, 256*channels)
			require.NoError(t, slice1.Copy(got, rgba.Pix, d, slice1.WithNumbers(slice1.Float32, a), slice1.WithKernel(kernel)))
			require.Equal(t, r.Float32, crc(t, got), "%s %v", kernel, r)
		}
	}
}

// planesOf returns pixels channel by channel.
func planesOf[T any](pixels []T, channels int) (planes []T) {
	for c := range channels {
		for i := c; i < len(pixels); i += channels {
			planes = append(planes, pixels[i])
		}
	}
	return planes
}

func kernels() (names []string) {
	for _, k := range slice1.Kernels() {
		if k.Usable {
			names = append(names, k.Name)
		}
	}
	return names
}

// Lists that make no table, tables of wrong lengths and values that exclude each other are errors
// that name the field, and nothing is written.
func TestTablesThatTensorsRefuse(t *testing.T) {
	rgb := image.NewRGBA(image.Rect(0, 0, 2, 2))
	deep := image.NewRGBA64(rgb.Rect)
	good := []float64{.5, .5, .5}
	table := make([]float32, 256)
	for i, row := range []struct {
		m     image.Image
		a     slice1.Affine
		is    error
		field string
	}{
		{rgb, imageslice.Divide.Normalize(good[:2], good), slice1.ErrSize, "Affine.Table"},
		{rgb, imageslice.Divide.Normalize(good, good[:1]), slice1.ErrSize, "Affine.Table"},
		{rgb, imageslice.Divide.Normalize(nil, nil), slice1.ErrSize, "Affine.Table"},
		{rgb, imageslice.Divide.Normalize([]float64{123.675, 116, 103}, good), slice1.ErrSize, "Affine.Table"},
		{rgb, imageslice.Pipeline(9).Normalize(good, good), slice1.ErrSize, "Affine.Table"},
		{rgb, imageslice.Pipeline(-1).Normalize(good, good), slice1.ErrSize, "Affine.Table"},
		{rgb, imageslice.Divide.Normalize(good, good).Quantize(0, 1), slice1.ErrSize, "Affine.Table"},
		{rgb, imageslice.Divide.Normalize(good, good).Quantize(float32(math.NaN()), 1), slice1.ErrSize, "Affine.Table"},
		{rgb, imageslice.Normalize([]float32{.5, .5}, []float32{.5, .5, .5}).Quantize(1, 1), slice1.ErrSize, "Affine.Table"},
		{rgb, slice1.Quantize([]float32{1}, nil).Quantize(1, 1), slice1.ErrSize, "Affine.Table"},
		{rgb, slice1.Affine{Table: make([]float32, 512)}, slice1.ErrSize, "Affine.Table"},
		{rgb, slice1.Affine{Zero: []int32{1, 2}, Divide: true}, slice1.ErrSize, "Affine.Zero"},
		{rgb, slice1.Affine{Scale: []float32{0}, Divide: true}, slice1.ErrSize, "Affine.Scale"},
		{rgb, slice1.Affine{Table: table, Scale: []float32{1}}, errors.ErrUnsupported, "Affine.Scale"},
		{rgb, slice1.Affine{Table: table, Bias: []float32{1}}, errors.ErrUnsupported, "Affine.Bias"},
		{rgb, slice1.Affine{Zero: []int32{1}, Bias: []float32{1}}, errors.ErrUnsupported, "Affine.Zero"},
		{rgb, slice1.Affine{Zero: []int32{1}, Divide: true}, errors.ErrUnsupported, "Affine.Zero"},
		{deep, slice1.Affine{Table: table}, errors.ErrUnsupported, "Affine.Table"},
		{deep, slice1.Affine{Zero: []int32{1}}, errors.ErrUnsupported, "Affine.Zero"},
	} {
		dst := []float32{7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}
		how := imageslice.Tensor{Affine: row.a}
		if row.field == "Affine.Zero" && row.is == slice1.ErrSize {
			how.Type = slice1.Int8
			bytes := make([]int8, 12)
			requireField(t, imageslice.Convert(bytes, row.m, rgb.Rect, how), row.is, row.field, i)
			continue
		}
		requireField(t, imageslice.Convert(dst, row.m, rgb.Rect, how), row.is, row.field, i)
		require.Equal(t, []float32{7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7}, dst)
	}
}

func requireField(t *testing.T, err, is error, field string, row int) {
	t.Helper()
	require.ErrorIs(t, err, is, row)
	place, ok := errors.AsType[*slice1.DescError](err)
	require.True(t, ok, row)
	require.Equal(t, field, place.Field, row)
}
