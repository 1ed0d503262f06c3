//go:build amd64 || arm64

package directml

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/directml/internal/d3d"
	"github.com/seed2e45c115/dml/directml/internal/testdata/samples"
	"github.com/seed2e45c115/dml/slice1"
)

// mostPerDispatch is the most output elements that DirectML computes in one dispatch: 256 per
// group.
const mostPerDispatch = 256 * maxGroups

// dispatches returns how many of Direct3D's dispatches it takes to execute the parts.
func dispatches(parts []part) (n int) {
	for _, p := range parts {
		if p.Rank > 0 {
			elements := 1
			for _, m := range p.Output.Sizes[:p.Rank] {
				elements *= int(m)
			}
			n += (elements + mostPerDispatch - 1) / mostPerDispatch
		}
	}
	return n
}

// requireDocumented calls Run, RunAt and Dispatch of a plan of desc and closes it. Each must
// make the expected number of dispatches and no fault. It adds the views to formats, by format
// and stride.
func (r *recorder) requireDocumented(t *testing.T, rng *rand.Rand, desc *slice1.Desc, p *Plan, formats map[[2]uint32]int) {
	t.Helper()
	src, dst := make([]byte, p.geometry.SrcSize), make([]byte, p.geometry.DstSize)
	in, err := p.device.NewBuffer(p.geometry.SrcSize)
	require.NoError(t, err)
	out, err := p.device.NewBuffer(p.geometry.DstSize)
	require.NoError(t, err)
	for _, work := range []struct {
		call  func() error
		parts []part
	}{
		{func() error { return p.Run(dst, src) }, p.spans},
		{func() error { return p.RunAt(dst, src, samples.Corner(rng, desc)...) }, p.spans},
		{func() error { return p.Dispatch(out, in) }, p.parts},
	} {
		r.dispatches, r.views = 0, nil
		require.NoError(t, work.call())
		require.Equal(t, dispatches(work.parts), r.dispatches, "%v", p)
		if p.regions == nil {
			require.Len(t, r.views, 2, "%v", p)
			require.Zero(t, r.views[0].first+r.views[1].first)
		} else {
			require.Empty(t, r.views)
		}
		for _, v := range r.views {
			formats[[2]uint32{v.format, v.stride}]++
		}
		require.Empty(t, r.faults, "%v", p)
	}
	require.NoError(t, p.Close())
	require.NoError(t, in.Close())
	require.NoError(t, out.Close())
}

// The documentation allows the views, formats, groups and states of random slices, of the largest
// slice of one dispatch, and of the smallest slice of two dispatches.
func TestWhatReachesDirect3DIsAsDocumented(t *testing.T) {
	d := openDevice(t)
	r := record(t, d)
	rng := rand.New(rand.NewPCG(17, 17))
	formats := map[[2]uint32]int{}
	for range 100 {
		desc := samples.RandomOrRows(rng)
		for _, p := range bothPlans(t, d, desc) {
			r.requireDocumented(t, rng, desc, p, formats)
		}
	}
	for _, n := range []int{mostPerDispatch, mostPerDispatch + 1} {
		desc := samples.Flipped(slice1.Uint8, n)
		r.requireDocumented(t, rng, desc, bothPlans(t, d, desc)[0], formats)
	}
	t.Logf("recorded: %d views by format and stride %v, none beyond what Direct3D 12 guarantees, no state that needs a barrier", len(r.all), formats)
	for _, kind := range [][2]uint32{{formatR8, 0}, {formatR16, 0}, {formatNone, 4}, {formatNone, 8}} {
		assert.Positive(t, formats[kind], kind)
	}
	assert.Len(t, formats, 4)

	var desc d3d.QueueDesc
	d.queue.Call(18, uintptr(unsafe.Pointer(&desc))) // GetDesc
	assert.Equal(t, d3d.QueueDesc{Kind: d3d.ListCompute, Flags: d3d.QueueNoTimeout, NodeMask: desc.NodeMask}, desc)
}

