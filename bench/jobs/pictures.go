package main

import (
	"image"
	"image/color"
	"math/rand/v2"

	"github.com/x448/float16"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

var (
	mean = []float32{0.485, 0.456, 0.406}
	std  = []float32{0.229, 0.224, 0.225}
)

// photo returns a picture of random pixels.
func photo(width, height int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	noise(m.Pix)
	for i := 3; i < len(m.Pix); i += 4 {
		m.Pix[i] = 255
	}
	return m
}

// noise fills b with random bytes, the same in each run of the program.
func noise(b []uint8) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range b {
		b[i] = uint8(rng.Uint32())
	}
}

var pix = job{
	name:      "pix",
	title:     "A picture's middle for ImageNet",
	note:      "The loop over `Pix` that most programs with ONNX Runtime have. Both give the same numbers up to rounding.",
	tolerance: 1e-6,
	make: func() (theirs, ours func(), _ func() float64) {
		m, want, got := photo(640, 480), make([]float32, 3*224*224), make([]float32, 3*224*224)
		return func() { pixBefore(want, m) }, func() { check(0, pixAfter(got, m)) }, difference(want, got)
	},
}

func pixBefore(tensor []float32, m *image.RGBA) {
	const side = 224
	x0 := (m.Rect.Dx() - side) / 2
	y0 := (m.Rect.Dy() - side) / 2
	for y := range side {
		for x := range side {
			i := m.PixOffset(m.Rect.Min.X+x0+x, m.Rect.Min.Y+y0+y)
			pixel := y*side + x
			tensor[pixel] = (float32(m.Pix[i])/255 - mean[0]) / std[0]
			tensor[side*side+pixel] = (float32(m.Pix[i+1])/255 - mean[1]) / std[1]
			tensor[2*side*side+pixel] = (float32(m.Pix[i+2])/255 - mean[2]) / std[2]
		}
	}
}

func pixAfter(tensor []float32, m image.Image) error {
	options := imageslice.Tensor{Affine: imageslice.Normalize(mean, std)}
	return imageslice.Convert(tensor, m, imageslice.Center(m, 224, 224), options)
}

// mat is what gocv gives of a picture: pixels of B, G and R.
type mat struct {
	rows, cols int
	data       []uint8
}

// GetVecbAt returns the channels of a pixel, as gocv's method does.
func (m *mat) GetVecbAt(row, col int) []uint8 {
	return m.data[(row*m.cols+col)*3:][:3]
}

var blob = job{
	name:      "blob",
	title:     "A detector's input from an OpenCV picture",
	note:      "Face detectors fill a square with the picture and the rest with a constant, in planes, pixel by pixel through `GetVecbAt`.",
	tolerance: 1e-6,
	make: func() (theirs, ours func(), _ func() float64) {
		m := &mat{rows: 360, cols: 640, data: make([]uint8, 360*640*3)}
		noise(m.data)
		want, got := make([]float32, 3*640*640), make([]float32, 3*640*640)
		return func() { blobBefore(want, m) }, func() { check(0, blobAfter(got, m)) }, difference(want, got)
	},
}

func blobBefore(tensor []float32, m *mat) {
	const side = 640
	for c := range 3 {
		for y := range side {
			for x := range side {
				v := float32(0)
				if y < m.rows && x < m.cols {
					v = float32(m.GetVecbAt(y, x)[c])
				}
				tensor[c*side*side+y*side+x] = (v - 127.5) / 128
			}
		}
	}
}

func blobAfter(tensor []float32, m *mat) error {
	bounds := image.Rect(0, 0, m.cols, m.rows)
	picture := &imageslice.Pixels{Pix: m.data, Stride: 3 * m.cols, Rect: bounds, Order: imageslice.BGR}
	return imageslice.Convert(tensor, picture, bounds, imageslice.Tensor{
		BGR: true, Width: 640, Height: 640, Fill: []float32{-127.5 / 128},
		Affine: slice1.Affine{Scale: []float32{1. / 128}, Bias: []float32{-127.5 / 128}},
	})
}

var hugot = job{
	name:      "hugot",
	title:     "A batch through nested slices",
	note:      "Pipelines that know no picture type call `At` for each pixel and keep numbers in slices of slices.",
	tolerance: 1e-6,
	make: func() (theirs, ours func(), _ func() float64) {
		batch := []image.Image{photo(224, 224), photo(224, 224), photo(224, 224), photo(224, 224)}
		var nested [][][][]float32
		flat := make([]float32, len(batch)*3*224*224)
		return func() { nested = hugotBefore(batch) }, func() { check(0, hugotAfter(flat, batch)) }, func() float64 {
			var frames []float32
			for _, picture := range nested {
				for _, plane := range picture {
					for _, row := range plane {
						frames = append(frames, row...)
					}
				}
			}
			return difference(frames, flat)()
		}
	},
}

