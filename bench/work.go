package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

// view is one slice: NumPy index text on an input of this shape. in and out are the memory
// strides of input and output, in elements, nil if packed.
type view struct {
	shape   []int
	index   string
	in, out []int
}

// work is a way to slice. Its view returns the slice of elements of width bytes whose output has
// about size bytes.
type work struct {
	name  string
	about string
	view  func(width, size int) view
	tiny  bool // has the same few elements at every size
}

var works = []work{
	crop(64),
	crop(256),
	crop(4096),
	{name: "crop4d", about: "crop of an NCHW batch to 3/4 x 3/4, rows of 192 B (48 B below 32 KiB)", view: crop4D},
	stride(2), stride(3), stride(4), stride(8), stride(16), stride(64),
	stride(-1), stride(-2), stride(-3),
	{name: "downsample", about: "every second pixel of every second row", view: func(width, size int) view {
		row := 4096 / width
		switch {
		case size <= 4<<10:
			row = 64 / width
		case size <= 4<<20:
			row = 1024 / width
		}
		return view{shape: []int{2 * (size / width / row), 2 * row}, index: "[::2, ::2]"}
	}},
	{name: "rowflip", about: "rows of 1 KiB from last to first", view: func(width, size int) view {
		return view{shape: []int{size / 1024, 1024 / width}, index: "[::-1]"}
	}},
	{name: "rowskip", about: "every second row of 1 KiB", view: func(width, size int) view {
		return view{shape: []int{2 * (size / 1024), 1024 / width}, index: "[::2]"}
	}},
	{name: "channel", about: "one channel of three, NHWC", view: pixels(1, 3, "1:2")},
	{name: "alpha", about: "the last channel of four, NHWC", view: pixels(1, 4, "3:")},
	{name: "bgr", about: "three channels reversed, NHWC", view: pixels(3, 3, "::-1")},
	{name: "bgra", about: "BGR out of RGBA: the first three of four channels, reversed", view: pixels(3, 4, "2::-1")},
	{name: "3of4", about: "the first three of four channels, NHWC", view: pixels(3, 4, ":3")},
	{name: "mirror3", about: "rows of pixels of three channels, mirrored", view: func(width, size int) view {
		n := size / width / 3
		w := min(n, 1360)
		return view{shape: []int{n / max(1, w), w, 3}, index: "[:, ::-1]"}
	}},
	{name: "7cols", about: "columns 1, 3 and 5 of a table of seven", view: func(width, size int) view {
		return view{shape: []int{size / width / 3, 7}, index: "[:, 1:6:2]"}
	}},
	{name: "5of10", about: "every second column of a table of ten, the last one first", view: func(width, size int) view {
		return view{shape: []int{size / width / 5, 10}, index: "[:, ::-2]"}
	}},
	{name: "rows16", about: "rows of 16 B under axes of two, two and four, two of them reversed", view: func(width, size int) view {
		return view{shape: []int{size / 256, 4, 2, 2, 16 / width}, index: "[:, ::-1, :, ::-1]"}
	}},
	{name: "tiny8d", about: "eight axes of two or three, every second reversed", view: func(width, size int) view {
		return view{shape: []int{size / width / 432, 2, 3, 2, 3, 2, 3, 2}, index: "[:, ::-1, :, ::-1, :, ::-1, :, ::-1]"}
	}},
	{name: "transpose", about: "a square matrix, transposed", view: func(width, size int) view {
		n := evenRoot(size / width)
		return view{shape: []int{n, n}, index: "...", in: []int{1, n}}
	}},
	{name: "transpose2", about: "every second column of a square matrix, transposed", view: func(width, size int) view {
		n := evenRoot(2 * size / width)
		return view{shape: []int{n, n}, index: "[::2]", in: []int{1, n}}
	}},
	{name: "transpose12", about: "a matrix of twelve rows, transposed", view: func(width, size int) view {
		n := size / width / 12
		return view{shape: []int{n, 12}, index: "...", in: []int{1, n}}
	}},
	{name: "pitched", about: "crop of rows of 256 B into rows twice as long", view: func(width, size int) view {
		row := 256 / width
		return view{shape: []int{size / 256, 2 * row}, index: fmt.Sprintf("[:, :%d]", row), out: []int{2 * row, 1}}
	}},
	{name: "outstride2", about: "into every second element, rows of 4 KiB", view: func(width, size int) view {
		row := min(size, 4096) / width
		return view{shape: []int{size / width / row, row}, index: "...", out: []int{2*row + 2, 2}}
	}},
	{name: "tiny4x4", about: "every second element of 4 x 4", tiny: true, view: func(width, size int) view {
		return view{shape: []int{1, 1, 4, 4}, index: "[..., ::2, 1::2]"}
	}},
}

