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
	name:      "patches",
	title:     "Patches for a vision model",
	note:      "Vision-language models take a picture in patches of patches, each frame twice: eight loops, an index computed for each number.",
	tolerance: 1e-6,
	make: func() (theirs, ours func(), _ func() float64) {
		pixels := make([]uint8, patchWidth*patchHeight*3)
		noise(pixels)
		want, got := make([]float32, frames*len(pixels)), make([]float32, frames*len(pixels))
		plan := check(patchesPlan())
		return func() { patchesBefore(want, pixels) }, func() { check(0, patchesAfter(plan, got, pixels)) }, difference(want, got)
	},
}

func patchesBefore(rows []float32, pixels []uint8) {
	offset := 0
	for blockY := 0; blockY < patchHeight; blockY += merge * patch {
		for blockX := 0; blockX < patchWidth; blockX += merge * patch {
			for mergeY := range merge {
				for mergeX := range merge {
					for c := range 3 {
						for range frames {
							for py := range patch {
								for px := range patch {
									y, x := blockY+mergeY*patch+py, blockX+mergeX*patch+px
									rows[offset] = float32(pixels[(y*patchWidth+x)*3+c])/127.5 - 1
									offset++
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
	const blockRows, blockCols = patchHeight / block, patchWidth / block
	d := slice1.Whole(slice1.Uint8, blockRows, blockCols, merge, merge, 3, frames, patch, patch)
	d.Input.Strides = []int{block * row, block * pixel, patch * row, patch * pixel, 1, 0, row, pixel}
	to1 := slice1.Affine{Scale: []float32{1 / 127.5}, Bias: []float32{-1}}
	return slice1.NewPlan(d, slice1.WithNumbers(slice1.Float32, to1))
}

func patchesAfter(plan *slice1.Plan, rows []float32, pixels []uint8) error {
	return slice1.Run(plan, rows, pixels)
}

const heads, positions, headSize, prompt, stored = 32, 1024, 128, 64, 200

var cache = job{
	name:  "cache",
	title: "A prompt's keys into a cache",
	note:  "New keys of float16 come token by token with all heads; the cache has all positions of a head together.",
	make: func() (theirs, ours func(), _ func() float64) {
		keys := noisy[uint16](prompt * heads * headSize)
		want, got := make([]uint16, heads*positions*headSize), make([]uint16, heads*positions*headSize)
		plan := check(cachePlan())
		return func() { cacheBefore(want, keys) }, func() { check(0, cacheAfter(plan, got, keys)) }, difference(want, got)
	},
}

func cacheBefore(cache, keys []uint16) {
	for t := range prompt {
		for h := range heads {
			dstAt := (h*positions + stored + t) * headSize
			srcAt := (t*heads + h) * headSize
			copy(cache[dstAt:dstAt+headSize], keys[srcAt:srcAt+headSize])
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
	return slice1.Run(plan, cache[stored*headSize:], keys)
}

const matrixRows, matrixCols = 20_000, 30

var column = job{
	name:  "column",
	title: "A column of a matrix",
	note:  "gonum's `mat.Col` and most packages take one number in each row.",
	make: func() (theirs, ours func(), _ func() float64) {
		matrix, want, got := make([]float64, matrixRows*matrixCols), make([]float64, matrixRows), make([]float64, matrixRows)
		for i := range matrix {
			matrix[i] = float64(i)
		}
		plan := check(columnPlan(7))
		return func() { columnBefore(want, matrix, 7) }, func() { check(0, columnAfter(plan, got, matrix)) }, difference(want, got)
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
	note:  "Readers of HDF5 and Zarr walk a hyperslab element by element, and look for the chunk of each.",
	make: func() (theirs, ours func(), _ func() float64) {
		var tiles [4][4][]int32
		for y := range tiles {
			for x := range tiles[y] {
				tiles[y][x] = noisy[int32](chunkSide * chunkSide)
			}
		}
		want, got := make([]int32, selected*selected), make([]int32, selected*selected)
		return func() { chunksBefore(want, &tiles) }, func() { check(0, chunksAfter(got, &tiles)) }, difference(want, got)
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
			row := dst[(fromY-selectedAt)*selected+fromX-selectedAt:]
			if err := slice1.Copy(row, chunks[y][x], d); err != nil {
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
	note:  "Bytes of 16-bit samples, the channels in turns, become planes from -1 to 1.",
	make: func() (theirs, ours func(), _ func() float64) {
		packet := make([]byte, 2*2*samples)
		noise(packet)
		want, got := make([]float32, 2*samples), make([]float32, 2*samples)
		plan := check(soundPlan())
		return func() { soundBefore(want, packet) }, func() { check(0, soundAfter(plan, got, packet)) }, difference(want, got)
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