func hugotBefore(batch []image.Image) [][][][]float32 {
	tensors := make([][][][]float32, len(batch))
	for i, m := range batch {
		bounds := m.Bounds()
		tensors[i] = make([][][]float32, 3)
		for c := range 3 {
			tensors[i][c] = make([][]float32, bounds.Dy())
			for y := range bounds.Dy() {
				tensors[i][c][y] = make([]float32, bounds.Dx())
			}
		}
		for y := range bounds.Dy() {
			for x := range bounds.Dx() {
				r, g, b, _ := m.At(bounds.Min.X+x, bounds.Min.Y+y).RGBA()
				for c, v := range []uint32{r, g, b} {
					tensors[i][c][y][x] = (float32(v>>8)/255 - mean[c]) / std[c]
				}
			}
		}
	}
	return tensors
}

func hugotAfter(tensor []float32, batch []image.Image) error {
	options := imageslice.Tensor{Affine: imageslice.Normalize(mean, std)}
	size := len(tensor) / len(batch)
	for i, m := range batch {
		if err := imageslice.Convert(tensor[i*size:][:size], m, m.Bounds(), options); err != nil {
			return err
		}
	}
	return nil
}

var half = job{
	name:      "half",
	title:     "A float16 model's input",
	note:      "The only door for float16 of many runtimes is bytes, which programs fill through github.com/x448/float16 after a tensor of float32.",
	tolerance: 1,
	make: func() (theirs, ours func(), _ func() float64) {
		m, want, got := photo(512, 512), make([]uint16, 3*512*512), make([]uint16, 3*512*512)
		planes := make([]float32, len(want))
		return func() { halfBefore(want, planes, m) }, func() { check(0, halfAfter(got, m)) }, difference(want, got)
	},
}

func halfBefore(tensor []uint16, planes []float32, m *image.RGBA) {
	size := m.Rect.Dx() * m.Rect.Dy()
	for i := range size {
		for c := range 3 {
			planes[c*size+i] = float32(m.Pix[4*i+c]) / 255
		}
	}
	for i, v := range planes {
		tensor[i] = float16.Fromfloat32(v).Bits()
	}
}

func halfAfter(tensor []uint16, m image.Image) error {
	options := imageslice.Tensor{Type: slice1.Float16, Affine: imageslice.Normalize(nil, nil)}
	return imageslice.Convert(tensor, m, m.Bounds(), options)
}

var camera = job{
	name:      "camera",
	title:     "A camera's NV12 to RGBA",
	note:      "The formula of BT.601 in integers, for each pixel. Its coefficients have 8 bits, so that values differ by up to 2 of 255.",
	tolerance: 2,
	make: func() (theirs, ours func(), _ func() float64) {
		const width, height = 1280, 720
		pix := make([]uint8, width*height*3/2)
		noise(pix)
		for i := range pix { // limited range
			pix[i] = 16 + pix[i]%220
		}
		want, got := image.NewRGBA(image.Rect(0, 0, width, height)), image.NewRGBA(image.Rect(0, 0, width, height))
		return func() { cameraBefore(want, pix, width, height) }, func() { check(0, cameraAfter(got, pix)) }, difference(want.Pix, got.Pix)
	},
}

func cameraBefore(m *image.RGBA, pix []uint8, width, height int) {
	clamp := func(v int) uint8 { return uint8(min(max(v, 0), 255)) }
	for y := range height {
		for x := range width {
			l := 298 * (int(pix[y*width+x]) - 16)
			pair := width*height + y/2*width + x/2*2
			cb, cr := int(pix[pair])-128, int(pix[pair+1])-128
			m.SetRGBA(x, y, color.RGBA{
				R: clamp((l + 409*cr + 128) >> 8),
				G: clamp((l - 100*cb - 208*cr + 128) >> 8),
				B: clamp((l + 516*cb + 128) >> 8),
				A: 255,
			})
		}
	}
}

func cameraAfter(m *image.RGBA, pix []uint8) error {
	frame, err := imageslice.NV12(pix, m.Rect.Dx(), m.Rect.Dy(), 0)
	if err != nil {
		return err
	}
	return imageslice.ToRGBA(m, frame, frame.Rect)
}
