package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/slice1"
)

// BenchmarkAddresses measures what it costs if source and destination are near each other modulo 1
// MiB. Processors compare some low bits of the addresses of loads with the same bits of the stores
// before them, and take equal bits for a dependence. A distance is from the source to the
// destination, in bytes modulo 1 MiB. Compare with the distance 64 KiB:
//
//	go -C bench test -run - -bench Addresses | tee addresses.txt
//	benchstat -col /distance addresses.txt
//
// On Linux the buffers lie in pages of 2 MiB if the system has them. In these pages physical
// addresses have the same low bits.
func BenchmarkAddresses(b *testing.B) {
	ws, err := named([]string{"crop4096", "stride2", "stride3", "stride-1", "bgr", "downsample", "transpose", "outstride2"})
	require.NoError(b, err)
	for _, w := range ws {
		for _, kernel := range append(kernelNames(), dml) {
			for _, distance := range []int{64 << 10, 0, 1, -1, 16, -16, 64, -64, 128, -128, 192, -192, 256, -256} {
				b.Run(fmt.Sprintf("work=%s/kernel=%s/distance=%d", w.name, kernel, distance), func(b *testing.B) {
					near(b, w, kernel, distance)
				})
			}
		}
	}
}

// near runs a work of 64 KiB of output with the destination at a distance from the source.
func near(b *testing.B, w work, kernel string, distance int) {
	d, err := w.desc(1, 64<<10)
	require.NoError(b, err)
	name := kernel
	if kernel == dml {
		name = ""
	}
	p, err := slice1.NewPlan(d, slice1.WithKernel(name), slice1.WithParallelism(1))
	require.NoError(b, err)
	src := arena(int(p.SrcSize()), 0)
	fill(src)
	dst := arena(int(p.DstSize()), 1<<20+distance)
	for range firstRuns {
		require.NoError(b, p.Run(dst, src))
	}
	b.SetBytes(p.DstSize())
	for b.Loop() {
		if err := p.Run(dst, src); err != nil {
			b.Fatal(err)
		}
	}
}
