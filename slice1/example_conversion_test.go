package slice1_test

import (
	"encoding/binary"
	"fmt"
	"log"
	"math"

	"github.com/seed2e45c115/dml/slice1"
)

// The patches of a vision model. A picture with pixels of R, G and B becomes one row of numbers for
// each patch, with values from -1 to 1, in one pass. The patches of a block of merge x merge follow
// each other, because the model joins them later. A picture counts as two equal frames of a video:
// an axis with an input stride of 0 repeats it. Qwen's processors do this by a reshape and a
// transpose of nine axes. The axes here are, outermost first,
//
//	blocks down and across, patches of a block down and across,
//	channels, frames, rows and columns of a patch
func ExampleWithNumbers_patches() {
	const patch, merge, frames = 14, 2, 2
	const width, height = 4 * patch, 2 * patch
	const block = merge * patch
	pixels := make([]uint8, height*width*3)
	for i := range pixels {
		pixels[i] = uint8(85 * (i % 3)) // R 0, G 85, B 170
	}

	d := slice1.Whole(slice1.Uint8, height/block, width/block, merge, merge, 3, frames, patch, patch)
	row, pixel := 3*width, 3
	d.Input.Strides = []int{block * row, block * pixel, patch * row, patch * pixel, 1, 0, row, pixel}
	to1 := slice1.Affine{Scale: []float32{1 / 127.5}, Bias: []float32{-1}}
	c, err := slice1.NewPlan(d, slice1.WithNumbers(slice1.Float32, to1))
	if err != nil {
		log.Fatal(err)
	}
	rows := make([]float32, c.DstSize()/4)
	if err := slice1.Run(c, rows, pixels); err != nil {
		log.Fatal(err)
	}
	const values = 3 * frames * patch * patch
	fmt.Println(len(rows)/values, "patches of", values, "values")
	fmt.Printf("%.3f %.3f %.3f\n", rows[0], rows[frames*patch*patch], rows[2*frames*patch*patch])
	// Output:
	// 8 patches of 1176 values
	// -1.000 -0.333 0.333
}

// A model's output of quantised numbers q becomes float32. The value of q is scale*(q - zero
// point). The bias is a float32 product of the same scale, so q = zero is exactly 0. Other values
// may differ from scale*(q - zero) in the last bits, because scale*q is rounded before bias is
// added. The planes of the output become boxes of four values each in the same pass. For one scale
// per channel, set Axis.
func ExampleWithNumbers_dequantise() {
	const channels, boxes = 4, 3
	output := []int8{ // a row for each channel
		-128, -127, -126,
		-28, -27, -26,
		72, 73, 74,
		127, 127, 127,
	}
	scale, zero := float32(0.25), float32(-128)
	d, err := slice1.Whole(slice1.Int8, channels, boxes).Permute(1, 0)
	if err != nil {
		log.Fatal(err)
	}
	c, err := slice1.NewPlan(d, slice1.WithNumbers(slice1.Float32, slice1.Affine{Scale: []float32{scale}, Bias: []float32{-scale * zero}}))
	if err != nil {
		log.Fatal(err)
	}
	values := make([]float32, boxes*channels)
	fmt.Println(slice1.Run(c, values, output), values[:channels], values[2*channels:])
	// Output: <nil> [0 25 50 63.75] [0.5 25.5 50.5 63.75]
}

// Go has no type for float16, so these numbers are read as float32. They come as bytes at any
// address, for example from a file or from onnxruntime_go's CustomDataTensor. slice1.Run takes
// []uint16.
func ExamplePlan_Run_numbers() {
	output := []byte{0x00, 0x3c, 0x00, 0xc0, 0x55, 0x35} // 1, -2 and a third, the low byte first
	c, err := slice1.NewPlan(slice1.Whole(slice1.Float16, 3), slice1.WithNumbers(slice1.Float32, slice1.Affine{}), slice1.WithByteOrder(binary.LittleEndian))
	if err != nil {
		log.Fatal(err)
	}
	numbers := make([]float32, 3)
	fmt.Println(c.Run(slice1.Bytes(numbers), output), numbers)
	// Output: <nil> [1 -2 0.33325195]
}

