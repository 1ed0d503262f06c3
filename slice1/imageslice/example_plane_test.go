package imageslice_test

import (
	"fmt"
	"image"
	"log"

	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// logits returns a model's logits of side x side: positive in a disc.
func logits(side int, x, y, radius float64) []float32 {
	numbers := make([]float32, side*side)
	for i := range numbers {
		dx, dy := float64(i%side)+.5-x, float64(i/side)+.5-y
		numbers[i] = float32(radius*radius - dx*dx - dy*dy)
	}
	return numbers
}

// masked returns how many logits are above 0.
func masked(numbers []float32) (n int) {
	for _, v := range numbers {
		if v > 0 {
			n++
		}
	}
	return n
}

// YOLO's masks: logits of 160 x 160 for a letterbox of 640 x 640 become a mask of the picture's
// size. The letterbox's border is cut off first, the logits grow, and only then are compared with
// 0: a mask that grew would have steps of 12 pixels. Several masks are several planes.
func ExampleResizePlane() {
	picture, side := image.Rect(0, 0, 1920, 1080), 160
	t := imageslice.Tensor{}.Letterbox(picture, 640, 640)
	part := image.Rectangle{Min: t.At.Div(4), Max: t.At.Add(t.Resize).Div(4)} // 640 / 160
	small := logits(side, 80, 80, 30)
	large := make([]float32, picture.Dx()*picture.Dy())
	err := imageslice.ResizePlane(large, picture.Size(), small, image.Pt(side, side), part, imageslice.Linear)
	if err != nil {
		log.Fatal(err)
	}
	mask := image.NewAlpha(picture)
	for i, v := range large {
		if v > 0 {
			mask.Pix[i] = 255
		}
	}
	fmt.Println(part, masked(small), masked(large), mask.AlphaAt(960, 540).A, mask.AlphaAt(0, 0).A)
	// Output: (0,35)-(160,125) 2828 407013 255 0
}

// SAM's three masks, as its postprocess_masks makes them: logits of 256 x 256 grow to the 1024 x
// 1024 of the model's input, whose padding is cut off, and become as large as the picture.
func ExampleResizePlane_sam() {
	const masks, input = 3, 1024
	picture, resized := image.Pt(640, 427), image.Pt(1024, 683) // ExampleTensor_sam has these sizes
	var small []float32
	for i := range masks {
		small = append(small, logits(256, 128, 85, 20+10*float64(i))...)
	}
	grown, large := make([]float32, masks*input*input), make([]float32, masks*picture.X*picture.Y)
	err := imageslice.ResizePlane(grown, image.Pt(input, input), small, image.Pt(256, 256), image.Rectangle{}, imageslice.Linear)
	if err == nil {
		err = imageslice.ResizePlane(large, picture, grown, image.Pt(input, input), image.Rectangle{Max: resized}, imageslice.Linear)
	}
	if err != nil {
		log.Fatal(err)
	}
	for i := range masks {
		fmt.Println(masked(large[i*picture.X*picture.Y:][:picture.X*picture.Y]))
	}
	// Output:
	// 7852
	// 17672
	// 31410
}