func crop(row int) work {
	return work{name: fmt.Sprintf("crop%d", row), about: fmt.Sprintf("rows of %d B out of rows twice as long", row), view: func(width, size int) view {
		n := row / width
		first := n/4 + 1
		return view{shape: []int{size / row, 2 * n}, index: fmt.Sprintf("[:, %d:%d]", first, first+n)}
	}}
}

func crop4D(width, size int) view {
	rowBytes, h := 192, 48
	if size < 32<<10 {
		rowBytes, h = 48, 12
	}
	w := rowBytes / width
	x := w/8 + 1
	return view{shape: []int{size / (rowBytes * h * 3), 3, h * 4 / 3, w * 4 / 3},
		index: fmt.Sprintf("[..., 2:%d, %d:%d]", 2+h, x, x+w)}
}

func stride(by int) work {
	every := max(by, -by)
	return work{name: fmt.Sprintf("stride%d", by), about: fmt.Sprintf("one axis, stride %d", by), view: func(width, size int) view {
		n := size / width
		v := view{shape: []int{(n + 1) * every}, index: fmt.Sprintf("[1:%d:%d]", 1+n*every, by)}
		if by < 0 {
			v.index = fmt.Sprintf("[%d::%d]", n*every-1, by)
		}
		return v
	}}
}

func pixels(taken, channels int, index string) func(width, size int) view {
	return func(width, size int) view {
		n := size / width / taken
		w := min(n, 64)
		return view{shape: []int{1, n / max(1, w), w, channels}, index: "[..., " + index + "]"}
	}
}

// evenRoot returns the largest even number whose square is at most n.
func evenRoot(n int) int { return int(math.Sqrt(float64(n))) &^ 1 }

// named returns the works of these names, in their order, or an error if there is no such work.
// A name of the form strideN need not be among works; N is from -65536 to 65536 and not 0.
func named(names []string) ([]work, error) {
	var found []work
	for _, name := range names {
		i := slices.IndexFunc(works, func(w work) bool { return w.name == name })
		by, err := strconv.Atoi(strings.TrimPrefix(name, "stride"))
		switch {
		case i >= 0:
			found = append(found, works[i])
		case strings.HasPrefix(name, "stride") && err == nil && by != 0 && max(by, -by) <= 1<<16:
			found = append(found, stride(by))
		default:
			return nil, fmt.Errorf("no work %q; -list names them", name)
		}
	}
	return found, nil
}

var types = map[int]slice1.DataType{1: slice1.Uint8, 2: slice1.Uint16, 4: slice1.Uint32, 8: slice1.Uint64}

// errSmall is the error of a work that has no slice of so few bytes.
var errSmall = errors.New("too small")

func (v view) desc(width int) (*slice1.Desc, error) {
	if slices.Min(v.shape) < 1 {
		return nil, errSmall
	}
	w, _, err := slice1.ParseIndex(v.index, v.shape)
	if errors.Is(err, slice1.ErrEmpty) {
		return nil, errSmall
	}
	if err != nil {
		return nil, err
	}
	d := slice1.NewDesc(types[width], v.shape, w)
	d.Input.Strides, d.Output.Strides = v.in, v.out
	return d, nil
}

// maxSource is the most bytes of an input: 1 GiB, and a little for what lies before the first
// element that is taken.
const maxSource = 1<<30 + 1<<12

// desc returns the work's slice for this size. If its input would have more than maxSource
// bytes, desc halves the size until it has not. The error is errSmall if there is no slice of so
// few bytes.
func (w work) desc(width, size int) (*slice1.Desc, error) {
	for ; ; size /= 2 {
		d, err := w.view(width, size).desc(width)
		if err != nil {
			return nil, err
		}
		bytes, err := d.Input.MinSize()
		if err != nil || bytes <= maxSource {
			return d, err
		}
	}
}
