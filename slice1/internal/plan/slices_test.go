package plan

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// slice is a nest in normal form, with a name.
type slice struct {
	name string
	nest nest.Nest
}

// sliceOf returns the nest, in normal form, of a slice of elements of width bytes. The output has
// these sizes. in and out are the strides of the input and of the output, steps the steps through
// the input, all in elements and one for each axis. If steps is nil, each is 1. If out is nil, the
// output is packed. The nest's offsets are 0, also where a step is negative.
func sliceOf(width int64, sizes, steps, in, out []int64) nest.Nest {
	if out == nil {
		out = packed(sizes)
	}
	n := nest.Nest{Width: int32(width)}
	for i, extent := range sizes {
		step := int64(1)
		if steps != nil {
			step = steps[i]
		}
		if extent > 1 {
			n.Dims[n.Rank] = dim(extent, step*in[i]*width, out[i]*width)
			n.Rank++
		}
	}
	nest.Normalize(&n)
	return n
}

// packed returns the strides of a packed tensor in elements. Its last axis has stride 1.
func packed(sizes []int64) []int64 {
	strides, next := make([]int64, len(sizes)), int64(1)
	for i := len(sizes) - 1; i >= 0; i-- {
		strides[i] = next
		next *= sizes[i]
	}
	return strides
}

// list returns its arguments as a slice. It makes the literals below shorter.
func list(of ...int64) []int64 { return of }

// works are slices that people take. nest returns one of elements of w bytes. Its output has about
// `size` bytes, except that tiny4x4 always has four elements. Most works of command bench are among
// them by the same names.
var works = []struct {
	name string
	nest func(w, size int64) nest.Nest
}{
	{"crop64", crop(64)}, {"crop256", crop(256)}, {"crop4096", crop(4096)},
	{"crop4d", func(w, size int64) nest.Nest {
		return sliceOf(w, list(size/(192*48*3)+1, 3, 48, 192/w), nil, list(3*64*256/w, 64*256/w, 256/w, 1), nil)
	}},
	{"stride2", stride(2)}, {"stride3", stride(3)}, {"stride4", stride(4)}, {"stride8", stride(8)},
	{"stride16", stride(16)}, {"stride64", stride(64)},
	{"stride-1", stride(-1)}, {"stride-2", stride(-2)}, {"stride-3", stride(-3)},
	{"downsample", func(w, size int64) nest.Nest {
		row := min(size, 1024) / w
		return sliceOf(w, list(size/w/row, row), list(2, 2), list(2*row, 1), nil)
	}},
	{"rowflip", func(w, size int64) nest.Nest {
		return sliceOf(w, list(max(2, size/1024), 1024/w), list(-1, 1), list(1024/w, 1), nil)
	}},
	{"rowskip", func(w, size int64) nest.Nest {
		return sliceOf(w, list(max(2, size/1024), 1024/w), list(2, 1), list(1024/w, 1), nil)
	}},
	{"channel", pixels(1, 3, 1)}, {"bgr", pixels(3, 3, -1)}, {"bgra", pixels(3, 4, -1)}, {"3of4", pixels(3, 4, 1)},
	{"7cols", func(w, size int64) nest.Nest { return sliceOf(w, list(size/w/3, 3), list(1, 2), list(7, 1), nil) }},
	{"5of10", func(w, size int64) nest.Nest { return sliceOf(w, list(size/w/5, 5), list(1, -2), list(10, 1), nil) }},
	{"rows16", func(w, size int64) nest.Nest {
		return sliceOf(w, list(max(2, size/256), 4, 2, 2, 16/w), list(1, -1, 1, -1, 1), packed(list(1, 4, 2, 2, 16/w)), nil)
	}},
	{"tiny8d", func(w, size int64) nest.Nest {
		sizes := list(max(2, size/w/432), 2, 3, 2, 3, 2, 3, 2)
		return sliceOf(w, sizes, list(1, -1, 1, -1, 1, -1, 1, -1), packed(sizes), nil)
	}},
	{"transpose", func(w, size int64) nest.Nest {
		n := root(size / w)
		return sliceOf(w, list(n, n), nil, list(1, n), nil)
	}},
	{"transpose2", func(w, size int64) nest.Nest {
		n := root(2 * size / w)
		return sliceOf(w, list(n/2, n), list(2, 1), list(1, n), nil)
	}},
	{"transpose12", func(w, size int64) nest.Nest {
		n := max(2, size/w/12)
		return sliceOf(w, list(n, 12), nil, list(1, n), nil)
	}},
	{"pitched", func(w, size int64) nest.Nest {
		row := 256 / w
		return sliceOf(w, list(max(2, size/256), row), nil, list(2*row, 1), list(2*row, 1))
	}},
	{"outstride2", func(w, size int64) nest.Nest {
		row := min(size, 4096) / w
		return sliceOf(w, list(size/w/row, row), nil, list(row, 1), list(2*row+2, 2))
	}},
	{"tiny4x4", func(w, _ int64) nest.Nest { return sliceOf(w, list(2, 2), list(2, 2), list(4, 1), nil) }},

	{"nhwc-nchw", func(w, size int64) nest.Nest {
		side := max(2, root(size/w/6))
		return sliceOf(w, list(2, 3, side, side), nil, list(side*side*3, 1, side*3, 3), nil)
	}},
	{"nchw-nhwc", func(w, size int64) nest.Nest {
		side := max(2, root(size/w/6))
		return sliceOf(w, list(2, side, side, 3), nil, list(side*side*3, side, 1, side*side), nil)
	}},
	{"nchw-nhwc64", func(w, size int64) nest.Nest {
		side := max(2, root(size/w/64))
		return sliceOf(w, list(1, side, side, 64), nil, list(0, side, 1, side*side), nil)
	}},
	{"heads", func(w, size int64) nest.Nest {
		long := max(2, size/w/8/64)
		return sliceOf(w, list(8, long, 64), nil, list(64, 8*64, 1), nil)
	}},
	{"keys", func(w, size int64) nest.Nest {
		long := max(2, size/w/8/64)
		return sliceOf(w, list(8, 64, long), nil, list(64, 1, 8*64), nil)
	}},
	{"broadcast", func(w, size int64) nest.Nest {
		row := min(size, 256) / w
		return sliceOf(w, list(size/w/row, row), nil, list(1, 0), nil)
	}},
	{"repeat2", func(w, size int64) nest.Nest { return sliceOf(w, list(size/w/2, 2), nil, list(1, 0), nil) }},
	{"patches", func(w, size int64) nest.Nest {
		side := max(2, root(size/w/64))
		return sliceOf(w, list(side, side, 8, 8), nil, list(8*8*side, 8, 8*side, 1), nil)
	}},
}

