package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// functions returns the names of the functions of libyuv and of VOLK that do a slice, "" for none.
func functions(t *testing.T, d *slice1.Desc) (yuv, volk string) {
	t.Helper()
	bytes, err := d.Input.MinSize()
	require.NoError(t, err)
	axes, first := axesOf(d)
	p, ok := planesOf(join(axes), first, d.Input.DataType.Size())
	if !ok {
		return "", ""
	}
	a, _ := p.yuvCall(int(bytes))
	b, _ := p.volkCall(int(bytes))
	return a.function, b.function
}

func TestWorksHaveTheirFunctions(t *testing.T) {
	type of struct {
		work  string
		width int
	}
	want := map[of][2]string{
		{"stride-1", 1}: {"MirrorPlane"}, {"stride-1", 2}: {"MirrorUVPlane"}, {"stride-1", 4}: {"ARGBMirror"},
		{"mirror3", 1}: {"RGB24Mirror"}, {"stride4", 1}: {"ARGBExtractAlpha"}, {"alpha", 1}: {"ARGBExtractAlpha"},
		{"bgr", 1}: {"RAWToRGB24"}, {"bgra", 1}: {"ARGBToRAW"}, {"3of4", 1}: {"ARGBToRGB24"},
		// Pixels of three elements that have no function of their own are rows of three pixels.
		{"bgr", 2}: {"MirrorUVPlane"}, {"bgr", 4}: {"ARGBMirror"}, {"bgra", 2}: {"MirrorUVPlane"}, {"bgra", 4}: {"ARGBMirror"},
		{"3of4", 2}: {"CopyPlane"}, {"3of4", 4}: {"CopyPlane"}, {"3of4", 8}: {"CopyPlane"},
		{"mirror3", 2}: {"CopyPlane"}, {"mirror3", 4}: {"CopyPlane"}, {"mirror3", 8}: {"CopyPlane"},
		{"transpose", 1}: {"TransposePlane"}, {"transpose12", 1}: {"TransposePlane"}, {"views10x13", 1}: {"TransposePlane"}, {"records6", 1}: {"TransposePlane"},
	}
	for _, name := range []string{"crop64", "crop256", "crop4096", "crop4d", "rowflip", "rowskip", "pitched"} {
		for width := range types {
			want[of{name, width}] = [2]string{"CopyPlane"}
		}
	}
	for width, function := range map[int]string{1: "volk_8ic_deinterleave_real_8i", 2: "volk_16ic_deinterleave_real_16i", 4: "volk_32fc_deinterleave_real_32f"} {
		for _, name := range []string{"stride2", "downsample", "7cols", "tiny4x4"} {
			want[of{name, width}] = [2]string{"", function}
		}
	}
	for _, w := range works {
		for width := range types {
			d, err := w.desc(width, sizes["M"])
			require.NoError(t, err)
			yuv, volk := functions(t, d)
			assert.Equal(t, want[of{w.name, width}], [2]string{yuv, volk}, "%s, width %d", w.name, width)
		}
	}
}

func TestFunctionsOfOtherSlices(t *testing.T) {
	for _, c := range []struct {
		width     int
		view      view
		yuv, volk string
	}{
		{1, view{shape: []int{5, 7, 4}, index: "[:, ::-1]"}, "ARGBMirror", ""},
		{1, view{shape: []int{5, 7, 2}, index: "[:, ::-2]"}, "", ""},
		{2, view{shape: []int{9, 4}, index: "[:, :2]"}, "", "volk_32fc_deinterleave_real_32f"},
		{1, view{shape: []int{3, 5, 7, 9}, index: "[:, ::2, ::2]"}, "", ""},
		{1, view{shape: []int{3, 5, 7}, index: "[:, ::2, :5]"}, "CopyPlane", ""},
		{1, view{shape: []int{3, 3, 5, 7}, index: "[::2, :2, ::2, :6]"}, "", ""},
		// In the next two, the last complex number or pixel of the last row would end after the
		// source.
		{1, view{shape: []int{3, 7}, index: "[:, ::2]"}, "", ""},
		{1, view{shape: []int{3, 4}, index: "[:, 1:]", srcStrides: []int{4, 1}}, "", ""},
		{8, view{shape: []int{1}, index: "..."}, "CopyPlane", ""},
		{4, view{shape: []int{5, 7}, index: "...", srcStrides: []int{1, 5}}, "", ""},
	} {
		d, err := c.view.desc(c.width)
		require.NoError(t, err)
		yuv, volk := functions(t, d)
		assert.Equal(t, []string{c.yuv, c.volk}, []string{yuv, volk}, "%v", c.view)
	}
}
