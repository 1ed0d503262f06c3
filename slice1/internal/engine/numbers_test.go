package engine

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1/internal/program"
)

// A table that is a product and a sum takes these, whose bits are the table's. A table of which one
// number is another float takes the table.
func TestTablesThatAreProductsAndSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(79, 7))
	for i := range 600 {
		n := 1 + i%3
		table := make([]float32, 0, 256*n)
		for range n {
			scale := float32(rng.NormFloat64() * math.Exp2(float64(rng.IntN(60)-30)))
			bias := float32(rng.NormFloat64() * math.Exp2(float64(rng.IntN(60)-30)))
			switch rng.IntN(6) {
			case 0:
				bias = 0
			case 1:
				scale, bias = 1./255, -0.5
			case 2:
				scale = 0
			}
			for x := range 256 {
				table = append(table, float32(scale*float32(x))+bias)
			}
		}
		numbers := Affine{Table: table}
		x, v := numbers.Resolve(program.Uint8, program.Float32, new([]uint64))
		require.Equal(t, program.InFloat32, x.Rule, "%d", i)
		for k, y := range table {
			require.Equal(t, math.Float32bits(y), math.Float32bits(float32(v.Scale[k/256]*float32(k%256))+v.Bias[k/256]))
		}
		at := rng.IntN(len(table))
		if scale := (v.Scale[at/256]); at%256 < 2 || math.Abs(float64(scale)) < 1e-3*math.Abs(float64(v.Bias[at/256])) {
			continue // another scale or bias may make it
		}
		table[at] = math.Nextafter32(table[at], 2*table[at]+1)
		x, v = numbers.Resolve(program.Uint8, program.Float32, new([]uint64))
		if x.Rule == program.InFloat32 { // another scale makes it, too
			for k, y := range table {
				require.Equal(t, math.Float32bits(y), math.Float32bits(float32(v.Scale[k/256]*float32(k%256))+v.Bias[k/256]))
			}
			continue
		}
		require.Equal(t, program.ByTable, x.Rule)
		require.Equal(t, table, unsafe.Slice((*float32)(unsafe.Pointer(&v.Table[0])), len(table)))
	}
	curve := make([]float32, 256)
	for x := range curve {
		curve[x] = float32(math.Sqrt(float64(x)))
	}
	numbers := Affine{Table: curve}
	x, _ := numbers.Resolve(program.Uint8, program.Float32, new([]uint64))
	require.Equal(t, program.ByTable, x.Rule)
}
