package portable

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/nest"
)

// shape is one workload: the loops of a nest, for a width of elements and a size of the
// output. Both are in bytes, and the output has about that size.
type shape struct {
	name string
	dims func(width, bytes int64) []nest.Dim
}

// vector is one row of the whole output, with a source stride in elements.
func vector(stride int64) func(w, bytes int64) []nest.Dim {
	return func(w, bytes int64) []nest.Dim {
		return []nest.Dim{{Extent: bytes / w, Src: stride * w, Dst: w}}
	}
}

// crop is rows of `row` bytes out of source rows twice as long.
func crop(row int64) func(w, bytes int64) []nest.Dim {
	return func(w, bytes int64) []nest.Dim {
		return []nest.Dim{{Extent: bytes / row, Src: 2 * row, Dst: row}, {Extent: row / w, Src: w, Dst: w}}
	}
}

// pixelsOf picks n elements of every pixel of `size` elements. The picked elements of a pixel are
// `stride` elements apart in the source.
func pixelsOf(size, n, stride int64) func(w, bytes int64) []nest.Dim {
	return func(w, bytes int64) []nest.Dim {
		return []nest.Dim{{Extent: bytes / w / n, Src: size * w, Dst: n * w}, {Extent: n, Src: stride * w, Dst: w}}
	}
}

var shapes = []shape{
	{"copy", crop(4096)},
	{"crop64", crop(64)},
	{"crop256", crop(256)},
	{"crop96", crop(96)},
	{"crop192", crop(192)},
	{"crop512", crop(512)},
	{"crop48", crop(48)},
	{"crop16", crop(16)},
	{"reverse", vector(-1)},
	{"stride2", vector(2)},
	{"stride3", vector(3)},
	{"stride4", vector(4)},
	{"stride8", vector(8)},
	{"stride-2", vector(-2)},
	{"fill", vector(0)},
	{"scatter", func(w, bytes int64) []nest.Dim {
		return []nest.Dim{{Extent: bytes / w, Src: w, Dst: 2 * w}}
	}},
	{"bgr", pixelsOf(3, 3, -1)},
	{"bgra", pixelsOf(4, 3, -1)},
	{"3of4", pixelsOf(4, 3, 1)},
	{"3of7", pixelsOf(7, 3, 2)},
	{"5of12", pixelsOf(12, 5, 2)},
	{"stride2x16", func(w, bytes int64) []nest.Dim {
		return []nest.Dim{{Extent: bytes / w / 16, Src: 64 * w, Dst: 16 * w}, {Extent: 16, Src: 2 * w, Dst: w}}
	}},
	{"transpose", func(w, bytes int64) []nest.Dim {
		side := int64(1)
		for side*side*w < bytes {
			side++
		}
		return []nest.Dim{{Extent: side, Src: w, Dst: side * w}, {Extent: side, Src: side * w, Dst: w}}
	}},
	{"views", func(w, bytes int64) []nest.Dim { // each of 13 rows of 11 elements
		return []nest.Dim{{Extent: bytes / w / 143, Src: 143 * w, Dst: 143 * w}, {Extent: 13, Src: w, Dst: 11 * w}, {Extent: 11, Src: 13 * w, Dst: w}}
	}},
	{"crop4d", func(w, bytes int64) []nest.Dim {
		// Images of 3 channels, each of 12 rows of 96 bytes: 48 bytes of 6 rows of each channel.
		return []nest.Dim{{Extent: bytes / 864, Src: 3456, Dst: 864}, {Extent: 3, Src: 1152, Dst: 288},
			{Extent: 6, Src: 96, Dst: 48}, {Extent: 48 / w, Src: w, Dst: w}}
	}},
	{"axes", func(w, bytes int64) []nest.Dim {
		// Every other loop is reversed, so that no two can be coalesced.
		dims, step := make([]nest.Dim, 6), w
		for i := 5; i >= 0; i-- {
			dims[i] = nest.Dim{Extent: 4, Src: step, Dst: step}
			if i%2 == 1 {
				dims[i].Src = -step
			}
			step *= 4
		}
		dims[0].Extent = max(1, bytes*4/step)
		return dims
	}},
}

// BenchmarkRun measures Slice on each workload, for two sizes of output and each width.
// MB/s counts output bytes.
func BenchmarkRun(b *testing.B) {
	for _, bytes := range []int64{4 << 10, 512 << 10} {
		for _, s := range shapes {
			for _, width := range []int64{1, 2, 4, 8} {
				b.Run(fmt.Sprintf("class=%s/width=%d/bytes=%d", s.name, width, bytes), func(b *testing.B) {
					n, dst, src := place(int(width), s.dims(width, bytes))
					out := width
					for i := range n.Rank {
						out *= n.Dims[i].Extent
					}
					b.SetBytes(out)
					d, p := unsafe.Pointer(&dst[0]), unsafe.Pointer(&src[0])
					for b.Loop() {
						Slice(&n, d, p)
					}
				})
			}
		}
	}
}
