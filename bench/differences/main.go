// Command differences resizes a PNG for pictures.py -differences, and writes R, G and B of the
// result:
//
//	differences BY FILTER WIDTH HEIGHT FILE
//
// BY is dml, draw for golang.org/x/image/draw, or imaging for github.com/disintegration/imaging.
package main

import (
	"image"
	stddraw "image/draw"
	"image/png"
	"log"
	"os"
	"strconv"

	"github.com/disintegration/imaging"
	"golang.org/x/image/draw"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

var filters = map[string]imageslice.Filter{"bilinear": imageslice.Bilinear, "bicubic": imageslice.Bicubic, "lanczos": imageslice.Lanczos, "box": imageslice.Box,
	"hamming": imageslice.Hamming, "nearest": imageslice.Nearest, "linear": imageslice.Linear, "area": imageslice.Area}

var scalers = map[string]draw.Scaler{"bilinear": draw.BiLinear, "bicubic": draw.CatmullRom, "nearest": draw.NearestNeighbor, "linear": draw.ApproxBiLinear}

var resamplers = map[string]imaging.ResampleFilter{"bilinear": imaging.Linear, "bicubic": imaging.CatmullRom, "lanczos": imaging.Lanczos, "box": imaging.Box, "nearest": imaging.NearestNeighbor}

// resized returns the picture m in another size.
func resized(library, filter string, m *image.RGBA, size image.Rectangle) image.Image {
	dst := image.NewRGBA(size)
	switch library {
	case "draw":
		scalers[filter].Scale(dst, size, m, m.Rect, draw.Src, nil)
	case "imaging":
		return imaging.Resize(m, size.Dx(), size.Dy(), resamplers[filter])
	default:
		if err := imageslice.Resize(dst, m, m.Rect, filters[filter]); err != nil {
			log.Fatal(err)
		}
	}
	return dst
}

func main() {
	width, err := strconv.Atoi(os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	height, err := strconv.Atoi(os.Args[4])
	if err != nil {
		log.Fatal(err)
	}
	file, err := os.Open(os.Args[5])
	if err != nil {
		log.Fatal(err)
	}
	m, err := png.Decode(file)
	if err != nil {
		log.Fatal(err)
	}
	src := image.NewRGBA(image.Rectangle{Max: m.Bounds().Size()})
	stddraw.Draw(src, src.Rect, m, m.Bounds().Min, stddraw.Src)
	result := resized(os.Args[1], os.Args[2], src, image.Rect(0, 0, width, height))
	rgb := make([]uint8, 3*width*height)
	if err := imageslice.Convert(rgb, result, result.Bounds(), imageslice.Tensor{Type: slice1.Uint8, Layout: imageslice.HWC}); err != nil {
		log.Fatal(err)
	}
	if _, err := os.Stdout.Write(rgb); err != nil {
		log.Fatal(err)
	}
}
