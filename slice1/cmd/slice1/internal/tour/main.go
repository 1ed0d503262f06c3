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
	for _, step := range []func(in, out string) error{picture, array, tensor} {
		if err := step("testdata", "out"); err != nil {
			log.Fatal(err)
		}
	}
}

// picture mirrors a part of a picture and keeps every second row and column.
func picture(in, out string) error {
	in, out = filepath.Join(in, "astronaut.png"), filepath.Join(out, "astronaut.png")
	m, err := open(in)
	if err != nil {
		return err
	}
	src, t, err := imageslice.View(m)
	if err != nil {
		return err
	}
	const index = "[:400:2, 400:60:-2]"
	window, shape, err := slice1.ParseIndex(index, t.Sizes)
	if err != nil {
		return err
	}
	plan, err := slice1.NewPlan(window.Of(t))
	if err != nil {
		return err
	}
	part := image.NewRGBA(image.Rect(0, 0, shape[1], shape[0]))
	if err := timed(in, index, out, part.Pix, func() error { return slice1.Run(plan, part.Pix, src) }); err != nil {
		return err
	}
	return create(out, func(f *os.File) error { return png.Encode(f, part) })
}

// array flips an array of pictures in planes and keeps every second row.
func array(in, out string) error {
	in, out = filepath.Join(in, "arrays/f32_nchw.npy"), filepath.Join(out, "f32_nchw.npy")
	f, err := os.Open(in)
	if err != nil {
		return err
	}
	defer f.Close()
	src, shape, err := npy.Read[float32](f)
	if err != nil {
		return err
	}
	const index = "[:, ::-1, ::2, ::-1]"
	window, of, err := slice1.ParseIndex(index, shape)
	if err != nil {
		return err
	}
	plan, err := slice1.NewPlan(slice1.NewDesc(slice1.Float32, shape, window))
	if err != nil {
		return err
	}
	dst := make([]float32, of[0]*of[1]*of[2]*of[3])
	if err := timed(in, index, out, slice1.Bytes(dst), func() error { return slice1.Run(plan, dst, src) }); err != nil {
		return err
	}
	return create(out, func(f *os.File) error { return npy.Write(f, dst, of) })
}

// tensor makes the middle of a picture a model's input: planes, normalised with ImageNet's mean and
// deviation.
func tensor(in, out string) error {
	in, out = filepath.Join(in, "astronaut.png"), filepath.Join(out, "tensor.npy")
	m, err := open(in)
	if err != nil {
		return err
	}
	dst, r := make([]float32, 3*224*224), imageslice.Center(m, 224, 224)
	how := imageslice.Tensor{Affine: imageslice.Normalize([]float32{0.485, 0.456, 0.406}, []float32{0.229, 0.224, 0.225})}
	if err := timed(in, r.String(), out, slice1.Bytes(dst), func() error { return imageslice.Convert(dst, m, r, how) }); err != nil {
		return err
	}
	return create(out, func(f *os.File) error { return npy.Write(f, dst, []int{1, 3, 224, 224}) })
}

func open(name string) (image.Image, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return png.Decode(f)
}

func create(name string, write func(f *os.File) error) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		return err
	}
	return f.Close()
}

// timed runs a slice to dst once. It then runs it 128 times, so that it learns which way is the
// fastest, and goes on for at least 10 ms, since some clocks have steps of half a millisecond. At
// last it runs the slice in turns with copies of as many bytes. It prints how long each took.
func timed(in, index, out string, dst []byte, run func() error) error {
	const rounds, long = 15, 10 * time.Millisecond
	took := func(n int, call func() error) (time.Duration, error) {
		began := time.Now()
		for range n {
			if err := call(); err != nil {
				return 0, err
			}
		}
		return time.Since(began), nil
	}
	first, err := took(1, run)
	if err != nil {
		return err
	}
	src, n := slices.Clone(dst), 64
	for spent := time.Duration(0); spent < long; {
		n *= 2
		if spent, err = took(n, run); err != nil {
			return err
		}
	}
	var slice, memcpy [rounds]time.Duration
	for i := range rounds {
		if slice[i], err = took(n, run); err != nil {
			return err
		}
		memcpy[i], _ = took(n, func() error { copy(dst, src); return nil })
	}
	of := func(times []time.Duration) string {
		slices.Sort(times)
		t := times[rounds/2]
		return fmt.Sprintf("%v (%.3g GB/s)", t/time.Duration(n), float64(len(dst))*float64(n)/float64(t.Nanoseconds()))
	}
	fmt.Printf("%s %s -> %s, %d bytes\n\tfirst run %v, one of %d %s, memcpy of as many bytes %s\n",
		in, index, out, len(dst), first, n, of(slice[:]), of(memcpy[:]))
	return nil
}
