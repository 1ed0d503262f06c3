package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// BenchmarkPairs measures each pair of types with numbers of 64 bits, without values and with a
// scale and a bias, by each kernel and on one goroutine. Numbers are from 0 to 127.5. Memory says
// how fast the bytes of a pair are copied:
//
//	go -C bench test -run - -bench Pairs -cpu 1 -count 6 | tee pairs.txt
//	benchstat -col /kernel pairs.txt
func BenchmarkPairs(b *testing.B) {
	types := []slice1.DataType{slice1.Uint8, slice1.Int8, slice1.Uint16, slice1.Int16, slice1.Int32, slice1.Uint32, slice1.Float16, slice1.BFloat16, slice1.Float32,
		slice1.Int64, slice1.Uint64, slice1.Float64}
	const n = 16 << 10
	bytes, src, dst := make([]byte, n), make([]byte, 8*n), make([]byte, 8*n)
	fill(bytes)
	clear(dst)
	for _, from := range types {
		small := slice1.WithNumbers(from, slice1.Affine{Scale: []float32{0.5}}) // from 0 to 127.5
		require.NoError(b, slice1.CopyBytes(src[:n*from.Size()], bytes, slice1.Whole(slice1.Uint8, n), small))
		for _, to := range types {
			if from == to || from.Size() < 8 && to.Size() < 8 {
				continue
			}
			half := n * (from.Size() + to.Size()) / 2
			b.Run("from="+from.String()+"/to="+to.String()+"/kernel=memory", func(b *testing.B) {
				b.SetBytes(int64(2 * half))
				for b.Loop() {
					copy(dst[:half], src[:half])
				}
			})
			for name, a := range map[string]slice1.Affine{"none": {}, "both": {Scale: []float32{0.5}, Bias: []float32{1}}} {
				for _, k := range slice1.Kernels() {
					if !k.Usable {
						continue
					}
					p, err := slice1.NewPlan(slice1.Whole(from, n), slice1.WithNumbers(to, a), slice1.WithParallelism(1), slice1.WithKernel(k.Name))
					require.NoError(b, err)
					b.Run("from="+from.String()+"/to="+to.String()+"/values="+name+"/kernel="+k.Name, func(b *testing.B) {
						b.SetBytes(int64(n * (from.Size() + to.Size())))
						for b.Loop() {
							if err := p.Run(dst[:n*to.Size()], src[:n*from.Size()]); err != nil {
								b.Fatal(err)
							}
						}
					})
				}
			}
		}
	}
}
