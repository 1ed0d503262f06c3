package main

import "github.com/seed2e45c115/dml/slice1"

// wireDesc is a descriptor in a form that means the same to every version of the
// library: its data types are numbers. It travels to a process as JSON.
type wireDesc struct {
	Input, Output                             wireTensor
	WindowOffsets, WindowSizes, WindowStrides []int
}

type wireTensor struct {
	DataType       uint32
	Sizes, Strides []int
}

func toWire(d *slice1.Desc) *wireDesc {
	tensor := func(t *slice1.TensorDesc) wireTensor { return wireTensor{uint32(t.DataType), t.Sizes, t.Strides} }
	return &wireDesc{tensor(&d.Input), tensor(&d.Output), d.WindowOffsets, d.WindowSizes, d.WindowStrides}
}

func (w *wireDesc) desc() *slice1.Desc {
	tensor := func(t *wireTensor) slice1.TensorDesc {
		return slice1.TensorDesc{DataType: slice1.DataType(t.DataType), Sizes: t.Sizes, Strides: t.Strides}
	}
	return &slice1.Desc{Input: tensor(&w.Input), Output: tensor(&w.Output),
		WindowOffsets: w.WindowOffsets, WindowSizes: w.WindowSizes, WindowStrides: w.WindowStrides}
}
