package main

import (
	"context"
	"io"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/seed2e45c115/dml/slice1"
)

const (
	// maxWorkers bounds the goroutines taken unasked: they meet at the disk.
	maxWorkers = 8
	// slabBytes is what is put in order in memory for a pipe.
	slabBytes = 32 << 20
)

// crew is goroutines that slice tiles, one after the other. It does one job at a
// time.
type crew struct {
	job     *job
	in      *array
	kernel  string
	workers []worker
}

// worker holds the buffers of one goroutine.
type worker struct{ in, out []byte }

func (j *job) newCrew(in *array, kernel string) *crew {
	return &crew{j, in, kernel, make([]worker, j.crewSize())}
}

// crewSize returns how many goroutines there are to be.
func (j *job) crewSize() int {
	if j.workers > 0 {
		return j.workers
	}
	return min(runtime.GOMAXPROCS(0), maxWorkers)
}

func (c *crew) cut(d *slice1.Desc) tiles {
	if c.in.file == nil {
		return cutBands(d, bandBytes)
	}
	const least = 64 << 10
	t := cutTiles(d, min(max(allBytes/int64(len(c.workers)), least), tileBytes))
	if t.sparse() {
		adviseRandom(c.in.file)
	}
	return t
}

// toFile slices d into the file, from its byte base on.
func (c *crew) toFile(ctx context.Context, d *slice1.Desc, f *os.File, base int64) error {
	return c.partToFile(ctx, d, d, make([]int, len(d.Output.Sizes)), f, base)
}

// partToFile slices d, the part of whole that begins at origin, into the file of whole.
func (c *crew) partToFile(ctx context.Context, d, whole *slice1.Desc, origin []int, f *os.File, base int64) error {
	t := c.cut(d)
	all := tiles{desc: whole, steps: whole.Output.Sizes}
	return c.each(ctx, t.count, func(ctx context.Context, w *worker, i int64) error {
		tile, at := t.at(i)
		for axis := range at {
			at[axis] += origin[axis]
		}
		to := all.place(tile, at)
		to.first += base
		out := room(&w.out, to.bytes())
		if err := c.slice(ctx, w, tile, out); err != nil {
			return err
		}
		if err := to.write(f, out); err != nil {
			return err
		}
		c.job.bar.add(int64(len(out)))
		return nil
	})
}

// toMemory slices d into dst, with the memory strides of its output.
func (c *crew) toMemory(ctx context.Context, d *slice1.Desc, dst []byte) error {
	t := c.cut(d)
	strides := d.Output.MemoryStrides()
	return c.each(ctx, t.count, func(ctx context.Context, w *worker, i int64) error {
		tile, origin := t.at(i)
		tile.Output.Strides = strides
		at := 0
		for axis, lo := range origin {
			at += lo * strides[axis]
		}
		return c.slice(ctx, w, tile, dst[at*d.Output.DataType.Size():])
	})
}

// inOrder slices d and writes it from its first byte to its last.
func (c *crew) inOrder(ctx context.Context, d *slice1.Desc, to io.Writer) error {
	t := c.cut(d)
	if !t.bands() {
		t = cutBands(d, slabBytes)
	}
	var buf []byte
	for i := range t.count {
		slab, _ := t.at(i)
		out := room(&buf, elementBytes(slab))
		if err := c.toMemory(ctx, slab, out); err != nil {
			return err
		}
		if _, err := to.Write(out); err != nil {
			return err
		}
		c.job.bar.add(int64(len(out)))
	}
	return nil
}

// slice slices one tile.
func (c *crew) slice(ctx context.Context, w *worker, d *slice1.Desc, dst []byte) error {
	src := c.in.data
	if src == nil {
		var from grid
		from, d = gather(d, gapBytes)
		src = room(&w.in, from.bytes())
		if err := c.in.read(&from, src); err != nil {
			return err
		}
	}
	p, err := slice1.NewPlan(d, slice1.WithKernel(c.kernel), slice1.WithParallelism(1), slice1.WithStreaming(-1), slice1.WithMeasure(c.job.measure))
	if err != nil {
		return err
	}
	return p.RunContext(ctx, dst, src)
}

// each has the workers take the next of n tiles until none is left or one fails.
func (c *crew) each(ctx context.Context, n int64, f func(ctx context.Context, w *worker, i int64) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for k := range min(int64(len(c.workers)), n) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for ctx.Err() == nil {
				i := next.Add(1) - 1
				if i >= n {
					return
				}
				if err := f(ctx, &c.workers[k], i); err != nil {
					cancel(err)
				}
			}
		}()
	}
	wg.Wait()
	return context.Cause(ctx)
}

// room returns n bytes of buf, which grows where it is shorter.
func room(buf *[]byte, n int64) []byte {
	if int64(len(*buf)) < n {
		*buf = make([]byte, n)
	}
	return (*buf)[:n]
}
