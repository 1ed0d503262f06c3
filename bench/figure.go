package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
)

// figure is a plot and what it takes to draw it.
type figure struct {
	file  string // the file's name without its extension
	title string
	width vg.Length
	cells []cell
	draw  func(p *plot.Plot, rows []*row) error
}

// figuresOf returns the figures: by stride, size and kernel for each of the widths 1 and 4 that is
// asked for, and by number of goroutines for width 4.
func figuresOf(o *options) (figures []figure) {
	for _, width := range o.widths {
		if width != 1 && width != 4 {
			continue
		}
		var strides, sizes, kernels []cell
		for by := -16; by <= 16; by++ {
			if by != 0 && (!o.quick || slices.Contains([]int{1, 2, 3, 4, 8, 16}, max(by, -by))) {
				strides = append(strides, cell{work: stride(by), width: width, size: sizeM})
			}
		}
		factor, last := 2, 64<<20
		if o.quick {
			factor, last = 8, 32<<20
		}
		for bytes := 1 << 10; bytes <= last; bytes *= factor {
			sizes = append(sizes, cell{work: stride(2), width: width, size: sizeNear(bytes)})
		}
		for _, w := range o.works {
			if !w.tiny {
				kernels = append(kernels, cell{work: w, width: width, size: sizeM})
			}
		}
		of := fmt.Sprintf("%d-byte elements", width)
		if width == 1 {
			of = "1-byte elements"
		}
		figures = append(figures,
			figure{fmt.Sprintf("stride-width%d", width), "Every k-th element of one axis, " + of + ", 512 KiB of output", 10 * vg.Inch, strides, drawStrides},
			figure{fmt.Sprintf("size-width%d", width), "Every second element of one axis, " + of, 10 * vg.Inch, sizes, drawSizes},
			figure{fmt.Sprintf("kernels-width%d", width), "Works, " + of + ", 512 KiB of output", vg.Length(max(10, len(kernels)*5/8)) * vg.Inch, kernels, drawKernels})
	}
	var scaling []cell
	size := sizeL
	if o.quick {
		size = sizeOf(32 << 20)
	}
	for _, w := range []work{crop(256), stride(2), stride(-1), works[slices.IndexFunc(works, func(w work) bool { return w.name == "transpose" })]} {
		scaling = append(scaling, cell{work: w, width: 4, size: size, parallel: parallelism(runtime.GOMAXPROCS(0))})
	}
	return append(figures, figure{"scaling", fmt.Sprintf("4-byte elements, %d MiB of output", size.bytes>>20), 10 * vg.Inch, scaling, drawScaling})
}

// sizeNear returns the size of `bytes` bytes, labelled S, M or L if it is one of these.
func sizeNear(bytes int) size {
	for _, s := range []size{sizeS, sizeM, sizeL} {
		if s.bytes == bytes {
			return s
		}
	}
	return sizeOf(bytes)
}

// parallelism returns 1 to n if n is at most 8, otherwise the powers of two below n, and n.
func parallelism(n int) (limits []int) {
	for i := 1; i < n; {
		limits = append(limits, i)
		if n <= 8 {
			i++
		} else {
			i *= 2
		}
	}
	return append(limits, n)
}

// draw measures a figure's cells and writes the figure to dir, as SVG and as PNG.
func (s *session) draw(f figure, cpu, dir string) error {
	var rows []*row
	for _, c := range f.cells {
		r, err := s.row(c)
		if err != nil {
			return err
		}
		rows = append(rows, r)
	}
	p := newPlot(f.title + "\n" + cpu)
	if err := f.draw(p, rows); err != nil {
		return err
	}
	for _, ending := range []string{".svg", ".png"} {
		if err := save(p, f.width, filepath.Join(dir, f.file+ending)); err != nil {
			return err
		}
	}
	return nil
}
