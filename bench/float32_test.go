package main

import (
	"fmt"
	"image"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// BenchmarkFloat32 measures pixels of bytes that become the normalised float32 of a model's input,
// on one goroutine. The conversion is made before. It is compared with the plain loop in Go and
// with clearing the result:
//
//	go -C bench test -run - -bench Float32 -count 6 | tee float32.txt
//	benchstat -col /by float32.txt
func BenchmarkFloat32(b *testing.B) {
	a := imageslice.Normalize([]float32{0.485, 0.456, 0.406}, []float32{0.229, 0.224, 0.225})
	for _, size := range []image.Point{{224, 224}, {1920, 1080}} {
		dst := make([]float32, 3*size.X*size.Y)
		run := func(name string, f func() error) {
			b.Run(fmt.Sprintf("height=%d/%s", size.Y, name), func(b *testing.B) {
				b.SetBytes(int64(4 * len(dst)))
				for b.Loop() {
					if err := f(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		run("by=clear", func() error { clear(dst); return nil })
		for _, channels := range []int{3, 4} {
			for _, layout := range []imageslice.Layout{imageslice.CHW, imageslice.HWC} {
				p, src := pictureOf(b, size, channels, layout, &a)
				name := fmt.Sprintf("channels=%d/layout=%s/by=", channels, [...]string{"chw", "hwc"}[layout])
				run(name+"dml", func() error { return slice1.Run(p, dst, src) })
				run(name+"loop", func() error { convertLoop(dst, src, channels, layout, a); return nil })
			}
		}
	}
}

// BenchmarkFloat32Rows measures rows of bytes that become float32, on one goroutine. It compares
// one pass, two passes and the plain loop in Go. Two passes are a slice and then the conversion of
// the packed result. Rows are every second column of twice as many, or columns that become rows, or
// the rows of square patches of a picture of 560 rows of 840.
//
//	go -C bench test -run - -bench Float32Rows | tee rows.txt
func BenchmarkFloat32Rows(b *testing.B) {
	for _, n := range []int{1, 3, 4, 7, 8, 14, 15, 16, 17, 24, 28, 31, 32, 33, 47, 48, 49, 56, 64, 96, 128, 160, 224, 300} {
		rows := max(1, 4096/n)
		float32Rows(b, "apart", n, slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{rows, n}, Strides: []int{2 * n, 1}})
		float32Rows(b, "transposed", n, slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{n, rows}, Strides: []int{1, n}})
		if n > 3 && 560%n == 0 && 840%n == 0 {
			float32Rows(b, "patches", n, slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{560 / n, 840 / n, n, n}, Strides: []int{840 * n, n, 840, 1}})
		}
	}
}

// float32Rows measures the conversion of a whole tensor to a packed one.
func float32Rows(b *testing.B, layout string, n int, in slice1.TensorDesc) {
	whole := slice1.Whole(slice1.Uint8, in.Sizes...)
	a := slice1.Affine{Scale: []float32{1. / 255}, Bias: []float32{-0.5}}
	packed, err := slice1.NewPlan(whole, slice1.WithNumbers(slice1.Float32, a), slice1.WithParallelism(1))
	require.NoError(b, err)
	whole.Input = in
	p, err := slice1.NewPlan(whole, slice1.WithParallelism(1))
	require.NoError(b, err)
	c, err := slice1.NewPlan(whole, slice1.WithNumbers(slice1.Float32, a), slice1.WithParallelism(1))
	require.NoError(b, err)
	src, between := make([]uint8, p.SrcSize()), make([]uint8, p.DstSize())
	dst := make([]float32, p.DstSize())
	fill(src)
	run := func(by string, f func() error) {
		b.Run(fmt.Sprintf("rows=%s/n=%d/by=%s", layout, n, by), func(b *testing.B) {
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(dst)), "ns/element")
		})
	}
	run("one", func() error { return slice1.Run(c, dst, src) })
	run("two", func() error {
		if err := slice1.Run(p, between, src); err != nil {
			return err
		}
		return slice1.Run(packed, dst, between)
	})
	run("loop", func() error { convertRows(dst, src, in.Sizes, in.Strides, a); return nil })
}

// convertRows is the code that a Go programmer writes: a loop for each axis.
func convertRows(dst []float32, src []uint8, sizes, strides []int, a slice1.Affine) (rest []float32) {
	if len(sizes) > 1 {
		for i := range sizes[0] {
			dst = convertRows(dst, src[i*strides[0]:], sizes[1:], strides[1:], a)
		}
		return dst
	}
	scale, bias, step := a.Scale[0], a.Bias[0], strides[0]
	for i := range dst[:sizes[0]] {
		dst[i] = float32(src[i*step])*scale + bias
	}
	return dst[sizes[0]:]
}

// pictureOf returns a picture of so many channels, and a conversion that takes the first three of
// them.
func pictureOf(b *testing.B, size image.Point, channels int, l imageslice.Layout, a *slice1.Affine) (*slice1.Plan, []uint8) {
	shape := []int{size.Y, size.X, channels}
	w, err := slice1.Crop(shape, nil, []int{size.Y, size.X, 3})
	require.NoError(b, err)
	d := slice1.NewDesc(slice1.Uint8, shape, w)
	if a.Axis = 2; l == imageslice.CHW {
		a.Axis = 0
		d, err = d.Permute(2, 0, 1)
		require.NoError(b, err)
	}
	p, err := slice1.NewPlan(d, slice1.WithNumbers(slice1.Float32, *a), slice1.WithParallelism(1))
	require.NoError(b, err)
	src := make([]uint8, size.X*size.Y*channels)
	fill(src)
	return p, src
}

func convertLoop(dst []float32, src []uint8, channels int, l imageslice.Layout, a slice1.Affine) {
	n := len(src) / channels
	pixel, plane := 3, 1
	if l == imageslice.CHW {
		pixel, plane = 1, n
	}
	for c := range 3 {
		scale, bias := a.Scale[c], a.Bias[c]
		to, from := dst[c*plane:], src[c:]
		for i := range n {
			to[i*pixel] = float32(from[i*channels])*scale + bias
		}
	}
}
