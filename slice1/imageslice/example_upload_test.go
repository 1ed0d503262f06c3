package imageslice_test

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg" // what clients may send
	_ "image/png"
	"io"
	"log"
	"net/http"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// clipInput makes CLIP's input of a photo: a tensor of shape 1, 3, 224, 224 for ONNX Runtime.
func clipInput(file []byte) ([]float32, error) {
	c, _, err := image.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	if int64(c.Width)*int64(c.Height) > 50e6 { // a file of a few KiB can claim any number of pixels
		return nil, fmt.Errorf("%d x %d pixels are too many", c.Width, c.Height)
	}
	m, format, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	m = imageslice.Decoded(m, format)                               // a JPEG's colours as in Python
	orientation, _ := imageslice.Orientation(bytes.NewReader(file)) // of EXIF; 1 if there is none
	clip := imageslice.Tensor{
		Channels:    3, // grey photos have one
		Orientation: orientation,
		Filter:      imageslice.Bicubic,
		Affine: imageslice.Normalize([]float32{0.48145466, 0.4578275, 0.40821073},
			[]float32{0.26862954, 0.26130258, 0.27577711}),
	}
	upright := clip.Whole(m) // all of the photo, turned upright
	tensor := make([]float32, 1*3*224*224)
	return tensor, imageslice.Convert(tensor, m, upright, clip.ResizeCrop(upright, 224, 224))
}

func embed(w http.ResponseWriter, r *http.Request) {
	var tensor []float32
	file, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 50<<20))
	if err == nil {
		tensor, err = clipInput(file)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	fmt.Fprintln(w, len(tensor), tensor[:3]) // here the model runs
}

func Example_readme() {
	if err := slice1.CheckEnvironment(); err != nil { // a wrong SLICE1_KERNEL would fail each photo
		log.Fatal(err)
	}
	http.HandleFunc("POST /", embed)
	log.Fatal(http.ListenAndServe(":8080", nil))
}