func crop(row int64) func(w, size int64) nest.Nest {
	return func(w, size int64) nest.Nest {
		return sliceOf(w, list(max(2, size/row), row/w), nil, list(2*row/w, 1), nil)
	}
}

func stride(by int64) func(w, size int64) nest.Nest {
	return func(w, size int64) nest.Nest { return sliceOf(w, list(size/w), list(by), list(1), nil) }
}

func pixels(taken, channels, step int64) func(w, size int64) nest.Nest {
	return func(w, size int64) nest.Nest {
		return sliceOf(w, list(size/w/taken, taken), list(1, step), list(channels, 1), nil)
	}
}

func root(n int64) int64 { return int64(math.Sqrt(float64(n))) &^ 1 }

// recorded returns the slices that testdata/choices is about: every work in each width, random
// slices, to make five hundred in all, and the nests of `rare`.
func recorded() (all []slice) {
	sizes := list(256, 4<<10, 64<<10, 1<<20, 4<<20)
	for i, work := range works {
		for j, w := range list(1, 2, 4, 8) {
			size := sizes[(i+2*j)%len(sizes)]
			all = append(all, slice{fmt.Sprintf("%s/%d/%d", work.name, w, size), work.nest(w, size)})
		}
	}
	rng := rand.New(rand.NewPCG(40, 40))
	for i := len(all); i < 500; i++ {
		all = append(all, slice{fmt.Sprintf("random%d", i), randomSlice(rng)})
	}
	for i, text := range rare {
		all = append(all, slice{fmt.Sprintf("rare%d", i), parseNest(text)})
	}
	return all
}

// randomSlice returns the nest of a random slice of one to six axes. It has about 64 bytes to 4
// MiB, distributed evenly on a logarithmic scale. Some axes are sub-sampled, reversed or cropped.
// The axes of some inputs and outputs lie in memory in another order, and some outputs have gaps.
func randomSlice(rng *rand.Rand) nest.Nest {
	w, rank := int64(1)<<rng.IntN(4), 1+rng.IntN(6)
	left := max(2, int64(64*math.Exp2(16*rng.Float64()))/w)
	sizes, steps, shape := make([]int64, rank), make([]int64, rank), make([]int64, rank)
	for i, axis := range rng.Perm(rank) {
		sizes[axis] = left
		if i < rank-1 {
			sizes[axis] = 1 + rng.Int64N(min(left, list(4, 16, 300, left)[rng.IntN(4)]))
		}
		left = max(1, left/sizes[axis])
		steps[axis] = list(1, 1, 1, 1, -1, -1, 2, -2, 3, 4)[rng.IntN(10)]
		shape[axis] = abs(steps[axis]) * sizes[axis]
		if rng.IntN(3) == 0 {
			shape[axis] += rng.Int64N(shape[axis] + 2)
		}
	}
	in, out := stridesOf(rng, shape, rng.IntN(3) == 0, false), stridesOf(rng, sizes, rng.IntN(10) == 0, rng.IntN(5) == 0)
	return sliceOf(w, sizes, steps, in, out)
}

// stridesOf returns the strides, in elements, of a tensor of these sizes. If permuted is true, its
// axes lie in memory in a random order, else in their own. If padded is true, there may be gaps
// behind axes.
func stridesOf(rng *rand.Rand, sizes []int64, permuted, padded bool) []int64 {
	order := rng.Perm(len(sizes))
	strides, next := make([]int64, len(sizes)), int64(1)
	for i := len(sizes) - 1; i >= 0; i-- {
		axis := i
		if permuted {
			axis = order[i]
		}
		strides[axis] = next
		next *= sizes[axis]
		if padded && rng.IntN(2) == 0 {
			next += rng.Int64N(20)
		}
	}
	return strides
}
