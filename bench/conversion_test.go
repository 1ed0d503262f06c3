package main

import (
	"encoding/binary"
	"fmt"
	"image"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// BenchmarkConversions measures conversions of the inputs and outputs of models, on one goroutine.
// It compares them with the loops of Go programs:
//
//	go -C bench test -run - -bench Conversions -count 6 | tee conversions.txt
//	benchstat -col /by conversions.txt
func BenchmarkConversions(b *testing.B) {
	alone := slice1.WithParallelism(1)
	run := func(name string, bytes int, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(bytes))
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	prepare := func(d *slice1.Desc, to slice1.DataType, a slice1.Affine, opts ...slice1.Option) *slice1.Plan {
		c, err := slice1.NewPlan(d, append(opts, alone, slice1.WithNumbers(to, a))...)
		require.NoError(b, err)
		return c
	}

	// A picture, normalised, in planes.
	a := imageslice.Normalize([]float32{0.485, 0.456, 0.406}, []float32{0.229, 0.224, 0.225})
	size := image.Pt(1920, 1080)
	toFloat32, rgba := pictureOf(b, size, 4, imageslice.CHW, &a)
	n := 3 * size.X * size.Y
	floats, halves, bytes := make([]float32, n), make([]uint16, n), make([]int8, n)
	for _, pages := range [][]byte{slice1.Bytes(floats), slice1.Bytes(halves), slice1.Bytes(bytes)} {
		clear(pages) // so that the system has given them
	}
	d := slice1.NewDesc(slice1.Uint8, []int{size.Y, size.X, 4}, slice1.Window{Offsets: []int{0, 0, 0}, Sizes: []int{size.Y, size.X, 3}, Strides: []int{1, 1, 1}, Out: []int{size.Y, size.X, 3}})
	d, err := d.Permute(2, 0, 1)
	require.NoError(b, err)
	toHalf := prepare(d, slice1.Float16, a)
	quantised := slice1.Affine{Scale: []float32{1. / 2}, Bias: []float32{-64}}
	toInt8 := prepare(d, slice1.Int8, quantised)
	run("rgba/to=float32/by=dml", 4*n, func() error { return slice1.Run(toFloat32, floats, rgba) })
	run("rgba/to=float16/by=dml", 2*n, func() error { return slice1.Run(toHalf, halves, rgba) })
	run("rgba/to=float16/by=loop", 2*n, func() error {
		err := slice1.Run(toFloat32, floats, rgba)
		for i, y := range floats {
			halves[i] = halfOf(y)
		}
		return err
	})
	run("rgba/to=int8/by=dml", n, func() error { return slice1.Run(toInt8, bytes, rgba) })
	run("rgba/to=int8/by=loop", n, func() error {
		plane := n / 3
		for c := range 3 {
			for i := range plane {
				bytes[c*plane+i] = int8(min(max(math.RoundToEven(float64(float32(rgba[4*i+c])*0.5-64)), -128), 127))
			}
		}
		return nil
	})

	// A model's output as a picture.
	const side = 1024
	planes, m := floats[:3*side*side], image.NewRGBA(image.Rect(0, 0, side, side))
	for i := range planes {
		planes[i] = float32(i%300)/255 - 0.1
	}
	back := imageslice.Tensor{Affine: imageslice.Denormalize(nil, nil)}
	run("picture/by=dml", 4*side*side, func() error { return imageslice.Draw(m, m.Rect, planes, back) })
	run("picture/by=loop", 4*side*side, func() error {
		for i := range side * side {
			for c := range 3 {
				m.Pix[4*i+c] = uint8(min(max(planes[c*side*side+i]*255, 0), 255))
			}
			m.Pix[4*i+3] = 255
		}
		return nil
	})

	// A second of stereo sound, in either byte order, to planes and back.
	const samples = 48000
	sound, voices := make([]byte, 4*samples), floats[:2*samples]
	fill(sound)
	split, err := slice1.Whole(slice1.Int16, samples, 2).Permute(1, 0)
	require.NoError(b, err)
	join, err := slice1.Whole(slice1.Float32, 2, samples).Permute(1, 0)
	require.NoError(b, err)
	scale := slice1.Affine{Scale: []float32{1. / 32768}}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		c := prepare(split, slice1.Float32, scale, slice1.WithByteOrder(order))
		run("sound/order="+order.String()+"/by=dml", 8*samples, func() error { return c.Run(slice1.Bytes(voices), sound) })
		run("sound/order="+order.String()+"/by=loop", 8*samples, func() error {
			for i := range samples {
				voices[i] = float32(int16(order.Uint16(sound[4*i:]))) / 32768
				voices[samples+i] = float32(int16(order.Uint16(sound[4*i+2:]))) / 32768
			}
			return nil
		})
	}
	toSound := prepare(join, slice1.Int16, slice1.Affine{Scale: []float32{32767}})
	run("voices/by=dml", 4*samples, func() error { return toSound.Run(sound, slice1.Bytes(voices)) })
	run("voices/by=loop", 4*samples, func() error {
		for i := range samples {
			for c := range 2 {
				y := min(max(voices[c*samples+i]*32767, -32768), 32767)
				binary.LittleEndian.PutUint16(sound[4*i+2*c:], uint16(int16(math.RoundToEven(float64(y)))))
			}
		}
		return nil
	})

	// Each pair of types, contiguous.
	types := []slice1.DataType{slice1.Uint8, slice1.Int8, slice1.Uint16, slice1.Int16, slice1.Int32, slice1.Float16, slice1.BFloat16, slice1.Float32}
	src, dst := make([]byte, 64<<10), make([]byte, 64<<10)
	fill(src)
	for _, from := range types {
		for _, to := range types {
			c := prepare(slice1.Whole(from, 16<<10), to, slice1.Affine{Scale: []float32{0.5}, Bias: []float32{1}})
			run("from="+from.String()+"/to="+to.String(), 16<<10*to.Size(), func() error { return c.Run(dst, src) })
		}
	}
}

