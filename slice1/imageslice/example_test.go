package imageslice_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// print prints each row of m on a line.
func print(m *image.Gray) {
	for y := range m.Rect.Dy() {
		fmt.Printf("%s\n", m.Pix[y*m.Stride:][:m.Rect.Dx()])
	}
}

// A crop, the picture upside down and mirrored, and every second pixel.
func ExampleSlice() {
	crop, err := imageslice.Slice(letters, image.Rect(1, 1, 4, 3), 1, 1)
	if err != nil {
		log.Fatal(err)
	}
	print(crop)
	turned, err := imageslice.Slice(letters, letters.Rect, -1, -1)
	if err != nil {
		log.Fatal(err)
	}
	print(turned)
	thin, err := imageslice.Slice(letters, letters.Rect, 2, 2)
	if err != nil {
		log.Fatal(err)
	}
	print(thin)
	// Output:
	// hij
	// nop
	// xwvuts
	// rqponm
	// lkjihg
	// fedcba
	// ace
	// moq
}

// Part of a picture, mirrored, into part of another.
func ExampleCopy() {
	page := image.NewGray(image.Rect(0, 0, 8, 4))
	for i := range page.Pix {
		page.Pix[i] = '.'
	}
	place := page.SubImage(image.Rect(4, 1, 7, 3))
	if err := imageslice.Copy(place, letters, image.Rect(0, 0, 3, 2), -1, 1); err != nil {
		log.Fatal(err)
	}
	print(page)
	// Output:
	// ........
	// ....cba.
	// ....ihg.
	// ........
}

// The green channel becomes a picture of its own. The plan can run on every picture with this size
// and Stride.
func ExampleView() {
	m := image.NewRGBA(image.Rect(0, 0, 3, 2))
	copy(m.Pix, "Rg1.Ro2.Rl3.Ra4.Ru5.Rb6.")
	src, in, err := imageslice.View(m)
	if err != nil {
		log.Fatal(err)
	}
	green := image.NewGray(m.Rect)
	dst, out, err := imageslice.View(green)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := slice1.NewPlan(&slice1.Desc{
		Input: in, Output: out,
		WindowOffsets: []int{0, 0, 1}, WindowSizes: []int{2, 3, 1}, WindowStrides: []int{1, 1, 1},
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := plan.Run(dst, src); err != nil {
		log.Fatal(err)
	}
	print(green)
	// Output:
	// gol
	// aub
}

// A picture with EXIF orientation 6 is turned upright.
func ExampleOrient() {
	shown, err := imageslice.Orient(letters, 6) // rotated clockwise
	if err != nil {
		log.Fatal(err)
	}
	print(shown)
	// Output:
	// smga
	// tnhb
	// uoic
	// vpjd
	// wqke
	// xrlf
}

// The middle of a picture, mirrored. The requested size may be larger than the picture, like the
// width here. The picture has cells of chroma, like a JPEG.
func ExampleCenter() {
	jpeg := image.NewYCbCr(image.Rect(0, 0, 640, 480), image.YCbCrSubsampleRatio420)
	r := imageslice.Fit(jpeg, imageslice.Center(jpeg, 2000, 225), -1, 1)
	mirrored, err := imageslice.Slice(jpeg, r, -1, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r, mirrored.Rect, mirrored.SubsampleRatio)
	// Output: (0,126)-(640,351) (0,0)-(640,225) YCbCrSubsampleRatio420
}

// decodePhoto decodes a picture of at most 50 million pixels. A file of a few KiB can claim any
// number of pixels, and a decoder makes room for them before it reads on. DecodeConfig reads the
// header alone.
func decodePhoto(file []byte) (image.Image, error) {
	const most = 50e6
	c, _, err := image.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return nil, err
	}
	if n := int64(c.Width) * int64(c.Height); n > most {
		return nil, fmt.Errorf("%d x %d pixels are too many", c.Width, c.Height)
	}
	m, _, err := image.Decode(bytes.NewReader(file))
	return m, err
}

// cropped answers with the middle of the photo in the request, upright, as a JPEG.
func cropped(w http.ResponseWriter, r *http.Request) {
	file, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 50<<20))
	var m image.Image
	if err == nil {
		m, err = decodePhoto(file)
	}
	if err == nil {
		orientation, _ := imageslice.Orientation(bytes.NewReader(file))
		m, err = imageslice.Orient(m, orientation)
	}
	if err == nil {
		m, err = imageslice.Slice(m, imageslice.Center(m, 224, 224), 1, 1)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	jpeg.Encode(w, m, nil)
}

