package slice1_test

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// Quantize and Dequantize have the bits of ONNX Runtime's QuantizeLinear and DequantizeLinear, by
// all kernels, for 200 random scales and zero points: all levels, all ties between -300 and 300
// steps, and parts of 255. testdata/onnx/quantize.mjs says what each line is.
func TestNumbersOfONNXRuntime(t *testing.T) {
	text, err := os.ReadFile("../testdata/onnx/quantize.txt")
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Len(t, lines, 200)
	levels := make([]byte, 256)
	for i := range levels {
		levels[i] = byte(i)
	}
	parts := make([]float32, 511)
	for n := range parts {
		parts[n] = float32(float64(n-255) / 255)
	}
	ties := make([]float32, 1201)
	for _, line := range lines {
		var name, floats, tied, part string
		var scale float32
		var zero int32
		_, err := fmt.Sscan(line, &name, &scale, &zero, &floats, &tied, &part)
		require.NoError(t, err)
		integer, order := slice1.Uint8, levels
		if name == "int8" {
			integer, order = slice1.Int8, append(levels[128:256:256], levels[:128]...)
		}
		for n := range ties {
			ties[n] = float32(float32(n-600)*scale) * 0.5
		}
		for _, kernel := range usableKernels() {
			become := func(from, to slice1.DataType, src []byte, a slice1.Affine) string {
				n := len(src) / from.Size()
				dst := make([]byte, n*to.Size())
				require.NoError(t, slice1.CopyBytes(dst, src, slice1.Whole(from, n), slice1.WithNumbers(to, a), slice1.WithKernel(kernel)))
				if to == slice1.Float32 { // the file's order is little-endian
					for i := 0; i < len(dst); i += 4 {
						binary.LittleEndian.PutUint32(dst[i:], binary.NativeEndian.Uint32(dst[i:]))
					}
				}
				return fmt.Sprintf("%08x", crc32.ChecksumIEEE(dst))
			}
			quantize, dequantize := slice1.Quantize([]float32{scale}, []int32{zero}), slice1.Dequantize([]float32{scale}, []int32{zero})
			require.Equal(t, floats, become(integer, slice1.Float32, order, dequantize), "%s: levels of %s", kernel, line)
			require.Equal(t, tied, become(slice1.Float32, integer, slice1.Bytes(ties), quantize), "%s: ties of %s", kernel, line)
			require.Equal(t, part, become(slice1.Float32, integer, slice1.Bytes(parts), quantize), "%s: parts of %s", kernel, line)
		}
	}
}
