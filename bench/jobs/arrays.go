package main

import (
	"encoding/binary"
	"unsafe"

	"github.com/seed2e45c115/dml/slice1"
)

// noisy returns n numbers that are random bits.
func noisy[T uint16 | int16 | int32](n int) []T {
	s := make([]T, n)
	noise(unsafe.Slice((*uint8)(unsafe.Pointer(&s[0])), n*int(unsafe.Sizeof(s[0]))))
	return s
}

const patch, merge, frames, patchWidth, patchHeight = 14, 2, 2, 448, 336

var patches = job{
	name:  "patches",
	title: "Patches for a vision model",
	about: "Vision-language models take a picture in patches of patches, each frame twice: eight loops, an index computed for each number.",
	most:  1e-6,
	make: func() (before, after func(), _ func() float64) {
		pixels := make([]uint8, patchWidth*patchHeight*3)
		noise(pixels)
		a, b := make([]float32, frames*len(pixels)), make([]float32, frames*len(pixels))
		plan := must(patchesPlan())
		return func() { patchesBefore(a, pixels) }, func() { must(0, patchesAfter(plan, b, pixels)) }, difference(a, b)
	},
}

func patchesBefore(rows []float32, pixels []uint8) {
	at := 0
	for by := 0; by < patchHeight; by += merge * patch {
		for bx := 0; bx < patchWidth; bx += merge * patch {
			for my := range merge {
				for mx := range merge {
					for c := range 3 {
						for range frames {
							for py := range patch {
								for px := range patch {
									y, x := by+my*patch+py, bx+mx*patch+px
									rows[at] = float32(pixels[(y*patchWidth+x)*3+c])/127.5 - 1
									at++
								}
							}
						}
					}
				}
			}
		}
	}
}

// patchesPlan is made once.
func patchesPlan() (*slice1.Plan, error) {
	const block, row, pixel = merge * patch, 3 * patchWidth, 3
	const down, across = patchHeight / block, patchWidth / block
	d := slice1.Whole(slice1.Uint8, down, across, merge, merge, 3, frames, patch, patch)
	d.Input.Strides = []int{block * row, block * pixel, patch * row, patch * pixel, 1, 0, row, pixel}
	to1 := slice1.Affine{Scale: []float32{1 / 127.5}, Bias: []float32{-1}}
	return slice1.NewPlan(d, slice1.WithNumbers(slice1.Float32, to1))
}

func patchesAfter(plan *slice1.Plan, rows []float32, pixels []uint8) error {
	return slice1.Run(plan, rows, pixels)
}

const heads, positions, headSize, prompt, past = 32, 1024, 128, 64, 200

var cache = job{
	name:  "cache",
	title: "A prompt's keys into a cache",
	about: "New keys of float16 come token by token with all heads; the cache has all positions of a head together.",
	make: func() (before, after func(), _ func() float64) {
		keys := noisy[uint16](prompt * heads * headSize)
		a, b := make([]uint16, heads*positions*headSize), make([]uint16, heads*positions*headSize)
		plan := must(cachePlan())
		return func() { cacheBefore(a, keys) }, func() { must(0, cacheAfter(plan, b, keys)) }, difference(a, b)
	},
}

func cacheBefore(cache, keys []uint16) {
	for t := range prompt {
		for h := range heads {
			to := (h*positions + past + t) * headSize
			from := (t*heads + h) * headSize
			copy(cache[to:to+headSize], keys[from:from+headSize])
		}
	}
}

// cachePlan is made once.
func cachePlan() (*slice1.Plan, error) {
	d, err := slice1.Whole(slice1.Float16, prompt, heads, headSize).Permute(1, 0, 2)
	if err != nil {
		return nil, err
	}
	d.Output.Strides = []int{positions * headSize, headSize, 1}
	return slice1.NewPlan(d)
}

func cacheAfter(plan *slice1.Plan, cache, keys []uint16) error {
	return slice1.Run(plan, cache[past*headSize:], keys)
}

const matrixRows, matrixCols = 20_000, 30

var column = job{
	name:  "column",
	title: "A column of a matrix",
	about: "gonum's `mat.Col` and most packages take one number in each row.",
	make: func() (before, after func(), _ func() float64) {
		matrix, a, b := make([]float64, matrixRows*matrixCols), make([]float64, matrixRows), make([]float64, matrixRows)
		for i := range matrix {
			matrix[i] = float64(i)
		}
		plan := must(columnPlan(7))
		return func() { columnBefore(a, matrix, 7) }, func() { must(0, columnAfter(plan, b, matrix)) }, difference(a, b)
	},
}

