package main

import (
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"
)

func TestFiguresAreWrittenAsSVGAndPNG(t *testing.T) {
	dir := t.TempDir()
	s := &session{meter: fast(1), progress: newProgress(0)}
	small := func(ws ...work) (cells []cell) {
		for _, w := range ws {
			cells = append(cells, cell{work: w, width: 1, size: sizeOf(1024)})
		}
		return cells
	}
	byStride := small(stride(-2), stride(-1), stride(1), stride(2))
	sizes := append(small(stride(2)), cell{work: stride(2), width: 1, size: sizeS})
	scaling := small(stride(2))
	scaling[0].parallel = []int{1, 2}
	for _, f := range []figure{
		{"stride", "t", 10 * vg.Inch, byStride, drawStrides},
		{"size", "t", 10 * vg.Inch, sizes, drawSizes},
		{"kernels", "t", 10 * vg.Inch, byStride, drawKernels},
		{"scaling", "t", 10 * vg.Inch, scaling, drawScaling},
	} {
		require.NoError(t, s.draw(f, "a processor", dir), f.file)
		svg, err := os.ReadFile(filepath.Join(dir, f.file+".svg"))
		require.NoError(t, err)
		assert.Contains(t, string(svg), "GB/s of output", f.file)
		assert.Contains(t, string(svg), "a processor", f.file)
		file, err := os.Open(filepath.Join(dir, f.file+".png"))
		require.NoError(t, err)
		size, err := png.DecodeConfig(file)
		require.NoError(t, err)
		assert.Equal(t, 960, size.Width, f.file)
		require.NoError(t, file.Close())
	}
	assert.Len(t, s.rows, 6) // a cell in two figures is measured once
}

func TestFiguresSweepWhatTheirTitlesSay(t *testing.T) {
	o, err := parse("-widths", "1,2,4")
	require.NoError(t, err)
	count := map[string]int{}
	for _, f := range figuresOf(o) {
		count[f.file] = len(f.cells)
	}
	assert.Equal(t, map[string]int{
		"stride-width1": 32, "size-width1": 17, "kernels-width1": len(works) - 1,
		"stride-width4": 32, "size-width4": 17, "kernels-width4": len(works) - 1,
		"scaling": 4,
	}, count)
}

func TestParallelismEndsAtAllProcessors(t *testing.T) {
	assert.Equal(t, []int{1}, parallelism(1))
	assert.Equal(t, []int{1, 2, 3, 4}, parallelism(4))
	assert.Equal(t, []int{1, 2, 4, 8, 12}, parallelism(12))
}

func TestTicksAreReadable(t *testing.T) {
	var labels []string
	for _, tick := range (decades{}).Ticks(0.4, 30) {
		if tick.Label != "" {
			labels = append(labels, tick.Label)
		}
	}
	assert.Equal(t, []string{"0.5", "1", "2", "5", "10", "20"}, labels)
	labels = nil
	for _, tick := range (powers{}).Ticks(64, 5<<20) {
		labels = append(labels, tick.Label)
	}
	assert.Equal(t, []string{"64 B", "256 B", "1 KiB", "4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB", "4 MiB"}, labels)
}
