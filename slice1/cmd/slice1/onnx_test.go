package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/npy"
)

func TestCopyTakesONNXParameters(t *testing.T) {
	d := newDir(t)
	d.write("in.npy", npyFile(npy.Header{Type: slice1.Uint8, Shape: []int{3, 4}}, counting(12)))
	for text, want := range map[string][]byte{
		"starts=1 ends=3": counting(12)[4:],
		"starts=1,-1 ends=3,-9223372036854775808 axes=0,1 steps=1,-1":   {7, 6, 5, 4, 11, 10, 9, 8},
		"axes=[-1]; starts=[1]; ends=[9223372036854775807] steps=[ 2 ]": {1, 3, 5, 7, 9, 11},
		"starts= ends=": counting(12),
	} {
		d.works("-force", "-onnx", text, "./in.npy", "./out.npy")
		_, got := d.array("out.npy")
		assert.Equal(t, want, got, text)
	}
	d.works("-force", "-onnx", "starts=2 ends=1", "./in.npy", "./out.npy")
	h, _ := d.array("out.npy")
	assert.Equal(t, []int{0, 4}, h.Shape)
}

func TestONNXErrorsPointAtTheBadPart(t *testing.T) {
	d := newDir(t)
	d.writeBytes("in.npy", 5)
	for _, row := range []struct{ text, caret string }{
		{"starts=0", "        ^"},
		{"starts=0 ends=x", "              ^"},
		{"starts=0 ends=1,,2", "                ^"},
		{"starts=0 ends=1 axes=2", "                     ^"},
		{"starts=0,0 ends=1,1 axes=1,-1", "                           ^^"},
		{"starts=0 ends=1 steps=0", "                      ^"},
		{"starts=0 ends=1,2", "         ^^^^^^^^"},
		{"starts=0 starts=1", "         ^^^^^^"},
		{"begin=0", "^^^^^"},
		{"0,1", "^^^"},
		{"starts=[0 ends=1", "                ^"},
		{"starts=99999999999999999999 ends=1", "       ^^^^^^^^^^^^^^^^^^^^"},
	} {
		code, stdout, stderr := d.run("-onnx", row.text, "./in.npy", "./out.npy")
		assert.Equal(t, exitUsage, code, row.text)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, "\n  "+row.text+"\n  "+row.caret+"\n")
	}
	assert.Equal(t, []string{"in.npy"}, d.files())
}
