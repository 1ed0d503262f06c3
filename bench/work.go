package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/seed2e45c115/dml/slice1"
)

// view is one slice: NumPy index text on an input of this shape. srcStrides and dstStrides are the
// memory strides of input and output, in elements. nil means packed.
type view struct {
	shape                  []int
	index                  string
	srcStrides, dstStrides []int
}

// work is a slice that people make, for any width and size. Its view returns the slice of elements
// of width bytes with an output of about size bytes.
type work struct {
	name string
	note string
	view func(width, size int) view
	tiny bool // it has the same few elements at every size
}

var works = []work{
	crop(64),
	crop(256),
	crop(4096),
	{name: "crop4d", note: "crop of an NCHW batch to 3/4 x 3/4, rows of 192 B (48 B below 32 KiB)", view: crop4D},
	stride(2), stride(3), stride(4), stride(8), stride(16), stride(64),
	stride(-1), stride(-2), stride(-3),
	{name: "downsample", note: "every second pixel of every second row", view: func(width, size int) view {
		row := 4096 / width
		switch {
		case size <= 4<<10:
			row = 64 / width
		case size <= 4<<20:
			row = 1024 / width
		}
		return view{shape: []int{2 * (size / width / row), 2 * row}, index: "[::2, ::2]"}
	}},
	packed("rowflip", "rows of 1 KiB from last to first", "[::-1]", func(width, size int) []int { return []int{size / 1024, 1024 / width} }),
	packed("rowskip", "every second row of 1 KiB", "[::2]", func(width, size int) []int { return []int{2 * (size / 1024), 1024 / width} }),
	{name: "channel", note: "one channel of three, NHWC", view: pixels(1, 3, "1:2")},
	{name: "alpha", note: "the last channel of four, NHWC", view: pixels(1, 4, "3:")},
	{name: "bgr", note: "three channels reversed, NHWC", view: pixels(3, 3, "::-1")},
	{name: "bgra", note: "BGR out of RGBA: the first three of four channels, reversed", view: pixels(3, 4, "2::-1")},
	{name: "3of4", note: "the first three of four channels, NHWC", view: pixels(3, 4, ":3")},
	{name: "mirror3", note: "rows of pixels of three channels, mirrored", view: func(width, size int) view {
		n := size / width / 3
		w := min(n, 1360)
		return view{shape: []int{n / max(1, w), w, 3}, index: "[:, ::-1]"}
	}},
	packed("7cols", "columns 1, 3 and 5 of a table of seven", "[:, 1:6:2]", func(width, size int) []int { return []int{size / width / 3, 7} }),
	packed("5of10", "every second column of a table of ten, the last one first", "[:, ::-2]", func(width, size int) []int { return []int{size / width / 5, 10} }),
	packed("rows16", "rows of 16 B under axes of two, two and four, two of them reversed", "[:, ::-1, :, ::-1]", func(width, size int) []int { return []int{size / 256, 4, 2, 2, 16 / width} }),
	packed("tiny8d", "eight axes of two or three, every second reversed", "[:, ::-1, :, ::-1, :, ::-1, :, ::-1]", func(width, size int) []int { return []int{size / width / 432, 2, 3, 2, 3, 2, 3, 2} }),
	{name: "transpose", note: "a square matrix, transposed", view: func(width, size int) view {
		n := evenRoot(size / width)
		return view{shape: []int{n, n}, index: "...", srcStrides: []int{1, n}}
	}},
	{name: "transpose2", note: "every second column of a square matrix, transposed", view: func(width, size int) view {
		n := evenRoot(2 * size / width)
		return view{shape: []int{n, n}, index: "[::2]", srcStrides: []int{1, n}}
	}},
	{name: "transpose12", note: "a matrix of twelve rows, transposed", view: func(width, size int) view {
		n := size / width / 12
		return view{shape: []int{n, 12}, index: "...", srcStrides: []int{1, n}}
	}},
	{name: "views10x13", note: "views of 10 x 13, each transposed", view: func(width, size int) view {
		return view{shape: []int{max(1, size/width/130), 13, 10}, index: "...", srcStrides: []int{130, 1, 13}}
	}},
	{name: "records6", note: "the first 6 elements of records of 40, to rows", view: func(width, size int) view {
		return view{shape: []int{6, max(1, size/width/6)}, index: "...", srcStrides: []int{1, 40}}
	}},
	{name: "planes4x3", note: "4 x 3 planes, the fours apart, interleaved", view: func(width, size int) view {
		n := max(1, size/width/12)
		return view{shape: []int{n, 4, 3}, index: "...", srcStrides: []int{1, 3*n + 16, n}}
	}},
	{name: "pitched", note: "crop of rows of 256 B into rows twice as long", view: func(width, size int) view {
		row := 256 / width
		return view{shape: []int{size / 256, 2 * row}, index: fmt.Sprintf("[:, :%d]", row), dstStrides: []int{2 * row, 1}}
	}},
	{name: "outstride2", note: "into every second element, rows of 4 KiB", view: func(width, size int) view {
		row := min(size, 4096) / width
		return view{shape: []int{size / width / row, row}, index: "...", dstStrides: []int{2*row + 2, 2}}
	}},
	{name: "nchw", note: "pictures without their edges of two pixels, mirrored, NHWC to NCHW", view: func(width, size int) view {
		w := 64
		n := size / width / (w * w * 3)
		if n == 0 {
			n, w = 1, evenRoot(size/width/3)
		}
		h := w + 4
		return view{shape: []int{n, 3, h, h}, index: "[..., 2:-2, -3:1:-1]", srcStrides: []int{3 * h * h, 1, 3 * h, 3}}
	}},
	{name: "tiny4x4", note: "every second element of 4 x 4", tiny: true, view: func(width, size int) view {
		return view{shape: []int{1, 1, 4, 4}, index: "[..., ::2, 1::2]"}
	}},
}

