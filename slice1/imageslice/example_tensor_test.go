package imageslice_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"log"
	"math"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// letters is a picture of 6 x 4 pixels.
var letters = &image.Gray{Pix: []uint8("abcdefghijklmnopqrstuvwx"), Stride: 6, Rect: image.Rect(0, 0, 6, 4)}

// photo returns a JPEG file of one colour.
func photo(width, height int) []byte {
	m := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(m, m.Rect, image.NewUniform(color.RGBA{200, 100, 50, 255}), image.Point{}, draw.Src)
	var file bytes.Buffer
	if err := jpeg.Encode(&file, m, nil); err != nil {
		log.Fatal(err)
	}
	return file.Bytes()
}

// The middle of a JPEG becomes the input of a model that was trained with ImageNet's mean and
// deviation: a tensor of shape 1, 3, 224, 224 for ONNX Runtime's CreateTensor. A program that runs
// many pictures keeps the tensor.
func ExampleConvert() {
	m, err := decodePhoto(photo(640, 480)) // with a limit of pixels
	if err != nil {
		log.Fatal(err)
	}
	imageNet := imageslice.Normalize([]float32{0.485, 0.456, 0.406}, []float32{0.229, 0.224, 0.225})
	tensor, r := make([]float32, 1*3*224*224), imageslice.Center(m, 224, 224)
	if err := imageslice.Convert(tensor, m, r, imageslice.Tensor{Affine: imageNet}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f %.2f %.2f\n", tensor[0], tensor[224*224], tensor[2*224*224])
	// Output: 1.31 -0.29 -0.93
}

// A thumbnail of a photo.
func ExampleResize() {
	m, err := decodePhoto(photo(640, 480)) // with a limit of pixels
	if err != nil {
		log.Fatal(err)
	}
	thumbnail := image.NewRGBA(image.Rect(0, 0, 160, 120))
	err = imageslice.Resize(thumbnail, m, m.Bounds(), imageslice.Lanczos)
	fmt.Println(err, thumbnail.RGBAAt(80, 60))
	// Output: <nil> {200 100 50 255}
}

// A mask of classes gets the size of its picture. Nearest makes no classes that are not in the
// mask.
func ExampleResize_mask() {
	mask := &image.Gray{Pix: []uint8{1, 2, 7, 7}, Stride: 2, Rect: image.Rect(0, 0, 2, 2)}
	large := image.NewGray(image.Rect(0, 0, 6, 4))
	err := imageslice.Resize(large, mask, mask.Rect, imageslice.Nearest)
	fmt.Println(err, large.Pix[:6], large.Pix[18:])
	// Output: <nil> [1 1 1 2 2 2] [7 7 7 7 7 7]
}

// CLIP's input of a picture: its shorter side becomes 224 pixels by Pillow's bicubic filter, and
// the middle of that the tensor.
func ExampleTensor_ResizeCrop() {
	m, err := decodePhoto(photo(640, 480)) // with a limit of pixels
	if err != nil {
		log.Fatal(err)
	}
	clip := imageslice.Tensor{
		Filter: imageslice.Bicubic,
		Affine: imageslice.Normalize([]float32{0.48145466, 0.4578275, 0.40821073},
			[]float32{0.26862954, 0.26130258, 0.27577711}),
	}.ResizeCrop(m.Bounds(), 224, 224)
	tensor := make([]float32, 1*3*224*224)
	if err := imageslice.Convert(tensor, m, m.Bounds(), clip); err != nil {
		log.Fatal(err)
	}
	fmt.Println(clip.Resize, clip.At)
	fmt.Printf("%.2f %.2f %.2f\n", tensor[0], tensor[224*224], tensor[2*224*224])
	// Output:
	// (298,224) (-37,0)
	// 1.13 -0.25 -0.77
}

// A JPEG for a detector like YOLO, resized to 640 pixels on its longer side as OpenCV does, with
// grey above and below, in float16. The pixels and the margins are written to the tensor once.
func ExampleTensor_Letterbox() {
	m, err := decodePhoto(photo(1280, 720)) // with a limit of pixels
	if err != nil {
		log.Fatal(err)
	}
	yolo := imageslice.Tensor{
		Type:   slice1.Float16,
		Fill:   []float32{114. / 255},
		Affine: imageslice.Normalize(nil, nil), // to 0..1
	}.Letterbox(m.Bounds(), 640, 640)
	tensor := make([]uint16, 1*3*640*640) // float16
	err = imageslice.Convert(tensor, m, m.Bounds(), yolo)
	fmt.Println(err, yolo.Resize, yolo.At)
	fmt.Printf("%#x %#x\n", tensor[0], tensor[640*640/2])
	// Output:
	// <nil> (640,360) (0,140)
	// 0x3727 0x3a46
}

// Boxes that a detector found in a letterbox, in pixels of its tensor, become boxes in pixels of
// the picture. The output has a plane each for the centres' columns, their rows, widths and
// heights. A slice gives each box its own row.
func ExampleTensor_Source() {
	m := image.NewYCbCr(image.Rect(0, 0, 1280, 720), image.YCbCrSubsampleRatio420)
	yolo := imageslice.Tensor{Fill: []float32{114. / 255}}.Letterbox(m.Rect, 640, 640)

	const boxes = 2
	output := []float32{320, 600, 320, 480, 640, 100, 360, 60} // 4 x 2
	d, err := slice1.Whole(slice1.Float32, 4, boxes).Permute(1, 0)
	if err != nil {
		log.Fatal(err)
	}
	rows := make([]float32, len(output))
	if err := slice1.Copy(rows, output, d); err != nil {
		log.Fatal(err)
	}
	for i := range boxes {
		x, y, w, h := float64(rows[4*i]), float64(rows[4*i+1]), float64(rows[4*i+2]), float64(rows[4*i+3])
		left, top := yolo.Source(m.Rect, x-w/2, y-h/2)
		right, bottom := yolo.Source(m.Rect, x+w/2, y+h/2)
		whole := func(v float64) int { return int(math.Round(v)) }
		fmt.Println(image.Rect(whole(left), whole(top), whole(right), whole(bottom)).Intersect(m.Rect))
	}
	// Output:
	// (0,0)-(1280,720)
	// (1100,620)-(1280,720)
}

// Qwen2-VL's input of a photo. The sides become multiples of 28, and each row of the tensor is a
// patch of 14 x 14 pixels, in three channels and two equal frames. Four patches of a square follow
// each other. The model takes the number of patches down and across, too.
func ExampleTensor_SmartResize() {
	m, err := decodePhoto(photo(640, 480)) // with a limit of pixels
	if err != nil {
		log.Fatal(err)
	}
	qwen := imageslice.Tensor{
		Channels: 3, Filter: imageslice.Bicubic, Patch: 14, Merge: 2, Frames: 2,
		Affine: imageslice.Normalize([]float32{0.48145466, 0.4578275, 0.40821073},
			[]float32{0.26862954, 0.26130258, 0.27577711}),
	}.SmartResize(m.Bounds(), 28, 56*56, 28*28*1280)
	shape, err := qwen.Size(m, m.Bounds())
	if err != nil {
		log.Fatal(err)
	}
	tensor := make([]float32, shape[1]*shape[2])
	if err := imageslice.Convert(tensor, m, m.Bounds(), qwen); err != nil {
		log.Fatal(err)
	}
	fmt.Println(qwen.Resize, shape, qwen.Resize.Y/14, qwen.Resize.X/14)
	// Output: (644,476) [1 1564 1176] 34 46
}

// B, G and R, each less its mean, like cv2.dnn.blobFromImage(m, 1.0, size, (104, 177, 123)) of
// OpenCV makes them. OpenCV's pictures are in that order. Values of Affine are in the tensor's
// order.
func ExampleConvert_blobFromImage() {
	m := image.NewRGBA(image.Rect(0, 0, 300, 300))
	draw.Draw(m, m.Rect, image.NewUniform(color.RGBA{200, 100, 50, 255}), image.Point{}, draw.Src)
	blob := make([]float32, 1*3*300*300)
	err := imageslice.Convert(blob, m, m.Rect, imageslice.Tensor{
		BGR:    true,
		Affine: slice1.Affine{Bias: []float32{-104, -177, -123}},
	})
	fmt.Println(err, blob[0], blob[300*300], blob[2*300*300])
	// Output: <nil> -54 -77 77
}

// A model of int8 takes pixels from -1 to 1 with a scale of 2/255 and a zero point of -1. Divided
// by the scale, byte x is about x - 127.5, half way between two integers: [slice1.Affine.Quantize]
// makes the 215 codes that torchvision's Normalize and ONNX's QuantizeLinear make of it. Do not
// fold scale and zero point into one bias: x - 128.5 is half way for every byte, and ties to even
// leave 128 of the 256 codes. If the model is yours, give it a bias of -128, which loses none.
func ExampleConvert_int8() {
	m := image.NewGray(image.Rect(0, 0, 256, 1))
	for x := range m.Pix {
		m.Pix[x] = uint8(x)
	}
	codes := func(affine slice1.Affine) {
		tensor := make([]int8, 256)
		err := imageslice.Convert(tensor, m, m.Rect, imageslice.Tensor{Type: slice1.Int8, Affine: affine})
		different := map[int8]bool{}
		for _, code := range tensor {
			different[code] = true
		}
		fmt.Println(err, len(different), "codes:", tensor[:4], "to", tensor[252:])
	}
	half := []float64{0.5}
	codes(imageslice.Divide.Normalize(half, half).Quantize(2./255, -1))
	codes(slice1.Affine{Bias: []float32{-128.5}})
	codes(slice1.Affine{Bias: []float32{-128}})
	// Output:
	// <nil> 215 codes: [-128 -127 -126 -125] to [123 124 125 126]
	// <nil> 128 codes: [-128 -128 -126 -126] to [124 124 126 126]
	// <nil> 256 codes: [-128 -127 -126 -125] to [124 125 126 127]
}

// A batch of pictures is one tensor with an axis in front. Each picture has its part, and a
// goroutine of its own may write it.
func ExampleConvert_batch() {
	pictures := []image.Image{letters, image.NewRGBA(image.Rect(0, 0, 6, 4))}
	t := imageslice.Tensor{Channels: 3, Affine: imageslice.Normalize(nil, nil)}
	shape, err := t.Size(pictures[0], pictures[0].Bounds())
	if err != nil {
		log.Fatal(err)
	}
	n := shape[0] * shape[1] * shape[2]
	batch := make([]float32, len(pictures)*n)
	for i, m := range pictures {
		if err := imageslice.Convert(batch[i*n:][:n], m, m.Bounds(), t); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(shape, len(batch))
	fmt.Printf("%.3f %.3f\n", batch[0], batch[n])
	// Output:
	// [3 4 6] 144
	// 0.380 0.000
}

// A phone that lay on its side took a grey photo, with EXIF orientation 6. The model takes bytes in
// three channels, of the middle of the upright picture.
func ExampleTensor_Center() {
	t := imageslice.Tensor{Type: slice1.Uint8, Layout: imageslice.HWC, Channels: 3, Orientation: 6}
	r := t.Center(letters, 4, 2)
	shape, err := t.Size(letters, r)
	if err != nil {
		log.Fatal(err)
	}
	tensor := make([]uint8, shape[0]*shape[1]*shape[2])
	err = imageslice.Convert(tensor, letters, r, t)
	fmt.Println(err, r, shape, string(tensor))
	// Output: <nil> (0,2)-(4,4) [2 4 3] uuuoooiiicccvvvpppjjjddd
}

// A model's output, numbers from -1 to 1 in planes, becomes a PNG. Numbers outside of that range
// are limited and do not wrap.
func ExampleDraw() {
	output := []float32{
		-1, 1, // R
		0, 1.02, // G
		1, -3, // B
	}
	m := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	half := []float32{0.5}
	if err := imageslice.Draw(m, m.Rect, output, imageslice.Tensor{Affine: imageslice.Denormalize(half, half)}); err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := png.Encode(&file, m); err != nil {
		log.Fatal(err)
	}
	read, err := png.Decode(&file)
	fmt.Println(err, read.At(0, 0), read.At(1, 0))
	// Output: <nil> {0 128 255 255} {255 255 0 255}
}

// A picture that is smaller than the crop fills only a part of the tensor. Convert refuses that,
// because the planes would begin at other places. With a Fill, a window that leaves the picture is
// padded. Tensor.ResizeCrop scales the picture instead.
func ExampleCenter_smaller() {
	m := image.NewRGBA(image.Rect(0, 0, 200, 180))
	r := imageslice.Center(m, 224, 224)
	fmt.Println(r)
	tensor := make([]float32, 3*224*224)
	fmt.Println(imageslice.Convert(tensor, m, r, imageslice.Tensor{}))

	r = image.Rect(-12, -22, 212, 202)
	fmt.Println(imageslice.Convert(tensor, m, r, imageslice.Tensor{Fill: []float32{0}}))
	// Output:
	// (0,0)-(200,180)
	// imageslice: dst has 150528 values, a tensor of shape [3 180 200] has 108000
	// <nil>
}
