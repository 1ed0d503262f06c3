//go:build amd64 || arm64

package directml

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
	"github.com/seed2e45c115/dml/directml/internal/translate"
	"github.com/seed2e45c115/dml/slice1"
)

// Slices with an input or an output larger than a chunk, or both, give the same bytes as the CPU.
func TestLargeSlicesAreStagedInChunks(t *testing.T) {
	d := openDevice(t)
	rng := rand.New(rand.NewPCG(12, 12))
	for name, desc := range map[string]*slice1.Desc{
		"both ways": {
			Input: slice1.TensorDesc{DataType: slice1.Uint16, Sizes: []int{5000, 4001}}, Output: slice1.TensorDesc{DataType: slice1.Uint16, Sizes: []int{5000, 4001}},
			WindowOffsets: []int{0, 0}, WindowSizes: []int{5000, 4001}, WindowStrides: []int{-1, -1},
		},
		"there, little back": {
			Input: slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{2<<24 + 7}}, Output: slice1.TensorDesc{DataType: slice1.Uint8, Sizes: []int{3}},
			WindowOffsets: []int{1}, WindowSizes: []int{2<<24 + 5}, WindowStrides: []int{1 << 24},
		},
		"back with gaps": {
			Input:         slice1.TensorDesc{DataType: slice1.Uint32, Sizes: []int{40, 250}},
			Output:        slice1.TensorDesc{DataType: slice1.Uint32, Sizes: []int{40, 250}, Strides: []int{1 << 17, 3}},
			WindowOffsets: []int{0, 0}, WindowSizes: []int{40, 250}, WindowStrides: []int{1, -1},
		},
	} {
		g := translate.GeometryOf(desc)
		src, before := randomBytes(rng, g.SrcSize), randomBytes(rng, g.DstSize+3)
		want := onCPU(t, desc, before, src)
		dst := bytes.Clone(before)
		for _, p := range bothPlans(t, d, desc) {
			copy(dst, before)
			require.NoError(t, p.Run(dst, src))
			require.True(t, bytes.Equal(want, dst), name)
			require.NoError(t, p.Close())
		}

		in, err := d.NewBuffer(g.SrcSize)
		require.NoError(t, err)
		require.NoError(t, in.Upload(src))
		clear(dst)
		require.NoError(t, in.Download(dst[:min(len(dst), len(src))]))
		n := min(len(dst), len(src))
		require.True(t, bytes.Equal(src[:n], dst[:n]), name)
		require.NoError(t, in.Close())
	}
}

// A lane keeps buffers of runs up to a bound. A larger buffer is released after the call, and the
// kept buffers stay as they are.
func TestScratchMemoryIsBounded(t *testing.T) {
	d := openDevice(t)
	run := func(in, out int64) (resources [2]d3d.Resource) {
		require.NoError(t, d.withLane(context.Background(), func(l *lane) (err error) {
			for i, size := range [...]int64{in, out} {
				if resources[i], err = l.buffer(i, size); err != nil {
					return err
				}
			}
			return nil
		}))
		return resources
	}
	kept := func() [2]int64 { return [...]int64{d.lanes[0].kept[0].size, d.lanes[0].kept[1].size} }
	a := run(33<<20, 1)
	assert.Equal(t, [...]int64{48 << 20, 64 << 10}, kept())
	assert.Equal(t, a, run(34<<20, 2), "taken again")
	live := d3d.Live()
	b := run(maxKept+1, 3)
	assert.NotEqual(t, a[0], b[0])
	assert.Equal(t, a[1], b[1])
	assert.Equal(t, live, d3d.Live(), "released")
	assert.Equal(t, a, run(35<<20, 4), "kept")
	c := run(maxKept, 5) // perhaps at the address of what it replaces
	assert.Equal(t, [...]int64{maxKept, 64 << 10}, kept())
	assert.Equal(t, c, run(1, 6))
	assert.Equal(t, live, d3d.Live())
}
