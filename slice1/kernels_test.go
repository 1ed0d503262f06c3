package slice1_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// Every kernel runs one row with strides from 1 to 64 elements, many of them also negative: rows
// of every length up to 140 elements, and of some larger ones at misalignments of 0 to 7 bytes.
func TestKernelsOnRows(t *testing.T) {
	strides := []int{1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, 7, -7, 8, -8, 9, 16, -17, 64}
	for size, dtype := range widths {
		t.Run(fmt.Sprintf("width=%d", size), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(1, uint64(size)))
			for n := 1; n <= 140; n++ {
				for _, stride := range strides {
					checkAll(t, row(dtype, n, stride), n%9, rng)
				}
			}
			for _, n := range []int{255, 256, 257, 1000, 4096, 5000} {
				for _, stride := range strides {
					for misalign := range 8 {
						checkAll(t, row(dtype, n, stride), misalign, rng)
					}
				}
			}
			for _, stride := range []int{64, -64} { // lines that do not fit a second-level cache
				checkAll(t, row(dtype, 28_001, stride), 1, rng)
			}
		})
	}
}

// row takes n elements at the given stride from an input that has one element more before them
// and two more behind them.
func row(dtype slice1.DataType, n, stride int) *slice1.Desc {
	window := (n-1)*max(stride, -stride) + 1
	return slice1.NewDesc(dtype, []int{window + 3}, slice1.Window{Offsets: []int{1}, Sizes: []int{window}, Strides: []int{stride}, Out: []int{n}})
}

// patterns are the slices of several axes that TestKernelsOnPatterns runs. Strides of memory are in
// elements. Tensors without any are packed.
var patterns = []struct {
	name                  string
	in                    []int
	index                 string
	out                   []int // if not all of the window
	inStrides, outStrides []int
}{
	{name: "crop", in: []int{40, 50}, index: "[3:33, 7:40]"},
	{name: "flip rows", in: []int{40, 50}, index: "[::-1, :]"},
	{name: "flip both", in: []int{40, 50}, index: "[::-1, ::-1]"},
	{name: "channel", in: []int{20, 30, 3}, index: "[:, :, 1:2]"},
	{name: "bgr", in: []int{20, 30, 3}, index: "[:, :, ::-1]"},
	{name: "bgra", in: []int{20, 30, 4}, index: "[:, :, ::-1]"},
	{name: "mirror rgb", in: []int{20, 30, 3}, index: "[:, ::-1, :]"},
	{name: "2 of 4", in: []int{20, 30, 4}, index: "[:, :, 1:3]"},
	{name: "3 of 4", in: []int{20, 30, 4}, index: "[:, :, :3]"},
	{name: "3 of 7", in: []int{200, 7}, index: "[:, 1:6:2]"},
	{name: "5 of 8 reversed", in: []int{90, 8}, index: "[:, 6:1:-1]"},
	{name: "7 of 9", in: []int{90, 9}, index: "[::-1, 1:8]"},
	{name: "12 of 20", in: []int{90, 20}, index: "[:, 4:16]"},
	{name: "24 of 30", in: []int{90, 30}, index: "[:, 4:28]"},
	{name: "every second of both", in: []int{40, 50}, index: "[::2, ::2]"},
	{name: "tiny axes", in: []int{3, 2, 3, 4, 2, 3, 2, 4}, index: "[::-1, :, ::2, ::-2, :, ::-1, :, ::-1]"},
	{name: "partial outputs", in: []int{20, 9, 11}, index: "[:0:-2, 2:, :0:-3]", out: []int{4, 5, 2}},
	{name: "transposed input", in: []int{40, 50}, index: "[:, :]", inStrides: []int{1, 40}},
	{name: "transposed output", in: []int{40, 50}, index: "[:, ::-1]", outStrides: []int{1, 40}},
	{name: "transposed and flipped", in: []int{40, 50}, index: "[::-1, ::-1]", inStrides: []int{1, 40}},
	{name: "transposed, every second", in: []int{70, 90}, index: "[:, ::2]", inStrides: []int{1, 70}},
	{name: "axes reversed", in: []int{17, 5, 40}, index: "[:, ::-1, :]", inStrides: []int{1, 17, 85}},
	{name: "planes to pixels", in: []int{3, 20, 30}, index: "[:, :, :]", outStrides: []int{1, 90, 3}},
	{name: "pixels to planes", in: []int{3, 20, 30}, index: "[:, :, :]", inStrides: []int{1, 90, 3}},
	{name: "padded output", in: []int{30, 40}, index: "[:, ::2]", outStrides: []int{27, 1}},
	{name: "short padded rows", in: []int{60, 40}, index: "[:, ::3]", out: []int{60, 13}, outStrides: []int{17, 1}},
	{name: "spread output", in: []int{30, 40}, index: "[:, :]", outStrides: []int{80, 2}},
	{name: "spread pixels", in: []int{30, 40, 3}, index: "[:, ::-1, ::-1]", outStrides: []int{200, 5, 1}},
	{name: "broadcast rows", in: []int{30, 40}, index: "[:, :]", inStrides: []int{0, 1}},
	{name: "broadcast columns", in: []int{30, 40}, index: "[:, ::-1]", inStrides: []int{1, 0}},
	{name: "each element twice", in: []int{70, 2}, index: "[:, :]", inStrides: []int{1, 0}},
	{name: "one pixel everywhere", in: []int{100, 3}, index: "[:, ::-1]", inStrides: []int{0, 1}},
	{name: "overlapping frames", in: []int{50, 20}, index: "[:, :]", inStrides: []int{3, 1}},
	{name: "short overlapping frames", in: []int{50, 8}, index: "[:, ::-1]", inStrides: []int{1, 1}},
	{name: "far elements", in: []int{40, 1}, index: "[::-1, :]", inStrides: []int{5000, 1}},
	{name: "one element", in: []int{2, 3, 4}, index: "[1:0:-5, 2:3:7, 3::1073741824]"},
}