// packed returns a work with the same index text at every size, on packed input and output.
func packed(name, note, index string, shape func(width, size int) []int) work {
	return work{name: name, note: note, view: func(width, size int) view { return view{shape: shape(width, size), index: index} }}
}

func crop(row int) work {
	return work{name: fmt.Sprintf("crop%d", row), note: fmt.Sprintf("rows of %d B out of rows twice as long", row), view: func(width, size int) view {
		n := row / width
		start := n/4 + 1
		return view{shape: []int{size / row, 2 * n}, index: fmt.Sprintf("[:, %d:%d]", start, start+n)}
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

func stride(step int) work {
	length := max(step, -step)
	return work{name: fmt.Sprintf("stride%d", step), note: fmt.Sprintf("one axis, stride %d", step), view: func(width, size int) view {
		n := size / width
		v := view{shape: []int{(n + 1) * length}, index: fmt.Sprintf("[1:%d:%d]", 1+n*length, step)}
		if step < 0 {
			v.index = fmt.Sprintf("[%d::%d]", n*length-1, step)
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

// evenRoot returns the largest even number with a square of at most n.
func evenRoot(n int) int { return int(math.Sqrt(float64(n))) &^ 1 }

// named returns the works with these names, in the order of names, or an error if there is no such
// work. A name of the form strideN need not be in works. N is from -65536 to 65536 and not 0.
func named(names []string) ([]work, error) {
	var found []work
	for _, name := range names {
		i := slices.IndexFunc(works, func(w work) bool { return w.name == name })
		step, err := strconv.Atoi(strings.TrimPrefix(name, "stride"))
		switch {
		case i >= 0:
			found = append(found, works[i])
		case strings.HasPrefix(name, "stride") && err == nil && step != 0 && max(step, -step) <= 1<<16:
			found = append(found, stride(step))
		default:
			return nil, fmt.Errorf("no work %q; -list names them", name)
		}
	}
	return found, nil
}

var types = map[int]slice1.DataType{1: slice1.Uint8, 2: slice1.Uint16, 4: slice1.Uint32, 8: slice1.Uint64}

// errSmall is the error of a work that has no slice of so few or so many bytes.
var errSmall = errors.New("no slice of this size")

// maxSource is the most bytes of an input: 1 GiB, or four times size L if that is more, and a
// little for the bytes before the first element taken.
var maxSource = int64(max(1<<30, 4*sizes["L"])) + 1<<12

// desc returns the work's slice for this size. The error is errSmall if there is none, or if its
// input would have more than maxSource bytes.
func (w work) desc(width, size int) (*slice1.Desc, error) { return w.view(width, size).desc(width) }

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
	d.Input.Strides, d.Output.Strides = v.srcStrides, v.dstStrides
	if bytes, err := d.Input.MinSize(); err != nil || bytes > maxSource {
		return nil, errSmall
	}
	return d, nil
}

// cell returns the work's cell for elements of `width` bytes and an output of `size`. Both are
// texts of the options.
func (w work) cell(width, size string) (c cell, err error) {
	bytes, err := bytesOf(size)
	if err != nil {
		return c, err
	}
	n, err := strconv.Atoi(width)
	if _, ok := types[n]; !ok || err != nil {
		return c, fmt.Errorf("no elements are %q bytes wide", width)
	}
	d, err := w.desc(n, bytes)
	if err == nil && w.tiny {
		size = strconv.Itoa(n * elementsOf(d))
	}
	return cell{w.name, n, size, d}, err
}

func elementsOf(d *slice1.Desc) int {
	n := 1
	for _, extent := range d.Output.Sizes {
		n *= extent
	}
	return n
}

func printWorks(w io.Writer) {
	for _, work := range works {
		v := work.view(1, sizes["S"])
		fmt.Fprintf(w, "%-11s %s\n%11s at S, 1-byte elements: %v%s, strides of input %v, output %v\n", work.name, work.note, "", v.shape, v.index, v.srcStrides, v.dstStrides)
	}
}

// parsePermutations reads a list (see doc.go) as cells. The size of a cell is its rank. If size is
// not "", it scales each permutation to it.
func parsePermutations(r io.Reader, size string) (cells []cell, err error) {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		text, _, _ := strings.Cut(lines.Text(), "#")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		c, err := parsePermutation(text, size)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		cells = append(cells, c)
	}
	if lines.Err() == nil && cells == nil {
		return nil, errors.New("no permutation in it")
	}
	return cells, lines.Err()
}

func parsePermutation(text, size string) (c cell, err error) {
	words := strings.Fields(text)
	if len(words) < 3 {
		return c, fmt.Errorf("%q is not an element type, a permutation and sizes", text)
	}
	var dtype slice1.DataType
	if err := dtype.UnmarshalText([]byte(words[0])); err != nil {
		n, _ := strconv.Atoi(words[0])
		if dtype = types[n]; dtype == 0 {
			return c, fmt.Errorf("no element type %q", words[0])
		}
	}
	numbers := [4][]int{} // the permutation, the sizes, and the spacings of input and output
	columnMajor := false
	for i, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		place := slices.Index([]string{"", "", "in", "out"}, key)
		switch {
		case word == "order=F":
			columnMajor = true
			continue
		case i < 2:
			place, value = i, word
		case place < 0:
			return c, fmt.Errorf("%q is neither order=F nor in= nor out=", word)
		}
		if numbers[place], err = integers(value, min(place, 1)); err != nil {
			return c, err
		}
	}
	rank := len(numbers[0])
	for i := range rank {
		if !slices.Contains(numbers[0], i) {
			return c, fmt.Errorf("%s is no permutation of 0 to %d", words[1], rank-1)
		}
	}
	for i := range numbers {
		if i > 1 && numbers[i] == nil {
			numbers[i] = slices.Repeat([]int{1}, rank)
		}
		if len(numbers[i]) != rank {
			return c, fmt.Errorf("%q has not as many sizes or spacings as axes", text)
		}
	}
	if size != "" {
		bytes, err := bytesOf(size)
		if err != nil {
			return c, err
		}
		scale(numbers[1], bytes/dtype.Size())
		words[2], size = joined(numbers[1]), size+"-"
	}
	if columnMajor {
		for i, axis := range numbers[0] {
			numbers[0][i] = rank - 1 - axis
		}
		for i := range numbers {
			slices.Reverse(numbers[i])
		}
	}
	axes, err := permutedAxes(numbers[0], numbers[1], numbers[2], numbers[3], dtype.Size())
	if err != nil {
		return c, err
	}
	d := wholeOf(dtype, axes)
	return cell{strings.Join(words, " "), dtype.Size(), fmt.Sprint(size, "rank", len(axes)), d}, d.Validate()
}

// scale changes the first of the largest extents. It becomes as large as possible with at most so
// many elements in all, and at least 1.
func scale(extents []int, elements int) {
	longest := slices.Index(extents, slices.Max(extents))
	extents[longest] = 1
	for _, n := range extents {
		elements /= n
	}
	extents[longest] = max(1, elements)
}

func joined(values []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(values), " ", ","), "[]")
}

// wholeOf returns the slice that takes every element that the loops visit.
func wholeOf(t slice1.DataType, axes []axis) *slice1.Desc {
	var sizes, zeros, src, dst []int
	for _, x := range axes {
		sizes, zeros, src, dst = append(sizes, x.n), append(zeros, 0), append(src, x.src), append(dst, x.dst)
	}
	d := slice1.NewDesc(t, sizes, slice1.Window{Offsets: zeros, Sizes: sizes, Strides: slices.Repeat([]int{1}, len(axes)), Out: sizes})
	d.Input.Strides, d.Output.Strides = src, dst
	return d
}

func integers(list string, lowest int) (values []int, err error) {
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < lowest {
			return nil, fmt.Errorf("%q is no list of numbers of at least %d", list, lowest)
		}
		values = append(values, n)
	}
	return values, nil
}

// mostCase is the most bytes, including gaps, of the array in which a tensor of a case lies.
const mostCase = 1 << 30

// permutedAxes returns the loops of a permutation of row-major tensors. Axis i of the output is
// axis perm[i] of the input. The input has these sizes. Along axis i a tensor takes every
// srcStrides[i]-th, or dstStrides[i]-th, element of an array. Axes that continue each other are one
// loop, and there is at least one.
func permutedAxes(perm, sizes, srcStrides, dstStrides []int, width int) ([]axis, error) {
	axes := make([]axis, len(perm))
	src, dst := 1, 1
	source := slices.Clone(srcStrides)
	for i := len(perm) - 1; i >= 0; i-- {
		n := sizes[perm[i]]
		if src > mostCase/width/sizes[i]/srcStrides[i] || dst > mostCase/width/n/dstStrides[i] {
			return nil, fmt.Errorf("more than %d GiB", mostCase>>30)
		}
		axes[i] = axis{n: n, dst: dst * dstStrides[i]}
		source[i] *= src
		src *= sizes[i] * srcStrides[i]
		dst *= n * dstStrides[i]
	}
	for i := range axes {
		axes[i].src = source[perm[i]]
	}
	return join(axes), nil
}
