package imageslice_test

import (
	"fmt"
	"image"
	"image/color"
	"log"
	"math"
	"slices"
	"sync"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// SAM's input: the longer side becomes 1024 pixels, and what is missing on the right and below is 0
// in the tensor, behind the normalisation. The sides are rounded half up, as SAM does.
func ExampleTensor_sam() {
	m, err := decodePhoto(photo(640, 427)) // with a limit of pixels
	if err != nil {
		log.Fatal(err)
	}
	const side = 1024
	r := m.Bounds()
	factor := side / float64(max(r.Dx(), r.Dy()))
	sam := imageslice.Tensor{
		Channels: 3, Width: side, Height: side, Fill: []float32{0},
		Resize: image.Pt(int(float64(r.Dx())*factor+0.5), int(float64(r.Dy())*factor+0.5)),
		Affine: imageslice.Normalize([]float32{0.485, 0.456, 0.406}, []float32{0.229, 0.224, 0.225}),
	}
	tensor := make([]float32, 1*3*side*side)
	err = imageslice.Convert(tensor, m, r, sam)
	x, y := sam.Source(r, 512, 341.5) // a point of the tensor in the photo
	fmt.Println(err, sam.Resize, tensor[side*side-1], x, y)
	// Output: <nil> (1024,683) 0 320 213.5
}

// SigLIP's input: the whole picture, stretched to a square, in numbers from -1 to 1.
func ExampleTensor_siglip() {
	m, err := decodePhoto(photo(640, 480)) // with a limit of pixels
	if err != nil {
		log.Fatal(err)
	}
	half := []float32{0.5}
	siglip := imageslice.Tensor{Channels: 3, Resize: image.Pt(384, 384), Filter: imageslice.Bicubic, Affine: imageslice.Normalize(half, half)}
	tensor := make([]float32, 1*3*384*384)
	err = imageslice.Convert(tensor, m, m.Bounds(), siglip)
	fmt.Printf("%v %.2f\n", err, tensor[0])
	// Output: <nil> 0.57
}

// The lines of text that PaddleOCR has found become one batch: 48 pixels high, as wide as their
// shape asks for, B, G and R from -1 to 1. Behind a shorter line the tensor is 0.
func ExampleConvert_textLines() {
	page := image.NewRGBA(image.Rect(0, 0, 800, 600))
	lines := []image.Rectangle{image.Rect(40, 50, 360, 90), image.Rect(40, 100, 190, 140)}
	const height = 48
	width := 320
	for _, r := range lines {
		width = max(width, int(float64(height*r.Dx())/float64(r.Dy())))
	}
	half := []float32{0.5}
	batch := make([]float32, len(lines)*3*height*width)
	for i, r := range lines {
		t := imageslice.Tensor{
			BGR: true, Channels: 3, Filter: imageslice.Linear, Width: width, Height: height, Fill: []float32{0},
			Resize: image.Pt(min(width, int(math.Ceil(float64(height*r.Dx())/float64(r.Dy())))), height),
			Affine: imageslice.Normalize(half, half),
		}
		if err := imageslice.Convert(batch[i*3*height*width:][:3*height*width], page, r, t); err != nil {
			log.Fatal(err)
		}
		fmt.Println(t.Resize)
	}
	second := batch[3*height*width:]
	fmt.Println(width, second[179], second[180])
	// Output:
	// (384,48)
	// (180,48)
	// 384 -1 0
}

// A depth map of numbers becomes a grey picture, the nearest point black and the farthest white.
func ExampleDraw_depth() {
	depth := []float32{
		0.5, 1, 1.5,
		2, 2.5, 3,
	}
	nearest, farthest := slices.Min(depth), slices.Max(depth)
	scale := 255 / max(farthest-nearest, 1e-6)
	m := image.NewGray(image.Rect(0, 0, 3, 2))
	t := imageslice.Tensor{Affine: slice1.Affine{Scale: []float32{scale}, Bias: []float32{-nearest * scale}}}
	err := imageslice.Draw(m, m.Rect, depth, t)
	fmt.Println(err, m.Pix)
	// Output: <nil> [0 51 102 153 204 255]
}

// A mask of classes in colours, at the size of its picture: the classes are the indices of a
// palette. Nearest makes no classes that are not in the mask.
func ExampleResize_colours() {
	mask := &image.Gray{Pix: []uint8{0, 1, 1, 2}, Stride: 2, Rect: image.Rect(0, 0, 2, 2)}
	large := image.NewGray(image.Rect(0, 0, 6, 4))
	if err := imageslice.Resize(large, mask, mask.Rect, imageslice.Nearest); err != nil {
		log.Fatal(err)
	}
	m := &image.Paletted{Pix: large.Pix, Stride: large.Stride, Rect: large.Rect, Palette: color.Palette{
		color.RGBA{A: 255}, color.RGBA{R: 220, G: 20, B: 60, A: 255}, color.RGBA{G: 128, A: 255}}}
	fmt.Println(m.At(0, 0), m.At(5, 0), m.At(5, 3)) // png.Encode writes a palette
	// Output: {0 0 0 255} {220 20 60 255} {0 128 0 255}
}

// Uploads become one batch, each on a goroutine of its own that writes its part. What is no photo
// leaves its part 0 and says why. WithParallelism(1) keeps each on its goroutine.
func ExampleConvert_uploads() {
	uploads := [][]byte{photo(640, 480), []byte("no photo"), photo(300, 500)}
	const numbers = 3 * 224 * 224
	batch, errs := make([]float32, len(uploads)*numbers), make([]error, len(uploads))
	var all sync.WaitGroup
	for i, file := range uploads {
		all.Go(func() {
			m, err := decodePhoto(file) // with a limit of pixels
			if errs[i] = err; err != nil {
				return
			}
			t := imageslice.Tensor{Channels: 3, Affine: imageslice.Normalize(nil, nil)}.ResizeCrop(m.Bounds(), 256, 224)
			errs[i] = imageslice.Convert(batch[i*numbers:][:numbers], m, m.Bounds(), t, slice1.WithParallelism(1))
		})
	}
	all.Wait()
	for i, err := range errs {
		fmt.Printf("%v %.2f\n", err, batch[i*numbers])
	}
	// Output:
	// <nil> 0.78
	// image: unknown format 0.00
	// <nil> 0.78
}
