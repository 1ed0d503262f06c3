package outofcore

import (
	"cmp"
	"io"
	"math"
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

// Region is the place of a part of an array in a file: runs of equal length, at equal
// distances along some axes.
type Region struct {
	First int64 // byte of the file at which the first run begins

	run   int64   // bytes of a run
	count []int   // how many runs there are along each axis, the innermost one first
	step  []int64 // bytes from one run to the next along each axis
}

// Runs returns how many runs there are.
func (r Region) Runs() int64 {
	n := int64(1)
	for _, count := range r.count {
		n *= int64(count)
	}
	return n
}

// Bytes returns the length of all runs together.
func (r Region) Bytes() int64 { return r.Runs() * r.run }

// cost returns the time it takes to read or write the runs, as the number of bytes that could be
// copied in that time.
func (r Region) cost() int64 { return r.Runs() * (r.run + callBytes) }

// each calls f for each run in turn, with the byte of the file at which the run begins.
func (r Region) each(f func(at int64) error) error {
	at, index := r.First, make([]int, len(r.count))
	for {
		if err := f(at); err != nil {
			return err
		}
		axis := 0
		for ; axis < len(index) && index[axis] == r.count[axis]-1; axis++ {
			at -= int64(index[axis]) * r.step[axis]
			index[axis] = 0
		}
		if axis == len(index) {
			return nil
		}
		index[axis]++
		at += r.step[axis]
	}
}

// Read reads the runs into buf, packed.
func (r Region) Read(from io.ReaderAt, buf []byte) error {
	_, err := r.append(from, buf[:0])
	return err
}

// sureBytes is the most bytes for which a region gets memory at once, because it claims to have
// them. Pages that are never written take no memory of the machine.
const sureBytes = min(1<<30, math.MaxInt/16)

// capacity returns how many bytes of memory to take. `have` bytes are there, `need` are needed
// next, and the region claims to have `all`. capacity is `all`, but at most sureBytes or four times
// `have`, whichever is more. It is at least `need`.
func capacity(have, need, all int64) int64 { return max(need, min(all, max(sureBytes, 4*have))) }

// append reads the runs in the order of the file and appends them to buf, packed. While bytes come
// and buf lacks memory, append replaces buf by a longer one. So an input that ends early takes
// little memory, however long the runs claim to be.
func (r Region) append(from io.ReaderAt, buf []byte) ([]byte, error) {
	err := r.each(func(at int64) error {
		for end := at + r.run; at < end; {
			have, n := len(buf), int(min(end-at, boxBytes))
			if have+n > cap(buf) {
				buf = append(make([]byte, 0, capacity(int64(have), int64(have+n), r.Bytes())), buf...)
			}
			buf = buf[:have+n]
			if read, err := from.ReadAt(buf[have:], at); read < n {
				return cmp.Or(err, io.ErrUnexpectedEOF) // otherwise err may be io.EOF with the last byte
			}
			at += int64(n)
		}
		return nil
	})
	return buf, err
}

// Write writes the runs. buf holds them packed.
func (r Region) Write(to io.WriterAt, buf []byte) error {
	return r.each(func(at int64) error {
		_, err := to.WriteAt(buf[:r.run], at)
		buf = buf[r.run:]
		return err
	})
}

// place returns where the output of box d lies in a larger output with the given memory strides.
// The box begins at origin. Its elements have `element` bytes.
func place(d *slice1.Desc, element int, origin, strides []int) Region {
	size := int64(element)
	r := Region{run: size}
	for axis, stride := range slices.Backward(strides) {
		n, step := d.Output.Sizes[axis], int64(stride)*size
		r.First += int64(origin[axis]) * step
		switch {
		case n == 1:
		case step == r.run && len(r.count) == 0:
			r.run *= int64(n)
		default:
			r.count, r.step = append(r.count, n), append(r.step, step)
		}
	}
	return r
}

// Gather returns where the elements that d takes lie. It also returns a descriptor of the same
// slice for an input that is only these runs, packed. Gaps of at most gapBytes are part of a run.
// The windows of d must be the smallest that yield its output.
func Gather(d *slice1.Desc) (Region, *slice1.Desc) { return gather(d, gapBytes) }

// gather is Gather, with gaps of at most the given number of bytes.
func gather(d *slice1.Desc, gap int64) (Region, *slice1.Desc) {
	size := int64(d.Input.DataType.Size())
	axes := d.Axes()
	step := make([]int64, len(axes)) // in bytes, from one element taken to the next
	memory := make([]int, len(axes)) // memory strides of the input that is only the runs
	order := []int{}
	r := Region{run: size}
	for axis, a := range axes {
		r.First += int64(d.WindowOffsets[axis]) * a.Src * size
		if a.Out > 1 {
			step[axis] = max(a.Step, -a.Step) * a.Src * size
			order = append(order, axis)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(step[a], step[b]) })

	c := *d
	c.Input = slice1.TensorDesc{DataType: d.Input.DataType, Sizes: slices.Clone(d.WindowSizes), Strides: memory}
	c.WindowOffsets = make([]int, len(axes))
	c.WindowSizes, c.WindowStrides = slices.Clone(d.WindowSizes), slices.Clone(d.WindowStrides)
	packed := int64(0)
	for _, axis := range order {
		n := d.Output.Sizes[axis]
		if packed == 0 && step[axis] <= r.run+gap {
			r.run += int64(n-1) * step[axis]
			memory[axis] = int(axes[axis].Src)
			continue
		}
		packed = max(packed, r.run)
		r.count, r.step = append(r.count, n), append(r.step, step[axis])
		c.Input.Sizes[axis], memory[axis] = n, int(packed/size)
		c.WindowSizes[axis], c.WindowStrides[axis] = n, cmp.Compare(d.WindowStrides[axis], 0)
		packed *= int64(n)
	}
	return r, &c
}

// Span returns the number of bytes of input from the first to the last element of d's
// windows.
func Span(d *slice1.Desc) int64 {
	elements := int64(1)
	for i, a := range d.Axes() {
		elements += int64(d.WindowSizes[i]-1) * a.Src
	}
	return elements * int64(d.Input.DataType.Size())
}

// OneRun reports whether the elements that d takes are one run of the input, in the order of the
// output. If they are, it returns the first byte and the number of bytes of the run.
func OneRun(d *slice1.Desc) (first, bytes int64, ok bool) {
	run := int64(1)
	for _, a := range slices.Backward(d.Axes()) {
		if a.Out > 1 && (a.Step < 0 || a.Step > run || a.Step*a.Src != run) {
			return 0, 0, false
		}
		first += a.Start * a.Src
		run *= a.Out
	}
	size := int64(d.Input.DataType.Size())
	return first * size, run * size, true
}
