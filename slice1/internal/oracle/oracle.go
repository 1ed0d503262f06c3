// Package oracle has a slow and simple slice that tests compare kernels with.
package oracle

import "github.com/seed2e45c115/dml/slice1"

// Slice slices src into dst, element by element and byte by byte, by the operator's formula:
// output[k] = input[start + stride*k] along every axis. d must be valid, and the buffers must be as
// long as its tensors.
//
// The race detector does not watch what Run reads and writes. With it, Run would take ten times as
// long.
//
//go:norace
func Slice(d *slice1.Desc, dst, src []byte) {
	size := d.Input.DataType.Size()
	coordinate := make([]int, len(d.Output.Sizes))
	start, input, output := make([]int, len(coordinate)), make([]int, len(coordinate)), make([]int, len(coordinate))
	for i := range coordinate {
		start[i], input[i], output[i] = d.WindowOffsets[i], stride(&d.Input, i), stride(&d.Output, i)
		if d.WindowStrides[i] < 0 {
			start[i] += d.WindowSizes[i] - 1
		}
	}
	for {
		srcIndex, dstIndex := 0, 0
		for i, k := range coordinate {
			srcIndex += (start[i] + d.WindowStrides[i]*k) * input[i]
			dstIndex += k * output[i]
		}
		for b := range size {
			dst[dstIndex*size+b] = src[srcIndex*size+b]
		}
		i := len(coordinate) - 1
		for ; i >= 0; i-- {
			if coordinate[i]++; coordinate[i] < d.Output.Sizes[i] {
				break
			}
			coordinate[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

// stride returns the memory stride of an axis, in elements. A tensor without Strides is packed.
func stride(t *slice1.TensorDesc, axis int) int {
	if t.Strides != nil {
		return t.Strides[axis]
	}
	s := 1
	for _, n := range t.Sizes[axis+1:] {
		s *= n
	}
	return s
}
