package slice1_test

import (
	"fmt"
	"log"

	"github.com/seed2e45c115/dml/slice1"
)

// cropPlane copies the w x h elements at column x and row y of a plane of video to the
// beginning of dst. Rows are srcPitch elements apart in src, and dstPitch in dst.
func cropPlane[T slice1.Element](dst []T, dstPitch int, src []T, srcPitch, x, y, w, h int) error {
	t := slice1.DataTypeOf[T]()
	plane := slice1.TensorDesc{DataType: t, Sizes: []int{y + h, x + w}, Strides: []int{srcPitch, 1}}
	window, err := slice1.Crop(plane.Sizes, []int{y, x}, nil)
	if err != nil {
		return err
	}
	desc := window.Of(plane)
	desc.Output.Strides = []int{dstPitch, 1}
	return slice1.Copy(dst, src, desc)
}

// A crop of a frame in I420. It has three planes, and the two planes of chroma have half as many
// rows and columns. Therefore the crop's corner and size must be even.
func ExampleCrop_i420() {
	const width, height, pitch = 8, 4, 10
	frame := []byte("abcdefgh..ijklmnop..qrstuvwx..yzABCDEF.." + "0123.4567." + "GHIJ.KLMN.")
	luma, cb, cr := frame[:pitch*height], frame[pitch*height:][:pitch/2*height/2], frame[pitch*height*5/4:]
	const x, y, w, h = 2, 2, 4, 2
	out := make([]byte, w*h*3/2)
	err := cropPlane(out, w, luma, pitch, x, y, w, h)
	for i, plane := range [][]byte{cb, cr} {
		if err == nil {
			err = cropPlane(out[w*h+i*w*h/4:], w/2, plane, pitch/2, x/2, y/2, w/2, h/2)
		}
	}
	fmt.Println(err, string(out))
	// Output: <nil> stuvABCD56LM
}

// A crop of a frame in NV12: a plane of luma, and a plane of pairs of chroma samples with half
// as many rows.
func ExampleCrop_nv12() {
	const width, height, pitch = 8, 4, 10
	frame := []byte("abcdefgh..ijklmnop..qrstuvwx..yzABCDEF.." + "0G1H2I3J..4K5L6M7N..")
	const x, y, w, h = 2, 2, 4, 2
	out := make([]byte, w*h*3/2)
	if err := cropPlane(out, w, frame, pitch, x, y, w, h); err != nil {
		log.Fatal(err)
	}
	err := cropPlane(out[w*h:], w, frame[pitch*height:], pitch, x, y/2, w, h/2)
	fmt.Println(err, string(out))
	// Output: <nil> stuvABCD5L6M
}

// NV12's chroma becomes the two planes of I420 in one slice.
func ExampleDesc_Permute_nv12ToI420() {
	pairs := []byte("0G1H2I3J" + "4K5L6M7N") // 2 rows of 4 pairs
	desc, err := slice1.Whole(slice1.Uint8, 8, 2).Permute(1, 0)
	if err != nil {
		log.Fatal(err)
	}
	planes := make([]byte, 16)
	fmt.Println(slice1.Copy(planes, pairs, desc), string(planes))
	// Output: <nil> 01234567GHIJKLMN
}

// RGBA to BGRA: two slices into one output. One reverses the colours, and the other copies alpha.
func ExampleNewDesc_rgbaToBGRA() {
	rgba := []byte("RGBaR'Ba")
	pixels := []int{2, 4}
	colours, err := slice1.Crop(pixels, nil, []int{2, 3})
	if err == nil {
		colours, err = colours.Step(1, -1)
	}
	if err != nil {
		log.Fatal(err)
	}
	alpha, err := slice1.Crop(pixels, []int{0, 3}, nil)
	if err != nil {
		log.Fatal(err)
	}
	bgra := make([]byte, len(rgba))
	for at, window := range map[int]slice1.Window{0: colours, 3: alpha} {
		desc := slice1.NewDesc(slice1.Uint8, pixels, window)
		desc.Output.Strides = []int{4, 1}
		if err := slice1.Copy(bgra[at:], rgba, desc); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(string(bgra))
	// Output: BGRaB'Ra
}

// The left half of a frame is copied, mirrored, onto its right half. No byte is both read and
// written, so one buffer can be source and destination.
func ExampleCopy_inPlace() {
	frame := []byte("abcd...." + "efgh....")
	desc := slice1.Whole(slice1.Uint8, 2, 4)
	desc.WindowStrides[1] = -1
	desc.Input.Strides, desc.Output.Strides = []int{8, 1}, []int{8, 1}
	fmt.Println(slice1.Copy(frame[4:], frame, desc), string(frame))
	// Output: <nil> abcddcbaefghhgfe
}