// BenchmarkTables measures what a table takes beside the product and sum that it generalises, by
// each kernel in C and on one goroutine: RGB pixels become planes of float32, as
// [imageslice.Divide] and as [imageslice.Normalize] have them, or the int8 of a quantised model.
// The loop has the two divisions that the table replaces.
//
//	go -C bench test -run - -bench Tables -count 6 | tee tables.txt
//	benchstat -col /by tables.txt
func BenchmarkTables(b *testing.B) {
	mean, std := []float32{0.485, 0.456, 0.406}, []float32{0.229, 0.224, 0.225}
	means, stds := []float64{0.485, 0.456, 0.406}, []float64{0.229, 0.224, 0.225}
	for _, size := range []image.Point{{224, 224}, {1920, 1080}} {
		shape := []int{size.Y, size.X, 3}
		n := 3 * size.X * size.Y
		src, floats, bytes := make([]uint8, n), make([]float32, n), make([]int8, n)
		fill(src)
		clear(slice1.Bytes(floats))
		clear(bytes)
		planes, err := slice1.Whole(slice1.Uint8, shape...).Permute(2, 0, 1)
		require.NoError(b, err)
		pixels := slice1.Whole(slice1.Uint8, shape...)
		measure := func(layout, to, kernel, by string, run func() error) {
			b.Run(fmt.Sprintf("size=%dx%d/layout=%s/to=%s/kernel=%s/by=%s", size.X, size.Y, layout, to, kernel, by), func(b *testing.B) {
				b.SetBytes(int64(n))
				for b.Loop() {
					if err := run(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		table, product := imageslice.Divide.Normalize(means, stds), imageslice.Normalize(mean, std)
		codes, folded := imageslice.Divide.Normalize(means, stds).Quantize(0.0186, -14), slice1.Affine{Scale: []float32{0.92, 0.94, 0.93}, Bias: []float32{-128, -123, -111}}
		for _, k := range slice1.Kernels() {
			if !k.Usable || k.Name == "go" {
				continue
			}
			for _, way := range []struct {
				layout string
				desc   *slice1.Desc
				axis   int
			}{{"CHW", planes, 0}, {"HWC", pixels, 2}} {
				plan := func(to slice1.DataType, a slice1.Affine) *slice1.Plan {
					a.Axis = way.axis
					p, err := slice1.NewPlan(way.desc, slice1.WithNumbers(to, a), slice1.WithParallelism(1), slice1.WithKernel(k.Name))
					require.NoError(b, err)
					return p
				}
				for _, by := range []struct {
					name  string
					float *slice1.Plan
					codes *slice1.Plan
				}{{"product", plan(slice1.Float32, product), plan(slice1.Int8, folded)}, {"table", plan(slice1.Float32, table), plan(slice1.Int8, codes)}} {
					measure(way.layout, "float32", k.Name, by.name, func() error { return slice1.Run(by.float, floats, src) })
					measure(way.layout, "int8", k.Name, by.name, func() error { return slice1.Run(by.codes, bytes, src) })
				}
			}
		}
		measure("CHW", "float32", "none", "loop", func() error {
			for c := range 3 {
				plane, m, s := floats[c*n/3:(c+1)*n/3], mean[c], std[c]
				for i := range plane {
					plane[i] = (float32(src[3*i+c])/255 - m) / s
				}
			}
			return nil
		})
	}
}

// halfOf converts a float32 to a float16, like packages in Go.
func halfOf(y float32) uint16 {
	bits := math.Float32bits(y)
	sign, exponent, fraction := uint16(bits>>16&0x8000), int(bits>>23&0xff)-112, bits&0x7fffff
	switch {
	case exponent >= 31:
		return sign | 0x7c00
	case exponent <= 0:
		if exponent < -10 {
			return sign
		}
		fraction |= 0x800000
		shift := uint(14 - exponent)
		half := fraction >> shift
		if rest := fraction & (1<<shift - 1); rest > 1<<(shift-1) || rest == 1<<(shift-1) && half&1 == 1 {
			half++
		}
		return sign | uint16(half)
	}
	half := uint32(exponent)<<10 | fraction>>13
	if rest := fraction & 0x1fff; rest > 0x1000 || rest == 0x1000 && half&1 == 1 {
		half++
	}
	return sign | uint16(half)
}