// Each picture is standardised to mean 0 and deviation 1, for models of faces and of spectrograms.
// One plan is prepared, and WithAffine makes the plan of each picture from it.
func ExamplePlan_WithAffine() {
	toFloat, err := slice1.NewPlan(slice1.Whole(slice1.Uint8, 2, 2), slice1.WithNumbers(slice1.Float32, slice1.Affine{}))
	if err != nil {
		log.Fatal(err)
	}
	tensor := make([]float32, 4)
	for _, picture := range [][]uint8{{10, 10, 20, 20}, {0, 100, 200, 100}} {
		mean, deviation := meanAndDeviation(picture)
		a := slice1.Affine{Scale: []float32{float32(1 / deviation)}, Bias: []float32{float32(-mean / deviation)}}
		standardise, err := toFloat.WithAffine(a)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v %.2f\n", slice1.Run(standardise, tensor, picture), tensor)
	}
	// Output:
	// <nil> [-1.00 -1.00 1.00 1.00]
	// <nil> [-1.41 0.00 1.41 0.00]
}

func meanAndDeviation(samples []uint8) (mean, deviation float64) {
	var sum, squares float64
	for _, v := range samples {
		sum += float64(v)
		squares += float64(v) * float64(v)
	}
	n := float64(len(samples))
	return sum / n, math.Sqrt(squares/n - sum/n*sum/n)
}

// Sound from the network becomes planes of numbers from -1 to 1. It arrives in RTP's L16 format:
// big-endian samples of two channels in turn. The planes then become little-endian samples of a WAV
// file, rounded and limited.
func ExampleWithByteOrder() {
	const frames, channels = 2, 2
	packet := []byte{0x40, 0x00, 0xc0, 0x00, 0x7f, 0xff, 0x80, 0x00}
	toPlanes, err := slice1.Whole(slice1.Int16, frames, channels).Permute(1, 0)
	if err != nil {
		log.Fatal(err)
	}
	decode, err := slice1.NewPlan(toPlanes, slice1.WithNumbers(slice1.Float32, slice1.Affine{Scale: []float32{1. / 32768}}), slice1.WithByteOrder(binary.BigEndian))
	if err != nil {
		log.Fatal(err)
	}
	planes := make([]float32, channels*frames)
	fmt.Println(decode.Run(slice1.Bytes(planes), packet), planes)

	planes[0] = 1.5 // too loud
	toPairs, err := slice1.Whole(slice1.Float32, channels, frames).Permute(1, 0)
	if err != nil {
		log.Fatal(err)
	}
	samples := make([]int16, frames*channels)
	err = slice1.Copy(samples, planes, toPairs, slice1.WithNumbers(slice1.Int16, slice1.Affine{Scale: []float32{32768}}))
	fmt.Println(err, samples)
	// Output:
	// <nil> [0.5 0.9999695 -0.5 -1]
	// <nil> [32767 -16384 32767 -32768]
}

// Windows of 400 samples of 16-bit sound, one every 160 samples, become rows of numbers from -1 to
// 1 for a spectrogram. The rows overlap in the source: the stride from row to row is shorter than a
// row.
func ExampleCopyBytes_overlappingWindows() {
	pcm := slice1.Bytes([]int16{0, 8192, 16384, 24576, -32768, -16384, 0, 16384}) // here of 4 samples, every 2
	const size, step = 4, 2
	windows := (len(pcm)/2-size)/step + 1
	d := slice1.Whole(slice1.Int16, windows, size)
	d.Input.Strides = []int{step, 1}
	rows := make([]float32, windows*size)
	err := slice1.CopyBytes(slice1.Bytes(rows), pcm, d, slice1.WithNumbers(slice1.Float32, slice1.Affine{Scale: []float32{1. / 32768}}))
	fmt.Println(err, rows[:size], rows[size:2*size], rows[2*size:])
	// Output: <nil> [0 0.25 0.5 0.75] [0.5 0.75 -1 -0.5] [-1 -0.5 0 0.5]
}

