// Tour is the program of `make run`. It slices a picture and an array, and makes a picture a
// model's input. For each it prints how long the first run takes, how long one of many runs takes,
// like in a service, and how long Go's copy takes for as many bytes.
package main

import (
	"fmt"
	"image"
	"image/png"
	"log"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
	"github.com/seed2e45c115/dml/slice1/npy"
)

func main() {
	log.SetFlags(0)
	tour("testdata", "out")
}

// must ends the program if err is not nil, and else returns v.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// tour reads files in one folder and writes the results into another.
func tour(in, out string) {
	open := func(name string) *os.File { return must(os.Open(filepath.Join(in, name))) }
	create := func(name string, write func(f *os.File) error) {
		f := must(os.Create(filepath.Join(out, name)))
		must(0, write(f))
		must(0, f.Close())
	}
	must(0, os.MkdirAll(out, 0o777))

	// A part of a picture, mirrored, every second row and column.
	m := must(png.Decode(open("astronaut.png")))
	pix, t, err := imageslice.View(m)
	must(0, err)
	window, of, err := slice1.ParseIndex("[:400:2, 400:60:-2]", t.Sizes)
	must(0, err)
	plan := must(slice1.NewPlan(window.Of(t)))
	part := image.NewRGBA(image.Rect(0, 0, of[1], of[0]))
	timed("astronaut.png", part.Pix, func() error { return slice1.Run(plan, part.Pix, pix) })
	create("astronaut.png", func(f *os.File) error { return png.Encode(f, part) })

	// An array of pictures in planes, flipped, every second row.
	src, shape, err := npy.Read[float32](open("arrays/f32_nchw.npy"))
	must(0, err)
	window, of, err = slice1.ParseIndex("[:, ::-1, ::2, ::-1]", shape)
	must(0, err)
	d, flipped := slice1.NewDesc(slice1.Float32, shape, window), make([]float32, of[0]*of[1]*of[2]*of[3])
	timed("f32_nchw.npy", slice1.Bytes(flipped), func() error { return slice1.Copy(flipped, src, d) })
	create("f32_nchw.npy", func(f *os.File) error { return npy.Write(f, flipped, of) })

	// The middle of a picture as a model's input: planes, with ImageNet's mean and deviation.
	tensor, r := make([]float32, 3*224*224), imageslice.Center(m, 224, 224)
	how := imageslice.Tensor{Affine: imageslice.Normalize([]float32{0.485, 0.456, 0.406}, []float32{0.229, 0.224, 0.225})}
	timed("tensor.npy", slice1.Bytes(tensor), func() error { return imageslice.Convert(tensor, m, r, how) })
	create("tensor.npy", func(f *os.File) error { return npy.Write(f, tensor, []int{1, 3, 224, 224}) })
}

// timed runs a slice to dst once, then until it has learned which way is the fastest, and then as
// often as Go copies as many bytes. It prints how long one run and one copy took.
func timed(name string, dst []byte, run func() error) {
	const long = 50 * time.Millisecond
	took := func(n int, call func() error) time.Duration {
		began := time.Now()
		for range n {
			must(0, call())
		}
		return time.Since(began) / time.Duration(n)
	}
	first, n, src, copied := took(1, run), 64, slices.Clone(dst), slices.Clone(dst)
	for took(n, run)*time.Duration(n) < long {
		n *= 2
	}
	slice, memcpy := took(n, run), took(n, func() error { copy(copied, src); return nil })
	fmt.Printf("%s, %d bytes: first run %v, one of %d %v, memcpy of as many bytes %v\n", name, len(dst), first, n, slice, memcpy)
}
