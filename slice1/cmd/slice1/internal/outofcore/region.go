package outofcore

import (
	"cmp"
	"io"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
)

const (
	// gapBytes is the length of the longest gap between elements that is read along with them. To
	// read it takes less time than another system call.
	gapBytes = 4 << 10
	// callBytes is the number of bytes that can be copied in the time that a system call takes
	// besides copying.
	callBytes = 4 << 10
)

// region is the place of a part of an array in a file: stretches of equal length, at equal
// distances along some axes.
type region struct {
	start int64 // byte of the file at which the first stretch begins

	length int64   // bytes of a stretch
	count  []int   // how many stretches there are along each axis, the innermost one first
	step   []int64 // bytes from one stretch to the next along each axis
}

// stretches returns how many stretches there are.
func (r region) stretches() int64 {
	n := int64(1)
	for _, count := range r.count {
		n *= int64(count)
	}
	return n
}

// bytes returns the length of all stretches together.
func (r region) bytes() int64 { return r.stretches() * r.length }

// cost returns the time it takes to read or write the stretches, as the number of bytes that could
// be copied in that time.
func (r region) cost() int64 { return r.stretches() * (r.length + callBytes) }

// visit calls f for each stretch in turn, with the byte of the file at which the stretch begins.
func (r region) visit(f func(offset int64) error) error {
	offset, index := r.start, make([]int, len(r.count))
	for {
		if err := f(offset); err != nil {
			return err
		}
		axis := 0
		for ; axis < len(index) && index[axis] == r.count[axis]-1; axis++ {
			offset -= int64(index[axis]) * r.step[axis]
			index[axis] = 0
		}
		if axis == len(index) {
			return nil
		}
		index[axis]++
		offset += r.step[axis]
	}
}

// read reads the stretches into buf, packed.
func (r region) read(src io.ReaderAt, buf []byte) error {
	return r.visit(func(offset int64) error {
		n, err := src.ReadAt(buf[:r.length], offset)
		if int64(n) < r.length {
			return cmp.Or(err, io.ErrUnexpectedEOF) // otherwise err may be io.EOF with the last byte
		}
		buf = buf[r.length:]
		return nil
	})
}

// write writes the stretches. buf holds them packed.
func (r region) write(dst io.WriterAt, buf []byte) error {
	return r.visit(func(offset int64) error {
		_, err := dst.WriteAt(buf[:r.length], offset)
		buf = buf[r.length:]
		return err
	})
}

// place returns where the output of box d lies in a larger output with the given memory strides.
// The box begins at origin. Its elements have `element` bytes.
func place(d *slice1.Desc, element int, origin, strides []int) region {
	size := int64(element)
	r := region{length: size}
	for axis, stride := range slices.Backward(strides) {
		n, step := d.Output.Sizes[axis], int64(stride)*size
		r.start += int64(origin[axis]) * step
		switch {
		case n == 1:
		case step == r.length && len(r.count) == 0:
			r.length *= int64(n)
		default:
			r.count, r.step = append(r.count, n), append(r.step, step)
		}
	}
	return r
}

// gather returns where the elements that d takes lie. It also returns a descriptor of the same
// slice for an input that is only these stretches, packed. Gaps of at most the given number of
// bytes are part of a stretch. The windows of d must be the smallest that yield its output.
func gather(d *slice1.Desc, gap int64) (region, *slice1.Desc) {
	size := int64(d.Input.DataType.Size())
	axes := d.Axes()
	step := make([]int64, len(axes)) // in bytes, from one element taken to the next
	memory := make([]int, len(axes)) // memory strides of the input that is only the stretches
	order := []int{}
	r := region{length: size}
	for axis, x := range axes {
		r.start += int64(d.WindowOffsets[axis]) * x.Src * size
		if x.Out > 1 {
			step[axis] = max(x.Step, -x.Step) * x.Src * size
			order = append(order, axis)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(step[x], step[y]) })

	c := *d
	c.Input = slice1.TensorDesc{DataType: d.Input.DataType, Sizes: slices.Clone(d.WindowSizes), Strides: memory}
	c.WindowOffsets = make([]int, len(axes))
	c.WindowSizes, c.WindowStrides = slices.Clone(d.WindowSizes), slices.Clone(d.WindowStrides)
	packed := int64(0)
	for _, axis := range order {
		n := d.Output.Sizes[axis]
		if packed == 0 && step[axis] <= r.length+gap {
			r.length += int64(n-1) * step[axis]
			memory[axis] = int(axes[axis].Src)
			continue
		}
		packed = max(packed, r.length)
		r.count, r.step = append(r.count, n), append(r.step, step[axis])
		c.Input.Sizes[axis], memory[axis] = n, int(packed/size)
		c.WindowSizes[axis], c.WindowStrides[axis] = n, cmp.Compare(d.WindowStrides[axis], 0)
		packed *= int64(n)
	}
	return r, &c
}

// OneStretch reports whether the elements that d takes are one stretch of the input, in the order
// of the output. If they are, it returns the first byte and the number of bytes of the stretch.
func OneStretch(d *slice1.Desc) (start, bytes int64, ok bool) {
	length := int64(1)
	for _, x := range slices.Backward(d.Axes()) {
		if x.Out > 1 && (x.Step < 0 || x.Step > length || x.Step*x.Src != length) {
			return 0, 0, false
		}
		start += x.Start * x.Src
		length *= x.Out
	}
	size := int64(d.Input.DataType.Size())
	return start * size, length * size, true
}
