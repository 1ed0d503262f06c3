package slice1_test

import (
	"fmt"
	"log"

	"github.com/seed2e45c115/dml/slice1"
)

// printRows prints each row of a packed array of two axes on a line.
func printRows(dst []byte, shape []int) {
	for i := 0; i < len(dst); i += shape[1] {
		fmt.Printf("%s\n", dst[i:i+shape[1]])
	}
}

// A batch of pictures in NHWC layout becomes NCHW in one pass over memory. PyTorch calls this
// permute(0, 3, 1, 2) followed by contiguous. A crop, also called a region of interest (ROI), and a
// flip can be part of the same slice.
func ExampleDesc_Permute() {
	nhwc := []byte("RGBrgb" + "XYZxyz") // 1 picture of 2 rows of 2 pixels of 3 channels
	desc, err := slice1.Whole(slice1.Uint8, 1, 2, 2, 3).Permute(0, 3, 1, 2)
	if err != nil {
		log.Fatal(err)
	}
	nchw := make([]byte, 12)
	fmt.Println(slice1.Copy(nchw, nhwc, desc), desc.Output.Sizes, string(nchw))
	// Output: <nil> [1 3 2 2] RrXxGgYyBbZz
}

// A window at two places of a permuted picture. The offsets are in the order of the permuted axes:
// channel, row, column.
func ExamplePlan_RunAt_permuted() {
	picture := []byte{ // 2 rows of 3 pixels, 2 channels each
		1, 11, 2, 12, 3, 13,
		4, 14, 5, 15, 6, 16,
	}
	window, err := slice1.Crop([]int{2, 3, 2}, nil, []int{1, 2, 2})
	if err != nil {
		log.Fatal(err)
	}
	desc, err := slice1.NewDesc(slice1.Uint8, []int{2, 3, 2}, window).Permute(2, 0, 1)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := slice1.NewPlan(desc)
	if err != nil {
		log.Fatal(err)
	}
	planes := make([]byte, plan.DstSize())
	for _, offsets := range [][]int{{0, 0, 0}, {0, 1, 1}} {
		if err := plan.RunAt(planes, picture, offsets...); err != nil {
			log.Fatal(err)
		}
		fmt.Println(planes)
	}
	// Output:
	// [1 2 11 12]
	// [5 6 15 16]
}

// A matrix is transposed by a permutation of its two axes, like NumPy's a.T.copy().
func ExampleDesc_Permute_transpose() {
	matrix := []float32{
		1, 2, 3,
		4, 5, 6,
	}
	desc, err := slice1.Whole(slice1.Float32, 2, 3).Permute(1, 0)
	if err != nil {
		log.Fatal(err)
	}
	transposed := make([]float32, 6)
	fmt.Println(slice1.Copy(transposed, matrix, desc), transposed)
	// Output: <nil> [1 4 2 5 3 6]
}

// Every third of the last ten elements, backwards: NumPy's x[:-11:-3], by numbers. The window's
// offset is its lowest element's.
func ExampleWindow_Step() {
	series := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19}
	last10, err := slice1.Crop([]int{len(series)}, []int{len(series) - 10}, nil)
	if err != nil {
		log.Fatal(err)
	}
	window, err := last10.Step(-3)
	if err != nil {
		log.Fatal(err)
	}
	thin := make([]int, window.Out[0])
	desc := slice1.NewDesc(slice1.DataTypeOf[int](), []int{len(series)}, window)
	fmt.Println(slice1.Copy(thin, series, desc), thin)
	// Output: <nil> [19 16 13 10]
}

// Elements of bool, of complex64 and of defined types move unchanged, too. DataTypeOf returns their
// data type.
func ExampleDataTypeOf() {
	type bfloat16 uint16
	reverse := func(t slice1.DataType, n int) *slice1.Desc {
		d := slice1.Whole(t, n)
		d.WindowStrides[0] = -1
		return d
	}
	masks, halves, waves := make([]bool, 3), make([]bfloat16, 2), make([]complex64, 2)
	fmt.Println(slice1.Copy(masks, []bool{true, false, false}, reverse(slice1.DataTypeOf[bool](), 3)), masks)
	fmt.Println(slice1.Copy(halves, []bfloat16{7, 8}, reverse(slice1.DataTypeOf[bfloat16](), 2)), halves)
	fmt.Println(slice1.Copy(waves, []complex64{1, 2i}, reverse(slice1.DataTypeOf[complex64](), 2)), waves)
	// Output:
	// <nil> [false false true]
	// <nil> [8 7]
	// <nil> [(0+2i) (1+0i)]
}

// A column of a gonum matrix. RawMatrix gives its data and stride; the stride may be larger than a
// row.
func ExampleWindow_Of() {
	raw := struct { // as blas64.General
		Rows, Cols, Stride int
		Data               []float64
	}{3, 2, 4, []float64{11, 12, 0, 0, 21, 22, 0, 0, 31, 32}}
	matrix := slice1.TensorDesc{DataType: slice1.Float64, Sizes: []int{raw.Rows, raw.Cols}, Strides: []int{raw.Stride, 1}}
	window, err := slice1.Crop(matrix.Sizes, []int{0, 1}, nil)
	if err != nil {
		log.Fatal(err)
	}
	column := make([]float64, raw.Rows)
	fmt.Println(slice1.Copy(column, raw.Data, window.Of(matrix)), column)
	// Output: <nil> [12 22 32]
}

