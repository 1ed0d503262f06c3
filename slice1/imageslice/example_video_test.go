package imageslice_test

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"log"
	"math"

	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// A detector's boxes are drawn into a frame, which becomes NV12 again for an encoder. Source turns
// places in the model's input into places in the frame. A program that has many frames keeps the
// picture and the tensor.
func ExampleToFrame() {
	pix := make([]byte, 1280*720*3/2)
	for i := range pix {
		pix[i] = 128 // grey
	}
	frame, err := imageslice.NV12(pix, 1280, 720, 0)
	if err != nil {
		log.Fatal(err)
	}
	frame.Matrix = imageslice.BT709
	input := imageslice.Tensor{}.Letterbox(frame.Rect, 640, 640)
	detected := [][4]float64{{100, 200, 300, 400}} // by the model, of Convert with input: left, top, right, bottom

	picture := image.NewRGBA(frame.Rect)
	if err := imageslice.ToRGBA(picture, frame, frame.Rect); err != nil {
		log.Fatal(err)
	}
	red := image.NewUniform(color.RGBA{255, 0, 0, 255})
	for _, b := range detected {
		left, top := input.Source(frame.Rect, b[0], b[1])
		right, bottom := input.Source(frame.Rect, b[2], b[3])
		box := image.Rect(int(left), int(top), int(math.Ceil(right)), int(math.Ceil(bottom)))
		inside := box.Inset(4)
		for _, edge := range []image.Rectangle{
			{box.Min, image.Pt(box.Max.X, inside.Min.Y)}, {image.Pt(box.Min.X, inside.Max.Y), box.Max},
			{box.Min, image.Pt(inside.Min.X, box.Max.Y)}, {image.Pt(inside.Max.X, box.Min.Y), box.Max},
		} {
			draw.Draw(picture, edge, red, image.Point{}, draw.Src)
		}
		fmt.Println(box)
	}
	if err := imageslice.ToFrame(frame, picture, picture.Rect); err != nil {
		log.Fatal(err)
	}
	fmt.Println(pix[120*1280+200], pix[1280*720+60*1280+200:][:2]) // a corner of the box: luma, then Cb and Cr
	fmt.Println(pix[130*1280+210], pix[1280*720+65*1280+210:][:2])
	// Output:
	// (200,120)-(600,520)
	// 63 [102 240]
	// 128 [128 128]
}
