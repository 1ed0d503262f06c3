package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/slice1"
)

func TestAxesAreDrawn(t *testing.T) {
	for _, row := range []struct {
		extent, offset, size, stride, out int
		want                              string
	}{
		{8, 1, 6, 2, 3, ".#-#-#-."},
		{8, 1, 6, -2, 3, ".-#-#-#."},
		{8, 1, 6, -2, 1, ".-----#."},
		{5, 0, 5, 1, 5, "#####"},
		{5, 2, 3, -1 << 31, 1, "..--#"},
		{96, 0, 48, 1, 48, strings.Repeat("#", 24) + strings.Repeat(".", 24)},
		{96, 0, 96, 2, 48, strings.Repeat("+", 48)},
		{1 << 30, 0, 1 << 29, 1 << 28, 2, "+" + strings.Repeat("-", 11) + "+" + strings.Repeat("-", 11) + strings.Repeat(".", 24)},
	} {
		w := slice1.Window{Offsets: []int{row.offset}, Sizes: []int{row.size}, Strides: []int{row.stride}, Out: []int{row.out}}
		axes := slice1.NewDesc(slice1.Uint8, []int{row.extent}, w).Axes()
		assert.Equal(t, row.want, drawAxis(axes[0], row.offset, row.size), "%+v", row)
	}
}

func TestWindowsAreDrawn(t *testing.T) {
	var b strings.Builder
	drawWindow(&b, &slice1.Desc{
		Input: slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{4, 7}}, Output: slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{1, 3}},
		WindowOffsets: []int{1, 0}, WindowSizes: []int{2, 7}, WindowStrides: []int{-1, -2},
	})
	assert.Equal(t, "axis 0  |.-#.|     1 of 4: element 2\naxis 1  |--#-#-#|  3 of 7: 6 to 2 by -2\n", b.String())
}
