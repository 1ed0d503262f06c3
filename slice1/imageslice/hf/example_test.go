package hf_test

import (
	"fmt"
	"image"
	"log"

	"github.com/seed2e45c115/dml/slice1/imageslice"
	"github.com/seed2e45c115/dml/slice1/imageslice/hf"
)

// DINOv2's input of a photo that lies on its side, by the file preprocessor_config.json of the
// model.
func ExampleParse() {
	file := []byte(`{
		"image_processor_type": "BitImageProcessor",
		"size": {"shortest_edge": 256}, "crop_size": {"height": 224, "width": 224}, "resample": 3,
		"image_mean": [0.485, 0.456, 0.406], "image_std": [0.229, 0.224, 0.225]
	}`)
	dino, err := hf.Parse(file) // once
	if err != nil {
		log.Fatal(err)
	}
	var photo image.Image = image.NewRGBA(image.Rect(0, 0, 640, 480))
	upright := imageslice.Tensor{Orientation: 6}.Whole(photo)
	t, err := dino.Tensor(upright)
	if err != nil {
		log.Fatal(err)
	}
	t.Orientation = 6
	shape, err := t.Size(photo, upright)
	if err != nil {
		log.Fatal(err)
	}
	tensor := make([]float32, shape[0]*shape[1]*shape[2])
	if err := imageslice.Convert(tensor, photo, upright, t); err != nil {
		log.Fatal(err)
	}
	fmt.Println(shape, t.Resize, dino.Exact())
	fmt.Println(tensor[0])
	// Output:
	// [3 224 224] (256,341) true
	// -2.117904
}