// Space to depth turns blocks of 2 x 2 pixels into channels, like TensorFlow's space_to_depth for
// tensors in NHWC layout. The rows and columns of a block are axes of their own. A permutation
// moves them behind the axes that count the blocks.
func ExampleDesc_Permute_spaceToDepth() {
	const h, w, c, block = 2, 4, 1, 2
	desc, err := slice1.Whole(slice1.Uint8, h/block, block, w/block, block, c).Permute(0, 2, 1, 3, 4)
	if err != nil {
		log.Fatal(err)
	}
	deep := make([]byte, h*w*c) // of shape [1 2 4]
	fmt.Println(slice1.Copy(deep, []byte("abcd"+"efgh"), desc), string(deep))
	// Output: <nil> abefcdgh
}

// NumPy's concatenate and split: arrays are joined along an axis by slices into parts of one
// output, and split by crops.
func ExampleCopy_joinAndSplit() {
	left, right := []int32{1, 2, 5, 6}, []int32{3, 4, 7, 8} // 2 x 2 each
	joined := make([]int32, 8)                              // 2 x 4
	into := slice1.Whole(slice1.Int32, 2, 2)
	into.Output.Strides = []int{4, 1}
	fmt.Println(slice1.Copy(joined, left, into), slice1.Copy(joined[2:], right, into), joined)

	window, err := slice1.Crop([]int{2, 4}, []int{0, 2}, []int{2, 2})
	if err != nil {
		log.Fatal(err)
	}
	part := make([]int32, 4)
	fmt.Println(slice1.Copy(part, joined, slice1.NewDesc(slice1.Int32, []int{2, 4}, window)), part)
	// Output:
	// <nil> <nil> [1 2 3 4 5 6 7 8]
	// <nil> [3 4 7 8]
}

// Big-endian numbers of a file in Fortran order become little-endian numbers in C order. The bytes
// of a number are an axis that is walked backwards, while the other axes change places.
func ExampleDesc_Permute_byteSwap() {
	const rows, columns = 2, 3
	file := []byte{0, 11, 0, 21, 0, 12, 0, 22, 0, 13, 0, 23} // 16 bits each, by column
	swap := slice1.Whole(slice1.Uint8, columns, rows, 2)
	swap.WindowStrides[2] = -1
	desc, err := swap.Permute(1, 0, 2)
	if err != nil {
		log.Fatal(err)
	}
	numbers := make([]byte, len(file))
	fmt.Println(slice1.Copy(numbers, file, desc), numbers)
	// Output: <nil> [11 0 12 0 13 0 21 0 22 0 23 0]
}

// onnxTensor has the results of the methods of onnxruntime_go's Tensor[T]: a shape of int64 and the
// elements.
type onnxTensor[T slice1.Element] struct {
	shape []int64
	data  []T
}

// cropTensor returns a window of a tensor as a tensor of its own: from starts up to, not
// including, ends.
func cropTensor[T slice1.Element](in onnxTensor[T], starts, ends []int64) (out onnxTensor[T], err error) {
	shape := make([]int, len(in.shape))
	for i, n := range in.shape {
		shape[i] = int(n)
	}
	window, err := slice1.FromONNX(shape, starts, ends, nil, nil)
	if err != nil {
		return out, err
	}
	n := 1
	for _, extent := range window.Out {
		out.shape = append(out.shape, int64(extent))
		n *= extent
	}
	out.data = make([]T, n)
	return out, slice1.Copy(out.data, in.data, slice1.NewDesc(slice1.DataTypeOf[T](), shape, window))
}

// A window of an ONNX Runtime tensor, by the parameters of ONNX's Slice. The elements may have any
// type that Element lists.
func ExampleFromONNX_onnxRuntimeTensor() {
	in := onnxTensor[bool]{[]int64{1, 1, 2, 3}, []bool{false, true, true, false, false, true}}
	out, err := cropTensor(in, []int64{0, 0, 0, 1}, []int64{1, 1, 2, 3})
	fmt.Println(out.shape, out.data, err)
	// Output: [1 1 2 2] [true true false true] <nil>
}

// An array of 4 x 6 numbers lies in chunks of 2 x 3, as HDF5 and Zarr store it. Rows 1 and 2 of
// columns 1 to 4 are read: what each chunk has of them goes to its place in the result, by output
// strides.
func ExampleCopy_chunks() {
	chunks := map[[2]int][]int32{ // each number is 10 times its row, and its column
		{0, 0}: {0, 1, 2, 10, 11, 12}, {0, 1}: {3, 4, 5, 13, 14, 15},
		{1, 0}: {20, 21, 22, 30, 31, 32}, {1, 1}: {23, 24, 25, 33, 34, 35},
	}
	from, to, shape := [2]int{1, 1}, [2]int{3, 5}, [2]int{2, 3}
	height, width := to[0]-from[0], to[1]-from[1]
	result := make([]int32, height*width)
	for at, chunk := range chunks {
		var begin, size [2]int // of what the chunk has, the beginning in the whole array
		for i := range at {
			begin[i] = max(from[i], at[i]*shape[i])
			size[i] = min(to[i], (at[i]+1)*shape[i]) - begin[i]
		}
		part, err := slice1.Crop(shape[:], []int{begin[0] % shape[0], begin[1] % shape[1]}, size[:])
		if err != nil {
			log.Fatal(err)
		}
		d := slice1.NewDesc(slice1.Int32, shape[:], part)
		d.Output.Strides = []int{width, 1}
		if err := slice1.Copy(result[(begin[0]-from[0])*width+begin[1]-from[1]:], chunk, d); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(result)
	// Output: [11 12 13 14 21 22 23 24]
}
