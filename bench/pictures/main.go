// Command pictures measures package imageslice and layouts of pictures beside the code
// that people use instead, on one processor:
//
//	go -C bench run ./pictures
//
// It measures the eight orientations of EXIF, of a picture of 12 megapixels in RGBA,
// against disintegration/imaging. Both make a new picture. With -numpy it also measures,
// against NumPy in the given Python, a batch of 256 pictures of 256 x 256 pixels in NHWC
// layout that is cropped to 224 x 224, mirrored and brought to NCHW. A plan does that in
// one pass, NumPy in two: one crops and mirrors, the other transposes. Times are medians, in
// milliseconds, of rounds in which both sides take turns. A ratio is the median of the ratios
// of the other's time to dml's within each round.
package main

import (
	"flag"
	"fmt"
	"image"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/disintegration/imaging"

	"github.com/seed2e45c115/dml/cpuid"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// theirs are imaging's functions for the orientations, by the numbers of EXIF.
var theirs = [...]func(image.Image) *image.NRGBA{
	1: imaging.Clone, 2: imaging.FlipH, 3: imaging.Rotate180, 4: imaging.FlipV,
	5: imaging.Transpose, 6: imaging.Rotate270, 7: imaging.Transverse, 8: imaging.Rotate90,
}

func main() {
	width := flag.Int("width", 4000, "columns of the picture")
	height := flag.Int("height", 3000, "rows of the picture")
	rounds := flag.Int("rounds", 11, "rounds")
	python := flag.String("numpy", "", "`command` that runs Python with NumPy, none to leave it out")
	flag.Parse()
	runtime.GOMAXPROCS(1)
	fmt.Printf("%s, %s, imaging %s\n\n", cpuid.Host().Brand, runtime.Version(), versionOf("github.com/disintegration/imaging"))
	if err := orientations(os.Stdout, opaque(*width, *height), *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "pictures:", err)
		os.Exit(1)
	}
	if *python != "" {
		if err := batches(os.Stdout, *python, *rounds); err != nil {
			fmt.Fprintln(os.Stderr, "pictures:", err)
			os.Exit(1)
		}
	}
}

// versionOf returns the version of a module that this program is built with.
func versionOf(module string) string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if d.Path == module {
				return d.Version
			}
		}
	}
	return "of unknown version"
}

// opaque returns a picture of random colours without transparency. Of such a picture both
// libraries make the same bytes, though imaging's are NRGBA.
func opaque(width, height int) *image.RGBA {
	rng := rand.New(rand.NewPCG(1, 2))
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = uint8(rng.Uint32())
		if i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	return m
}

// orientations prints a table of the times of all orientations of a picture.
func orientations(w io.Writer, m *image.RGBA, rounds int) error {
	fmt.Fprintf(w, "%v pixels of RGBA, ms for a new picture\n", m.Rect.Size())
	fmt.Fprintln(w, "orientation      dml  imaging  x imaging")
	for o := 1; o <= 8; o++ {
		var failed error
		own := func() {
			if _, err := imageslice.Orient(m, o); err != nil {
				failed = err
			}
		}
		a, b, x := race(rounds, clocked(own), clocked(func() { theirs[o](m) }))
		if failed != nil {
			return failed
		}
		fmt.Fprintf(w, "%-11d %8.1f %8.1f %10.1f\n", o, a, b, x)
	}
	return nil
}

// clocked returns a function that runs f and returns its time in milliseconds. Before that, it
// collects the garbage of earlier runs, which does not count.
func clocked(f func()) func() float64 {
	return func() float64 {
		runtime.GC()
		start := time.Now()
		f()
		return float64(time.Since(start).Microseconds()) / 1000
	}
}

// race runs f and g by turns, once for nothing and then `rounds` times. It returns the medians of
// the times that they return, and of the ratios of g's time to f's.
func race(rounds int, f, g func() float64) (first, second, ratio float64) {
	var a, b, r []float64
	f()
	g()
	for range rounds {
		x, y := f(), g()
		a, b, r = append(a, x), append(b, y), append(r, y/x)
	}
	return median(a), median(b), median(r)
}

func median(x []float64) float64 {
	slices.Sort(x)
	return x[len(x)/2]
}
