//go:build !(goexperiment.simd && amd64 && go1.27 && !go1.28)

package vector

import (
	"unsafe"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// Converts reports whether this build converts numbers and colours by vectors.
const Converts = false

// Widen, Narrow and Reverse convert nothing: this build leaves all numbers to plain Go.

func Widen(d []float32, src unsafe.Pointer, t program.ElementType, scale, bias []float32, perElement bool) (done int) {
	return 0
}

func Narrow(dst unsafe.Pointer, numbers []float32, t program.ElementType) (done int) { return 0 }

func Reverse(dst, src unsafe.Pointer, n, size int64) (done int64) { return 0 }

// WeighRows and WeighPixels panic: this build leaves resampling to plain Go.

func WeighRows(dst []uint8, rows [][]uint8, weights []int32, bits int) {
	panic("vector: this build has no loops")
}

func WeighPixels(dst, src [4][]uint8, starts, n, weights []int32, taps, bits int) {
	panic("vector: this build has no loops")
}

// Colours panics: this build leaves colours to plain Go.
func Colours(c *program.Colours, dst, y, cb, cr []uint8) { panic("vector: this build has no loops") }