// bomb returns a JPEG file whose header claims 50,000 x 50,000 pixels.
func bomb() []byte {
	file := photo(640, 480)
	frame := bytes.Index(file, []byte{0xff, 0xc0}) // then the length and the bits of a sample, three bytes
	binary.BigEndian.PutUint16(file[frame+5:], 50_000)
	binary.BigEndian.PutUint16(file[frame+7:], 50_000)
	return file
}

// A service turns and crops the photos that clients send. A JPEG remains an *image.YCbCr, without a
// detour through RGBA. A file that claims too many pixels is refused before it is decoded.
func Example_service() {
	for _, body := range [][]byte{photo(640, 480), []byte("no photo"), bomb()} {
		w := httptest.NewRecorder()
		cropped(w, httptest.NewRequest("POST", "/", bytes.NewReader(body)))
		if w.Code != http.StatusOK {
			fmt.Print(w.Code, " ", w.Body)
			continue
		}
		m, format, err := image.Decode(w.Body)
		fmt.Println(w.Code, format, m.Bounds(), err)
	}
	// Output:
	// 200 jpeg (0,0)-(224,224) <nil>
	// 400 image: unknown format
	// 400 50000 x 50000 pixels are too many
}

// A frame of high definition, from a hardware decoder or FFmpeg's rawvideo, becomes a picture for
// image/png or golang.org/x/image/draw, and a cropped input of a model. A program that has many
// frames keeps the picture and the tensor.
func ExampleNV12() {
	pix := bytes.Repeat([]byte{63}, 1920*1080) // luma of red, then pairs of chroma
	pix = append(pix, bytes.Repeat([]byte{102, 240}, 960*540)...)

	frame, err := imageslice.NV12(pix, 1920, 1080, 0)
	if err != nil {
		log.Fatal(err)
	}
	frame.Matrix = imageslice.BT709
	picture := image.NewRGBA(frame.Rect)
	if err := imageslice.ToRGBA(picture, frame, frame.Rect); err != nil {
		log.Fatal(err)
	}
	tensor := make([]float32, 1*3*224*224)
	to1 := imageslice.Normalize(nil, nil)
	if err := imageslice.Convert(tensor, frame, imageslice.Center(frame, 224, 224), imageslice.Tensor{Affine: to1}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(picture.At(960, 540), frame.At(960, 540))
	fmt.Printf("%.3f %.3f %.3f\n", tensor[0], tensor[224*224], tensor[2*224*224])
	// Output:
	// {255 1 0 255} {255 1 0 255}
	// 1.000 0.004 0.000
}

// A lossy WebP: golang.org/x/image/webp decodes it to an *image.YCbCr with limited-range samples.
func ExampleLimited() {
	decoded := image.NewYCbCr(image.Rect(0, 0, 2, 1), image.YCbCrSubsampleRatio444)
	copy(decoded.Y, []uint8{16, 235})
	copy(decoded.Cb, []uint8{128, 128})
	copy(decoded.Cr, []uint8{128, 128})
	right := imageslice.Limited(decoded)
	for x := range 2 {
		r, _, _, _ := decoded.At(x, 0).RGBA()
		fmt.Println(r>>8, right.At(x, 0))
	}
	// Output:
	// 16 {0 0 0 255}
	// 235 {255 255 255 255}
}

// A screenshot of Windows has padded rows, and its fourth bytes mean nothing. It becomes an
// *image.RGBA for Go's encoders, and a tensor of bytes.
func ExamplePixels() {
	shot := []byte{
		0, 0, 255, 0, 0, 255, 0, 0, 0, 0, 0, 0, // a red pixel, a green one, and four bytes of padding
		255, 0, 0, 0, 9, 8, 7, 0, 0, 0, 0, 0,
	}
	m := &imageslice.Pixels{Pix: shot, Stride: 12, Rect: image.Rect(0, 0, 2, 2), Order: imageslice.BGRX}
	rgba := image.NewRGBA(m.Rect)
	err := imageslice.ToRGBA(rgba, m, m.Rect)
	fmt.Println(err, rgba.Pix)

	tensor := make([]uint8, 3*2*2)
	err = imageslice.Convert(tensor, m, m.Rect, imageslice.Tensor{Type: slice1.Uint8})
	fmt.Println(err, tensor)
	// Output:
	// <nil> [255 0 0 255 0 255 0 255 0 0 255 255 7 8 9 255]
	// <nil> [255 0 0 7 0 255 0 8 0 0 255 9]
}