func columnBefore(dst, matrix []float64, j int) {
	for i := range dst {
		dst[i] = matrix[i*matrixCols+j]
	}
}

// columnPlan is made once.
func columnPlan(j int) (*slice1.Plan, error) {
	w, err := slice1.Crop([]int{matrixRows, matrixCols}, []int{0, j}, []int{matrixRows, 1})
	if err != nil {
		return nil, err
	}
	return slice1.NewPlan(slice1.NewDesc(slice1.Float64, []int{matrixRows, matrixCols}, w))
}

func columnAfter(plan *slice1.Plan, dst, matrix []float64) error {
	return slice1.Run(plan, dst, matrix)
}

const chunkSide, selected, selectedAt = 64, 200, 20

var chunks = job{
	name:  "chunks",
	title: "A selection of an array in chunks",
	about: "Readers of HDF5 and Zarr walk a hyperslab element by element, and look for the chunk of each.",
	make: func() (before, after func(), _ func() float64) {
		var all [4][4][]int32
		for y := range all {
			for x := range all[y] {
				all[y][x] = noisy[int32](chunkSide * chunkSide)
			}
		}
		a, b := make([]int32, selected*selected), make([]int32, selected*selected)
		return func() { chunksBefore(a, &all) }, func() { must(0, chunksAfter(b, &all)) }, difference(a, b)
	},
}

func chunksBefore(dst []int32, chunks *[4][4][]int32) {
	for y := range selected {
		for x := range selected {
			fromY, fromX := selectedAt+y, selectedAt+x
			chunk := chunks[fromY/chunkSide][fromX/chunkSide]
			dst[y*selected+x] = chunk[fromY%chunkSide*chunkSide+fromX%chunkSide]
		}
	}
}

func chunksAfter(dst []int32, chunks *[4][4][]int32) error {
	shape, end := []int{chunkSide, chunkSide}, selectedAt+selected
	for y := range chunks {
		for x := range chunks[y] {
			fromY, fromX := max(selectedAt, y*chunkSide), max(selectedAt, x*chunkSide)
			size := []int{min(end, (y+1)*chunkSide) - fromY, min(end, (x+1)*chunkSide) - fromX}
			part, err := slice1.Crop(shape, []int{fromY % chunkSide, fromX % chunkSide}, size)
			if err != nil {
				return err
			}
			d := slice1.NewDesc(slice1.Int32, shape, part)
			d.Output.Strides = []int{selected, 1}
			to := dst[(fromY-selectedAt)*selected+fromX-selectedAt:]
			if err := slice1.Copy(to, chunks[y][x], d); err != nil {
				return err
			}
		}
	}
	return nil
}

const samples = 48000 / 50 * 10 // 200 ms at 48 kHz

var sound = job{
	name:  "sound",
	title: "Stereo sound to planes of floats",
	about: "Bytes of 16-bit samples, the channels in turns, become planes from -1 to 1.",
	make: func() (before, after func(), _ func() float64) {
		packet := make([]byte, 2*2*samples)
		noise(packet)
		a, b := make([]float32, 2*samples), make([]float32, 2*samples)
		plan := must(soundPlan())
		return func() { soundBefore(a, packet) }, func() { must(0, soundAfter(plan, b, packet)) }, difference(a, b)
	},
}

func soundBefore(planes []float32, packet []byte) {
	for i := range samples {
		for c := range 2 {
			v := int16(binary.LittleEndian.Uint16(packet[(2*i+c)*2:]))
			planes[c*samples+i] = float32(v) / 32768
		}
	}
}

// soundPlan is made once.
func soundPlan() (*slice1.Plan, error) {
	d, err := slice1.Whole(slice1.Int16, samples, 2).Permute(1, 0)
	if err != nil {
		return nil, err
	}
	to1 := slice1.Affine{Scale: []float32{1. / 32768}}
	numbers := slice1.WithNumbers(slice1.Float32, to1)
	return slice1.NewPlan(d, numbers, slice1.WithByteOrder(binary.LittleEndian))
}

func soundAfter(plan *slice1.Plan, planes []float32, packet []byte) error {
	return plan.Run(slice1.Bytes(planes), packet)
}
