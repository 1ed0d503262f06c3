//go:build cgo && !purego && (amd64 || arm64)

package slice1_test

import (
	"encoding/binary"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
	"github.com/seed2e45c115/dml/slice1/internal/fpcontrol"
)

// controls are values of the register that differ from its default in one thing, or in two.
var controls = map[string]map[string]uint64{
	"amd64": {
		"denormals are zero": 0x1fc0, "flush to zero": 0x9f80, "both, as -ffast-math has it": 0x9fc0,
		"round down": 0x3f80, "round up": 0x5f80, "round to zero": 0x7f80,
		"flush to zero, with exceptions noted": 0x9fa4, "exceptions noted": 0x1fbf,
	},
	"arm64": {"flush to zero": 1 << 24, "round up": 1 << 22, "round down": 2 << 22, "round to zero": 3 << 22, "flush to zero, round up": 5 << 22},
}[runtime.GOARCH]

// Numbers that another rounding or a flush to zero would change: subnormals, subnormal products and
// sums, halfway cases of float32, float16, bfloat16 and integers, of both signs.
func delicate() (v []float32) {
	for _, x := range []float32{
		math.SmallestNonzeroFloat32, 0x1p-140, 0x1p-127, 0x1.8p-126, 0x1p-126, 0x1p-125, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1.ffcp-15, 0x1.002p0, 0x1.006p0,
		0x1.01p0, 0x1.03p0, 0x1.000002p0, 0x1.fffffep0, 0.5, 1.5, 2.5, 126.5, 127.5, 254.5, 255.5, 32767.5, 65534.5, 65535.5, 0x1p31, 0x1.fffffep30, 65519, 65520, 1. / 3, 0x1.fffffep127,
	} {
		v = append(v, x, -x)
	}
	return append(v, 0, minusZero)
}

// C's kernels give the same bits for each value of the register that a library built with
// -ffast-math may have set, and leave the register unchanged. Steps before and after the conversion
// are among the layouts.
func TestConversionsIgnoreTheControlRegister(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := fpcontrol.Get()
	defer fpcontrol.Set(before)
	numbers := delicate()
	for _, kernel := range usableKernels() {
		for _, from := range converted {
			src := slice1.Bytes(numbers)
			if from != slice1.Float32 {
				src = src[:0:0]
				for i := range 3000 { // elements of 16 bits from end to end
					src = binary.NativeEndian.AppendUint16(src, uint16(i*21+i%21))
				}
			}
			n := len(src) / from.Size() / 3
			for _, to := range converted {
				for _, layout := range []string{"rows", "planes", "pixels"} {
					d := slice1.Whole(from, n, 3)
					switch layout {
					case "planes":
						d, _ = d.Permute(1, 0)
					case "pixels":
						d, _ = slice1.Whole(from, 3, n).Permute(1, 0)
					}
					a := slice1.Affine{Scale: []float32{1.0 / 3}, Bias: []float32{0x1p-140}}
					if to == slice1.Float32 {
						a.Scale[0] = 0x1p-130 // which makes subnormals of integers
					}
					c, err := slice1.NewPlan(d, slice1.WithNumbers(to, a), slice1.WithKernel(kernel), slice1.WithParallelism(1))
					require.NoError(t, err)
					if strings.Contains(c.String(), "kernel go") || strings.Contains(c.String(), "kernel simd") {
						continue // Go's kernels promise nothing
					}
					want := make([]byte, c.DstSize())
					convertSlowly(d, to, src, binary.NativeEndian, a, func(_, at int, y float64) { put(to, want[at*to.Size():], y) })
					for name, value := range controls {
						got := make([]byte, len(want))
						fpcontrol.Set(value)
						err := c.Run(got, src)
						after := fpcontrol.Get()
						fpcontrol.Set(before)
						require.NoError(t, err)
						sameNumbers(t, to, want, got, func() string { return name + ", " + c.String() })
						// The exceptions noted may have become more, also by what Go computes.
						require.Equal(t, value, after&value, "%s: %#x, %v", name, after, c)
						require.Equal(t, value|0x3f, after|0x3f, "%s: %v", name, c)
						tested(t, kernel)
					}
				}
			}
		}
	}
}

// The register decides what Go computes. So the test above would see a change that C does not
// restore.
func TestControlRegisterChangesResults(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := fpcontrol.Get()
	defer fpcontrol.Set(before)
	products, quotients := map[uint32]bool{}, map[uint32]bool{}
	for _, value := range controls {
		fpcontrol.Set(value)
		product, quotient := multiply(0x1p-100, 0x1p-40), divide(1, 3)
		fpcontrol.Set(before)
		products[math.Float32bits(product)], quotients[math.Float32bits(quotient)] = true, true
	}
	require.Len(t, products, 2)
	require.Len(t, quotients, 2)
}

// Calls stay where they are, between those that set the register.
//
//go:noinline
func multiply(a, b float32) float32 { return a * b }

//go:noinline
func divide(a, b float32) float32 { return a / b }
