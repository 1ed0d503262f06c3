package main

import (
	_ "embed"
	"os"
	"os/exec"
)

//go:embed peer.py
var peerScript string

// startPeers starts Python with NumPy and perhaps ONNX Runtime; the error says
// why there are no peers.
func startPeers(python string) (*process, error) {
	cmd := exec.Command(python, "-c", peerScript)
	// NumPy's and the others' own threads would not be one goroutine's equal.
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	return start(cmd)
}

// task returns the slicing as Python is told it.
func (s *slicing) task() *task {
	t := &task{
		Width: s.width, Shape: s.desc.Input.Sizes, Step: s.desc.WindowStrides, Out: s.desc.Output.Sizes,
		InStrides: strides(s.desc.Input), OutStrides: strides(s.desc.Output),
		Packed:   s.desc.Input.Strides == nil && s.desc.Output.Strides == nil,
		SrcBytes: len(s.src), DstBytes: len(s.dst),
	}
	for i := range t.Step {
		t.Start = append(t.Start, firstOf(s.desc, i))
	}
	return t
}
