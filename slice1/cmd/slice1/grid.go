package main

import (
	"cmp"
	"io"
	"slices"

	"github.com/seed2e45c115/dml/slice1"
)

const (
	// gapBytes between elements are read along with them, rather than have the
	// system asked once more.
	gapBytes = 4 << 10
	// askBytes is what could be copied in the time the system takes to be asked,
	// and to find the page.
	askBytes = 4 << 10
)

// grid is where a part of an array lies in a file: runs of bytes, at equal
// distances along some axes.
type grid struct {
	first int64 // byte of the file
	run   int64 // bytes
	count []int // of runs, the innermost axis first
	step  []int64
}

func (g *grid) runs() int64 {
	n := int64(1)
	for _, count := range g.count {
		n *= int64(count)
	}
	return n
}

func (g *grid) bytes() int64 { return g.runs() * g.run }

// cost is the time it takes to read or write the runs, in bytes copied.
func (g *grid) cost() int64 { return g.runs() * (g.run + askBytes) }

// each calls f with one run after the other of buf, which holds them packed, and
// where it lies in the file.
func (g *grid) each(buf []byte, f func(run []byte, at int64) error) error {
	at, index := g.first, make([]int, len(g.count))
	for {
		if err := f(buf[:g.run], at); err != nil {
			return err
		}
		buf = buf[g.run:]
		axis := 0
		for ; axis < len(index) && index[axis] == g.count[axis]-1; axis++ {
			at -= int64(index[axis]) * g.step[axis]
			index[axis] = 0
		}
		if axis == len(index) {
			return nil
		}
		index[axis]++
		at += g.step[axis]
	}
}

func (g *grid) read(from io.ReaderAt, buf []byte) error {
	return g.each(buf, func(run []byte, at int64) error {
		n, err := from.ReadAt(run, at)
		if n == len(run) {
			err = nil // io.EOF may come with the last byte
		}
		return err
	})
}

func (g *grid) write(to io.WriterAt, buf []byte) error {
	return g.each(buf, func(run []byte, at int64) error {
		_, err := to.WriteAt(run, at)
		return err
	})
}

// gather returns where the elements lie that d takes, whose windows are no
// larger than they must be, and d for an input that holds just those runs. Gaps of
// up to gap bytes are part of a run.
func gather(d *slice1.Desc, gap int64) (grid, *slice1.Desc) {
	size := int64(d.Input.DataType.Size())
	memory := d.Input.MemoryStrides()
	step := make([]int64, len(memory)) // in bytes, from one element taken to the next
	order := []int{}
	g := grid{run: size}
	for axis, stride := range memory {
		g.first += int64(d.WindowOffsets[axis]) * int64(stride) * size
		if n := int64(d.Output.Sizes[axis]); n > 1 {
			step[axis] = int64(d.WindowSizes[axis]-1) / (n - 1) * int64(stride) * size
			order = append(order, axis)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(step[a], step[b]) })

	c := *d
	c.Input = slice1.TensorDesc{DataType: d.Input.DataType, Sizes: slices.Clone(d.WindowSizes), Strides: slices.Clone(memory)}
	c.WindowOffsets = make([]int, len(memory))
	c.WindowSizes, c.WindowStrides = slices.Clone(d.WindowSizes), slices.Clone(d.WindowStrides)
	packed := int64(0)
	for _, axis := range order {
		n := d.Output.Sizes[axis]
		if packed == 0 && step[axis] <= g.run+gap {
			g.run += int64(n-1) * step[axis]
			continue
		}
		packed = max(packed, g.run)
		g.count, g.step = append(g.count, n), append(g.step, step[axis])
		c.Input.Sizes[axis], c.Input.Strides[axis] = n, int(packed/size)
		c.WindowSizes[axis], c.WindowStrides[axis] = n, sign(d.WindowStrides[axis])
		packed *= int64(n)
	}
	return g, &c
}

func sign(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}
