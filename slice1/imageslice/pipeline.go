package imageslice

import (
	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Pipeline says in which steps a Python library makes a float32 of a byte x, a mean m and a
// deviation s, which are parts of 1. The steps have nearly the same result, and other last bits: of
// ImageNet's 768 numbers, Normalize's product and sum has other bits than Divide in 521.
type Pipeline int

// The pipelines. Each step is rounded to float32 unless said otherwise.
const (
	Divide     Pipeline = iota // (x/255 - m) / s: torchvision's ToTensor and Normalize, CLIP, OpenCLIP, timm, transformers' slow processors, Keras' "torch"
	Times                      // (x*(1/255) - m) / s: torchvision 2's ToDtype, PaddleOCR, transformers before 4.26
	Fused                      // (x - m*255) / (s*255): transformers' fast processors
	Fused64                    // (x - m) / s with 255*m and 255*s rounded once: timm with its prefetcher
	Reciprocal                 // (x - m*255) * (1/(s*255)): albumentations
	Blob                       // (x - m) * k with m of 255*m and k of 1/(255*s) in float64: blobFromImage of OpenCV 4.6
	MMCV                       // x - 255*m, rounded, then times 1/(255*s) in float64: mmcv's cv2.subtract and cv2.multiply
	Double                     // x/255, rounded, then - m and / s in float64: transformers.js, NumPy 2 with float64 means
	Exact                      // all in float64, rounded once: NumPy in float64
)

// Normalize returns a Table of what a library makes of each byte, to the last bit, with mean and
// std as they are published. It has 256 values for each mean. Its Axis is -1, which Convert
// ignores.
//
// mean and std have as many values, at least one. Lists of other lengths, a mean above 16 or below
// -16, which counts samples, and an unknown Pipeline give a Table of a wrong length, which Convert
// and NewPlan refuse (slice1.ErrSize). A std of 0 gives infinities and NaNs.
//
// The steps were compared with torch 1.13, torchvision 0.14, NumPy 1.24, OpenCV 4.6 and Node 20:
// 205 sets of means, bit by bit.
func (p Pipeline) Normalize(mean, std []float64) slice1.Affine {
	affine := slice1.Affine{Axis: -1, Table: make([]float32, 1)}
	if p < Divide || p > Exact || len(mean) == 0 || len(mean) != len(std) {
		return affine
	}
	table := make([]float32, 0, program.TableSize*len(mean))
	for i, m := range mean {
		if m > mostMean || m < -mostMean {
			return affine
		}
		for x := range program.TableSize {
			table = append(table, p.number(float64(x), m, std[i]))
		}
	}
	affine.Table = table
	return affine
}

// number returns what p makes of x. The explicit conversions round products before sums.
func (p Pipeline) number(x, m, s float64) float32 {
	y, mean, std := float32(x), float32(m), float32(s)
	switch p {
	case Divide:
		return (y/255 - mean) / std
	case Times:
		return (float32(y*(1./255)) - mean) / std
	case Fused:
		return (y - float32(mean*255)) / float32(std*255)
	case Fused64:
		return (y - float32(m*255)) / float32(s*255)
	case Reciprocal:
		return (y - float32(mean*255)) * (1 / float32(std*255))
	case Blob:
		return (y - float32(m*255)) * float32(1/float64(s*255))
	case MMCV:
		return float32(float64(y-float32(m*255)) * (1 / float64(s*255)))
	case Double:
		return float32((float64(float32(x*(1./255))) - m) / s)
	}
	return float32((x/255 - m) / s)
}