// The q and k weights of a Llama checkpoint become float16 in GGUF's order. The checkpoint has them
// in bfloat16: the rows of a head are first the rotation's first numbers, then its second numbers.
// GGUF has them in turn. So two halves become pairs of rows while the numbers are converted.
func ExampleWithNumbers_repackWeights() {
	const heads, rows, columns = 1, 4, 2                                                // rows of a head
	weights := []uint16{0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0, 0x40c0, 0x40e0, 0x4100} // 1 to 8
	d, err := slice1.Whole(slice1.BFloat16, heads, 2, rows/2, columns).Permute(0, 2, 1, 3)
	if err != nil {
		log.Fatal(err)
	}
	packed := make([]uint16, len(weights))
	if err := slice1.Copy(packed, weights, d, slice1.WithNumbers(slice1.Float16, slice1.Affine{})); err != nil {
		log.Fatal(err)
	}

	numbers := make([]float32, len(weights)) // to look at them
	err = slice1.Copy(numbers, packed, slice1.Whole(slice1.Float16, len(packed)), slice1.WithNumbers(slice1.Float32, slice1.Affine{}))
	fmt.Println(err, numbers)
	// Output: <nil> [1 2 5 6 3 4 7 8]
}

// The keys of new tokens go into a cache in float16, from position 2 on, behind the keys of earlier
// tokens. The cache has shape heads x positions x size. Part finds the beginning of the window. A
// further position is only another beginning, so one conversion serves all positions. The keys in
// the cache are read back as one packed tensor in float32.
func ExampleWindow_Into() {
	const heads, positions, size = 2, 8, 2
	cache := make([]uint16, heads*positions*size)

	next, err := slice1.Crop([]int{heads, positions, size}, []int{0, 2, 0}, []int{heads, 1, size})
	if err != nil {
		log.Fatal(err)
	}
	into, err := next.Into(slice1.TensorDesc{DataType: slice1.Float32, Sizes: []int{heads, positions, size}})
	if err != nil {
		log.Fatal(err)
	}
	appendKeys, err := slice1.NewPlan(into.Desc, slice1.WithNumbers(slice1.Float16, slice1.Affine{})) // the cache's strides count float16
	if err != nil {
		log.Fatal(err)
	}
	free := slice1.Part(cache, into)                                      // from position 2 on
	tokens := [][]float32{{1, 2, -1, -2}, {3, 4, -3, -4}, {5, 6, -5, -6}} // the keys of a token, head by head
	for at, keys := range tokens {
		if err := slice1.Run(appendKeys, free[at*size:], keys); err != nil {
			log.Fatal(err)
		}
	}

	const filled = 2 + 3
	window, err := slice1.Crop([]int{heads, positions, size}, nil, []int{heads, filled, size})
	if err != nil {
		log.Fatal(err)
	}
	keys := make([]float32, heads*filled*size)
	err = slice1.Copy(keys, cache, slice1.NewDesc(slice1.Float16, []int{heads, positions, size}, window), slice1.WithNumbers(slice1.Float32, slice1.Affine{}))
	fmt.Println(err, keys)
	// Output: <nil> [0 0 0 0 1 2 3 4 5 6 0 0 0 0 -1 -2 -3 -4 -5 -6]
}

// A small picture is written, mirrored, into a larger one, and a frame around it is filled with a
// single value.
func ExampleAssign() {
	page, shape := []byte("................"+"................"), []int{4, 8}
	if err := slice1.Assign(page, shape, "[:, ::7]", []byte("|")); err != nil {
		log.Fatal(err)
	}
	if err := slice1.Assign(page, shape, "[1:3, 4:1:-1]", []byte("abc"+"def")); err != nil {
		log.Fatal(err)
	}
	printRows(page, shape)
	// Output:
	// |......|
	// |.cba..|
	// |.fed..|
	// |......|
}