// Every kernel runs slices of several axes, for each element size and misalignments of 0 to 7
// bytes: crops, channels, reversed pixels, picked columns, interleaved planes, elements spread in
// the destination.
func TestKernelsOnPatterns(t *testing.T) {
	for _, p := range patterns {
		t.Run(p.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(2, 2))
			window, _, err := slice1.ParseIndex(p.index, p.in)
			require.NoError(t, err)
			for _, dtype := range widths {
				d := slice1.NewDesc(dtype, p.in, window)
				d.Input.Strides, d.Output.Strides = p.inStrides, p.outStrides
				if p.out != nil {
					d.Output.Sizes = p.out
				}
				for misalign := range 8 {
					checkAll(t, d, misalign, rng)
				}
			}
		})
	}
}

// Every kernel runs outputs that are cut into parts along different loops, and small ones of the
// same shapes.
func TestKernelsOnManyParts(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 3))
	for _, shape := range [][]int{{1_500_001}, {3, 500_001}, {1201, 1301}, {300_000, 5}, {7, 11, 13, 17, 101}} {
		for _, stride := range []int{1, -1, 2} {
			d := &slice1.Desc{Input: slice1.TensorDesc{DataType: slice1.Uint16, Sizes: shape}}
			for _, n := range shape {
				d.WindowOffsets = append(d.WindowOffsets, 0)
				d.WindowSizes = append(d.WindowSizes, n)
				d.WindowStrides = append(d.WindowStrides, stride)
				d.Output.Sizes = append(d.Output.Sizes, 1+(n-1)/max(stride, -stride))
			}
			d.Output.DataType = slice1.Uint16
			checkAll(t, d, 3, rng)
		}
	}
}

// Every kernel runs an output of 48 MB, for which plans may choose non-temporal stores and
// another order of loops.
func TestKernelsOnOutputsTooLargeForTheCaches(t *testing.T) {
	const rows, columns = 1201, 40_003
	d := slice1.NewDesc(slice1.Uint8, []int{rows, columns}, slice1.Window{
		Offsets: []int{0, 1}, Sizes: []int{rows, columns - 2}, Strides: []int{-1, -1}, Out: []int{rows, columns - 2},
	})
	src := randomBytes(rows * columns)
	for _, kernel := range usableKernels() {
		dst := make([]byte, rows*(columns-2))
		if err := newPlan(t, d, slice1.WithKernel(kernel)).Run(dst, src); err != nil {
			t.Fatal(err)
		}
		for row := range rows {
			for column := range columns - 2 {
				if dst[row*(columns-2)+column] != src[(rows-1-row)*columns+columns-2-column] {
					t.Fatalf("%s: element %d, %d", kernel, row, column)
				}
			}
		}
		tested(t, kernel)
	}
}

// Every kernel copies and reverses rows of 1 to 1299 bytes and of 4000 to 4200, so that both
// run with every tail.
func TestKernelsOnRowsOfEveryLength(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(11, 11))
	for n := 1; n <= 4200; n++ {
		if n == 1300 {
			n = 4000 // skips to rows of about a page
		}
		for _, stride := range []int{1, -1} {
			d := whole(slice1.Uint8, 2, n)
			d.WindowStrides = []int{1, stride}
			d.Input.Strides, d.Output.Strides = []int{n + 5, 1}, []int{n + 3, 1}
			checkAll(t, d, n%7, rng)
		}
	}
}
