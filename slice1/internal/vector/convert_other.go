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

// The functions below are for builds with vectors. They panic: this build leaves pixels to plain
// Go.

func Columns(p *program.ColumnPass, starts []int32, weights []uint8, dst, src [][]uint8) {
	panic(noLoops)
}

func Unpack(dst, src []uint8)                                             { panic(noLoops) }
func WeighRows(dst []uint8, rows [][]uint8, weights []int32)              { panic(noLoops) }
func SumRows(dst, x, y []uint8, w []int32)                                { panic(noLoops) }
func AddRows(dst, x, y []uint8, w []int32)                                { panic(noLoops) }
func CoverRows(dst []uint8, rows [][]uint8, weights []int32, flip bool)   { panic(noLoops) }
func AverageRows(dst []uint8, rows [][]uint8, weights []int32, flip bool) { panic(noLoops) }
func TotalRows(dst []uint8, rows [][]uint8)                               { panic(noLoops) }
func MeanFours(dst, x, y []uint8, pixel int)                              { panic(noLoops) }
func Colours(c *program.Colours, dst, y, cb, cr []uint8)                  { panic(noLoops) }

const noLoops = "vector: this build has no loops"
