package imageslice

import (
	"bytes"
	"context"
	"slices"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/engine"
	"github.com/seed2e45c115/dml/slice1/internal/nest"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// drawing makes rows of samples, and stores them in a picture. A row that it makes has a row for
// each channel of the picture, in the order of the picture's channels, each of `plane` bytes.
type drawing struct {
	numbers      job // makes R, G and B, or the only channel
	settings     *engine.Settings
	src          unsafe.Pointer // the number for the first sample
	colour       int            // bytes from a row of samples to its first colour
	opaque       int            // bytes to its alpha, or -1
	plane, pitch int
	values       [2][3]float32 // scale and bias in reverse order
}

// opaque is a row of alpha.
var opaque = bytes.Repeat([]byte{255}, 4096)

// reverseValues reverses the order of the values of the numbers.
func (d *drawing) reverseValues() {
	for i, v := range [...]*[]float32{&d.numbers.values.Scale, &d.numbers.values.Bias} {
		reversed := d.values[i][:len(*v)]
		copy(reversed, *v)
		slices.Reverse(reversed)
		*v = reversed
	}
}

// Make makes rows, like source.Make. The kernel of d's settings is available, since the picture's
// slice has the same settings, so there is no error.
func (d *drawing) Make(dst unsafe.Pointer, first, count int64) {
	colours := unsafe.Add(dst, d.colour)
	if e, err := d.numbers.entry(int(count), d.settings); err == nil {
		from := unsafe.Add(d.src, first*d.numbers.loops[0].Src)
		_ = e.Run(context.Background(), colours, from, &d.numbers.values, false) // the context is never done
	}
	for row := 0; row < int(count) && d.opaque >= 0; row++ {
		for alpha := unsafe.Slice((*byte)(unsafe.Add(dst, row*d.pitch+d.opaque)), d.plane); len(alpha) > 0; {
			alpha = alpha[copy(alpha, opaque):]
		}
	}
}

// open sets the sizes of rows of so many columns for a picture. Its alpha, if it gets one, is
// channel number alpha, and its first colour channel number `first`.
func (d *drawing) open(target *plane, columns, first, alpha int, settings *engine.Settings) {
	d.settings = settings
	d.plane = columns * target.tensor.DataType.Size()
	d.pitch = target.sizes[2]*d.plane + 1 // more than all loops inside a row reach
	d.colour, d.opaque = first*d.plane, -1
	if alpha >= 0 {
		d.opaque = alpha * d.plane
	}
}

// store stores the rows that d makes in these rows and columns of a picture, which ascend.
func (d *drawing) store(target *plane, rows, columns axis) error {
	size := target.tensor.DataType.Size()
	j := job{made: int64(d.pitch)}
	j.number[0] = program.Uint8
	if size > 1 {
		j.number[0] = program.Sample
	}
	j.values.Source = d
	for i, l := range [...]struct {
		a    axis
		made int // bytes of what is made
	}{{rows, d.pitch}, {columns, size}, {upTo(target.sizes[2]), d.plane}} {
		j.loops[i] = nest.Dim{Extent: int64(l.a.n), Src: int64(l.made), Dst: int64(l.a.step * target.strides[i] * size)}
	}
	at := (rows.first*target.strides[0] + columns.first*target.strides[1]) * size
	return j.store(unsafe.Pointer(&target.pix[at]), nil, d.settings)
}
