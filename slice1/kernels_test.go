package slice1_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/seed2e45c115/dml/slice1"
)

// Every kernel runs one row with strides from 1 to 64 elements, many of them also negative: rows
// of every length up to 140 elements, and of some larger ones at misalignments of 0 to 7 bytes.
func TestKernelsOnRows(t *testing.T) {
	strides := []int{1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, 7, -7, 8, -8, 9, 16, -17, 64}
	for size, dtype := range widths {
		t.Run(fmt.Sprintf("width=%d", size), func(t *testing.T) {
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
		})
	}
}

// row takes n elements at the given stride from an input that has one element more before them
// and two more behind them.
func row(dtype slice1.DataType, n, stride int) *slice1.Desc {
	window := (n-1)*max(stride, -stride) + 1
	return slice1.NewDesc(dtype, []int{window + 3}, slice1.Window{Offsets: []int{1}, Sizes: []int{window}, Strides: []int{stride}, Out: []int{n}})
}

// Every kernel runs slices of several axes, for each element size and misalignments of 0 to 7
// bytes: crops, channels, reversed pixels, picked columns, interleaved planes, elements spread in
// the destination.
func TestKernelsOnPatterns(t *testing.T) {
	type pattern struct {
		name                             string
		in, offsets, sizes, strides, out []int
		inStrides, outStrides            []int
	}
	patterns := []pattern{
		{"crop", []int{40, 50}, []int{3, 7}, []int{30, 33}, []int{1, 1}, []int{30, 33}, nil, nil},
		{"flip rows", []int{40, 50}, []int{0, 0}, []int{40, 50}, []int{-1, 1}, []int{40, 50}, nil, nil},
		{"flip both", []int{40, 50}, []int{0, 0}, []int{40, 50}, []int{-1, -1}, []int{40, 50}, nil, nil},
		{"channel", []int{20, 30, 3}, []int{0, 0, 1}, []int{20, 30, 1}, []int{1, 1, 1}, []int{20, 30, 1}, nil, nil},
		{"bgr", []int{20, 30, 3}, []int{0, 0, 0}, []int{20, 30, 3}, []int{1, 1, -1}, []int{20, 30, 3}, nil, nil},
		{"bgra", []int{20, 30, 4}, []int{0, 0, 0}, []int{20, 30, 4}, []int{1, 1, -1}, []int{20, 30, 4}, nil, nil},
		{"mirror rgb", []int{20, 30, 3}, []int{0, 0, 0}, []int{20, 30, 3}, []int{1, -1, 1}, []int{20, 30, 3}, nil, nil},
		{"2 of 4", []int{20, 30, 4}, []int{0, 0, 1}, []int{20, 30, 2}, []int{1, 1, 1}, []int{20, 30, 2}, nil, nil},
		{"3 of 4", []int{20, 30, 4}, []int{0, 0, 0}, []int{20, 30, 3}, []int{1, 1, 1}, []int{20, 30, 3}, nil, nil},
		{"3 of 7", []int{200, 7}, []int{0, 1}, []int{200, 5}, []int{1, 2}, []int{200, 3}, nil, nil},
		{"5 of 8 reversed", []int{90, 8}, []int{0, 2}, []int{90, 5}, []int{1, -1}, []int{90, 5}, nil, nil},
		{"7 of 9", []int{90, 9}, []int{0, 1}, []int{90, 7}, []int{-1, 1}, []int{90, 7}, nil, nil},
		{"12 of 20", []int{90, 20}, []int{0, 4}, []int{90, 12}, []int{1, 1}, []int{90, 12}, nil, nil},
		{"24 of 30", []int{90, 30}, []int{0, 4}, []int{90, 24}, []int{1, 1}, []int{90, 24}, nil, nil},
		{"every second of both", []int{40, 50}, []int{0, 0}, []int{40, 50}, []int{2, 2}, []int{20, 25}, nil, nil},
		{"tiny axes", []int{3, 2, 3, 4, 2, 3, 2, 4}, make([]int, 8), []int{3, 2, 3, 4, 2, 3, 2, 4}, []int{-1, 1, 2, -2, 1, -1, 1, -1}, []int{3, 2, 2, 2, 2, 3, 2, 4}, nil, nil},
		{"partial outputs", []int{20, 9, 11}, []int{1, 2, 1}, []int{19, 7, 10}, []int{-2, 1, -3}, []int{4, 5, 2}, nil, nil},
		{"transposed input", []int{40, 50}, []int{0, 0}, []int{40, 50}, []int{1, 1}, []int{40, 50}, []int{1, 40}, nil},
		{"transposed output", []int{40, 50}, []int{0, 0}, []int{40, 50}, []int{1, -1}, []int{40, 50}, nil, []int{1, 40}},
		{"transposed and flipped", []int{40, 50}, []int{0, 0}, []int{40, 50}, []int{-1, -1}, []int{40, 50}, []int{1, 40}, nil},
		{"transposed, every second", []int{70, 90}, []int{0, 0}, []int{70, 90}, []int{1, 2}, []int{70, 45}, []int{1, 70}, nil},
		{"axes reversed", []int{17, 5, 40}, []int{0, 0, 0}, []int{17, 5, 40}, []int{1, -1, 1}, []int{17, 5, 40}, []int{1, 17, 85}, nil},
		{"planes to pixels", []int{3, 20, 30}, []int{0, 0, 0}, []int{3, 20, 30}, []int{1, 1, 1}, []int{3, 20, 30}, nil, []int{1, 90, 3}},
		{"pixels to planes", []int{3, 20, 30}, []int{0, 0, 0}, []int{3, 20, 30}, []int{1, 1, 1}, []int{3, 20, 30}, []int{1, 90, 3}, nil},
		{"padded output", []int{30, 40}, []int{0, 0}, []int{30, 40}, []int{1, 2}, []int{30, 20}, nil, []int{27, 1}},
		{"short padded rows", []int{60, 40}, []int{0, 0}, []int{60, 40}, []int{1, 3}, []int{60, 13}, nil, []int{17, 1}},
		{"spread output", []int{30, 40}, []int{0, 0}, []int{30, 40}, []int{1, 1}, []int{30, 40}, nil, []int{80, 2}},
		{"spread pixels", []int{30, 40, 3}, []int{0, 0, 0}, []int{30, 40, 3}, []int{1, -1, -1}, []int{30, 40, 3}, nil, []int{200, 5, 1}},
		{"broadcast rows", []int{30, 40}, []int{0, 0}, []int{30, 40}, []int{1, 1}, []int{30, 40}, []int{0, 1}, nil},
		{"broadcast columns", []int{30, 40}, []int{0, 0}, []int{30, 40}, []int{1, -1}, []int{30, 40}, []int{1, 0}, nil},
		{"each element twice", []int{70, 2}, []int{0, 0}, []int{70, 2}, []int{1, 1}, []int{70, 2}, []int{1, 0}, nil},
		{"one pixel everywhere", []int{100, 3}, []int{0, 0}, []int{100, 3}, []int{1, -1}, []int{100, 3}, []int{0, 1}, nil},
		{"overlapping frames", []int{50, 20}, []int{0, 0}, []int{50, 20}, []int{1, 1}, []int{50, 20}, []int{3, 1}, nil},
		{"short overlapping frames", []int{50, 8}, []int{0, 0}, []int{50, 8}, []int{1, -1}, []int{50, 8}, []int{1, 1}, nil},
		{"far elements", []int{40, 1}, []int{0, 0}, []int{40, 1}, []int{-1, 1}, []int{40, 1}, []int{5000, 1}, nil},
		{"one element", []int{2, 3, 4}, []int{1, 2, 3}, []int{1, 1, 1}, []int{-5, 7, 1 << 30}, []int{1, 1, 1}, nil, nil},
	}
	for _, p := range patterns {
		t.Run(p.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(2, 2))
			for _, dtype := range widths {
				for misalign := range 8 {
					checkAll(t, &slice1.Desc{
						Input:         slice1.TensorDesc{DataType: dtype, Sizes: p.in, Strides: p.inStrides},
						Output:        slice1.TensorDesc{DataType: dtype, Sizes: p.out, Strides: p.outStrides},
						WindowOffsets: p.offsets, WindowSizes: p.sizes, WindowStrides: p.strides,
					}, misalign, rng)
				}
			}
		})
	}
}

// Every kernel runs outputs that are cut into parts along different loops, and small ones of the
// same shapes.
func TestKernelsOnManyParts(t *testing.T) {
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
