package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// BenchmarkThree measures 512 KiB of RGB that become BGR in three ways: by a plan, by the loop of
// the tables with an inner loop of three elements, and by a loop with three assignments in place of
// the inner one:
//
//	go -C bench test -run - -bench Three
func BenchmarkThree(b *testing.B) {
	const n = 512 << 10 / 3
	d := slice1.Whole(slice1.Uint8, n, 3)
	d.WindowStrides[1] = -1
	p, err := slice1.NewPlan(d, slice1.WithParallelism(1))
	require.NoError(b, err)
	src, dst := make([]uint8, 3*n), make([]uint8, 3*n)
	fill(src)
	axes, first := axesOf(d)
	want := make([]uint8, 3*n)
	reference(d, want, src)
	for _, by := range []struct {
		name string
		run  func()
	}{
		{"dml", func() { _ = p.Run(dst, src) }},
		{"nest", naiveLoop(dst, src, axes, first, 1)},
		{"three", func() {
			for i := 0; i+3 <= len(dst); i += 3 {
				dst[i], dst[i+1], dst[i+2] = src[i+2], src[i+1], src[i]
			}
		}},
	} {
		b.Run("by="+by.name, func(b *testing.B) {
			b.SetBytes(3 * n)
			clear(dst)
			for b.Loop() {
				by.run()
			}
			require.Equal(b, want, dst)
		})
	}
}