// Slices of at most 16 regions compile no operator and record no dispatch, neither by Run nor by
// Dispatch.
func TestContiguousSlicesRecordNoDispatch(t *testing.T) {
	d := openDevice(t)
	r := record(t, d)
	rng := rand.New(rand.NewPCG(18, 18))
	for name, w := range map[string]slice1.Window{
		"all":               {Offsets: []int{0, 0, 0}, Sizes: []int{20, 30, 7}, Strides: []int{1, 1, 1}, Out: []int{20, 30, 7}},
		"one plane":         {Offsets: []int{7, 0, 0}, Sizes: []int{1, 30, 7}, Strides: []int{1, 1, 1}, Out: []int{1, 30, 7}},
		"part of each":      {Offsets: []int{3, 5, 0}, Sizes: []int{16, 9, 7}, Strides: []int{1, 1, 1}, Out: []int{16, 9, 7}},
		"planes backwards":  {Offsets: []int{1, 0, 0}, Sizes: []int{16, 30, 7}, Strides: []int{-1, 1, 1}, Out: []int{16, 30, 7}},
		"every other plane": {Offsets: []int{0, 0, 0}, Sizes: []int{20, 30, 7}, Strides: []int{2, 1, 1}, Out: []int{10, 30, 7}},
	} {
		desc := slice1.NewDesc(slice1.Float16, []int{20, 30, 7}, w)
		p, err := d.NewPlan(desc)
		require.NoError(t, err)
		src := randomBytes(rng, p.geometry.SrcSize)
		want := onCPU(t, desc, make([]byte, p.geometry.DstSize), src)
		got := make([]byte, p.geometry.DstSize)
		require.NoError(t, p.Run(got, src))
		require.Equal(t, want, got, name)
		in, err := d.NewBuffer(p.geometry.SrcSize)
		require.NoError(t, err)
		out, err := d.NewBuffer(p.geometry.DstSize)
		require.NoError(t, err)
		clear(got)
		require.NoError(t, in.Upload(src))
		require.NoError(t, p.Dispatch(out, in))
		require.NoError(t, out.Download(got))
		require.Equal(t, want, got, name)
	}
	assert.Zero(t, r.dispatches)
	assert.Zero(t, r.compiled)
	assert.Empty(t, r.all)
	assert.Empty(t, r.faults)
}

// A slice of one row of a tensor of 1 GiB uploads only that row. On the adapter it creates buffers
// for two rows: one for the input and one for the output.
func TestARowOfALargeTensorSendsARow(t *testing.T) {
	d := openDevice(t)
	r := record(t, d)
	const rows, row = 1 << 14, 1 << 16
	src := make([]byte, rows*row)
	for _, stride := range []int{1, -1} { // without an operator, and with one
		desc := slice1.NewDesc(slice1.Uint8, []int{rows, row}, slice1.Window{
			Offsets: []int{12345, 0}, Sizes: []int{1, row}, Strides: []int{1, stride}, Out: []int{1, row},
		})
		p, err := d.NewPlan(desc)
		require.NoError(t, err)
		for _, at := range []int{12345, 0, rows - 1} {
			for i := range row {
				src[at*row+i] = byte(i * i >> 5)
			}
			want := bytes.Clone(src[at*row:][:row])
			if stride < 0 {
				for i := range want {
					want[i] = src[at*row+row-1-i]
				}
			}
			r.sent, r.lent = 0, 0
			dst := make([]byte, row)
			require.NoError(t, p.RunAt(dst, src, at, 0))
			require.True(t, bytes.Equal(want, dst))
			assert.EqualValues(t, row, r.sent)
			assert.LessOrEqual(t, r.lent, int64(2*row))
		}
	}
	assert.Equal(t, 1, r.compiled)
	for _, v := range r.all {
		assert.EqualValues(t, row, v.elements)
	}
	assert.NotEmpty(t, r.all)
	assert.Empty(t, r.faults)
}
