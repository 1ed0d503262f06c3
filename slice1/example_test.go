package slice1_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed2e45c115/dml/slice1"
)

// The first worked example of the operator's documentation: every second row,
// and every second column of the last three.
func Example() {
	input := []float32{
		1, 2, 3, 4,
		5, 6, 7, 8,
		9, 10, 11, 12,
		13, 14, 15, 16,
	}
	desc := &slice1.Desc{
		Input:         slice1.TensorDesc{DataType: slice1.Float32, Sizes: []int{4, 4}},
		Output:        slice1.TensorDesc{DataType: slice1.Float32, Sizes: []int{2, 2}},
		WindowOffsets: []int{0, 1},
		WindowSizes:   []int{4, 3},
		WindowStrides: []int{2, 2},
	}
	output := make([]float32, 4)
	if err := slice1.Copy(output, input, desc); err != nil {
		fmt.Println(err)
	}
	fmt.Println(output)
	// Output: [2 4 10 12]
}

// The second worked example: the same window, but its rows are walked backwards from its last row.
func ExampleDesc_negativeStride() {
	input := []float32{
		1, 2, 3, 4,
		5, 6, 7, 8,
		9, 10, 11, 12,
		13, 14, 15, 16,
	}
	desc := &slice1.Desc{
		Input:         slice1.TensorDesc{DataType: slice1.Float32, Sizes: []int{4, 4}},
		Output:        slice1.TensorDesc{DataType: slice1.Float32, Sizes: []int{2, 2}},
		WindowOffsets: []int{0, 1},
		WindowSizes:   []int{4, 3},
		WindowStrides: []int{-2, 2},
	}
	output := make([]float32, 4)
	if err := slice1.Copy(output, input, desc); err != nil {
		fmt.Println(err)
	}
	fmt.Println(output)
	// Output: [14 16 6 8]
}

// A plan is made once. It can then run on many buffers, from any goroutine.
func ExampleNewPlan() {
	shape := []int{2, 3, 3} // height, width, channels
	window, out, err := slice1.ParseIndex("[:, ::-1, :]", shape)
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := slice1.NewPlan(slice1.NewDesc(slice1.Uint8, shape, window))
	if err != nil {
		fmt.Println(err)
		return
	}
	mirrored := make([]byte, 18)
	if err := plan.Run(mirrored, []byte("RGBrgbXYZRGBrgbXYZ")); err != nil {
		fmt.Println(err)
	}
	fmt.Println(out, string(mirrored))
	// Output: [2 3 3] XYZrgbRGBXYZrgbRGB
}

// If a slice runs all day, a few milliseconds of measuring pay, once for each shape.
func ExampleWithMeasure() {
	shape := []int{480, 640, 4} // frames of RGBA pixels, of which BGR is wanted
	window, _, err := slice1.ParseIndex("[..., 2::-1]", shape)
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := slice1.NewPlan(slice1.NewDesc(slice1.Uint8, shape, window), slice1.WithMeasure(5*time.Millisecond))
	if err != nil {
		fmt.Println(err)
		return
	}
	frame := bytes.Repeat([]byte("RGBA"), 480*640)
	bgr := make([]byte, 480*640*3)
	if err := plan.Run(bgr, frame); err != nil {
		fmt.Println(err)
	}
	fmt.Println(string(bgr[:9]))
	// Output: BGRBGRBGR
}

func ExampleParseIndex() {
	window, shape, err := slice1.ParseIndex("[::2, -1, 5:1:-2]", []int{4, 3, 6})
	fmt.Println(shape, err)
	fmt.Println("offsets", window.Offsets, "sizes", window.Sizes, "strides", window.Strides, "out", window.Out)

	_, _, err = slice1.ParseIndex("[::2, 7]", []int{4, 3})
	var place *slice1.IndexError
	if errors.As(err, &place) {
		fmt.Println(place.Msg, "at column", place.Column+1)
	}
	// Output:
	// [2 2] <nil>
	// offsets [0 2 2] sizes [4 1 4] strides [2 1 -2] out [2 1 2]
	// integer outside axis 1 of extent 3 at column 7
}

func ExampleFromONNX() {
	shape := []int{3, 4}
	window, err := slice1.FromONNX(shape, []int64{1}, []int64{-1}, []int64{1}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	got := make([]int32, 3*2)
	input := []int32{0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23}
	fmt.Println(slice1.Copy(got, input, slice1.NewDesc(slice1.Int32, shape, window)), got)
	// Output: <nil> [1 2 11 12 21 22]
}

// The error of a wrong descriptor says what is wrong and where.
func ExampleDescError() {
	desc := slice1.NewDesc(slice1.Uint8, []int{4, 5}, slice1.Window{
		Offsets: []int{0, 3}, Sizes: []int{4, 4}, Strides: []int{1, 1}, Out: []int{4, 4},
	})
	err := desc.Validate()
	var place *slice1.DescError
	fmt.Println(errors.Is(err, slice1.ErrWindow), errors.As(err, &place))
	fmt.Println(place.Field, place.Axis, place.Got, place.Limit)
	fmt.Println(err)
	// Output:
	// true true
	// WindowSizes 1 4 2
	// slice1: WindowSizes[1] is 4, must be at most 2: the window is empty or leaves the input
}

// Memory strides describe padded rows: an image of 2 rows of 3 one-byte pixels, with a
// pitch of 4 bytes, is packed.
func ExampleTensorDesc() {
	desc := &slice1.Desc{
		Input:         slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{2, 3}, Strides: []int{4, 1}},
		Output:        slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{2, 3}},
		WindowOffsets: []int{0, 0}, WindowSizes: []int{2, 3}, WindowStrides: []int{1, 1},
	}
	need, _ := desc.Input.MinSize()
	packed := make([]byte, 6)
	fmt.Println(need, slice1.Copy(packed, []byte("abc.def"), desc), string(packed))
	// Output: 7 <nil> abcdef
}

func ExamplePlan_RunContext() {
	plan, err := slice1.NewPlan(slice1.NewDesc(slice1.Uint8, []int{3}, slice1.Window{
		Offsets: []int{0}, Sizes: []int{3}, Strides: []int{-1}, Out: []int{3},
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	fmt.Println(plan.RunContext(ctx, make([]byte, 3), []byte("abc")))
	// Output: context canceled
}
