package main

import (
	"fmt"
	"image"
	"testing"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/imageslice"
)

// largePages returns n numbers in large pages, as NumPy has them.
//
// unsafe: arena returns 4*n bytes from a multiple of a large page on.
func largePages(n int) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(arena(4*n, 0)))), n)
}

// BenchmarkPlanes measures three planes of float32, a model's logits, that get another size, on
// one goroutine, by every kernel. pictures.py runs it beside OpenCV, PyTorch and Pillow.
//
//	go -C bench test -run - -bench Planes -cpu 1
func BenchmarkPlanes(b *testing.B) {
	const planes = 3
	for _, size := range [][2]image.Point{{{256, 256}, {1024, 1024}}, {{160, 160}, {1920, 1080}}, {{1920, 1080}, {640, 360}}} {
		from, to := size[0], size[1]
		src, dst := largePages(planes*from.X*from.Y), largePages(planes*to.X*to.Y)
		for i := range src {
			src[i] = float32(i%251) - 125
		}
		for i := range dst {
			dst[i] = 1
		}
		for _, f := range resizers {
			kernels := []string{""}
			for _, k := range slice1.Kernels() {
				if k.Usable {
					kernels = append(kernels, k.Name)
				}
			}
			for _, kernel := range kernels {
				by, opts := kernel, []slice1.Option{slice1.WithParallelism(1), slice1.WithKernel(kernel)}
				if kernel == "" {
					by, opts = "dml", opts[:1]
				}
				b.Run(fmt.Sprintf("from=%dx%d/to=%dx%d/filter=%s/by=%s", from.X, from.Y, to.X, to.Y, f.name, by), func(b *testing.B) {
					for b.Loop() {
						if err := imageslice.ResizePlane(dst, to, src, from, image.Rectangle{}, f.filter, opts...); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
