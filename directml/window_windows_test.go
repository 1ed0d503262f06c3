//go:build amd64 || arm64

package directml

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/directml/internal/testdata/samples"
	"github.com/seed2e45c115/dml/directml/internal/translate"
	"github.com/seed2e45c115/dml/slice1"
)

// RunAt on the GPU gives the same bytes as a CPU plan for these offsets.
func TestRunAtMovesTheWindow(t *testing.T) {
	d := openDevice(t)
	rng := rand.New(rand.NewPCG(14, 14))
	runs := 0
	for range 150 {
		desc := samples.RandomOrRows(rng)
		g := translate.GeometryOf(desc)
		src, before := randomBytes(rng, g.SrcSize), randomBytes(rng, g.DstSize)
		for _, p := range bothPlans(t, d, desc) {
			for range 3 {
				at := samples.Corner(rng, desc)
				want := onCPU(t, samples.Moved(desc, at), before, src)
				dst := bytes.Clone(before)
				require.NoError(t, p.RunAt(dst, src, at...))
				require.Equal(t, want, dst, "%v of %v", at, p)
				runs++
			}
			require.NoError(t, p.Close())
		}
	}
	t.Logf("windows: %d runs of 300 plans at offsets of their own, equal to the CPU's", runs)
}

// In chains of four RunAt, each takes a window of the result before. The window of its plan is at
// offset 0. The chains give the same bytes as the CPU's plans.
func TestRunAtsChain(t *testing.T) {
	d := openDevice(t)
	rng := rand.New(rand.NewPCG(15, 15))
	links := 0
	for range 20 {
		shape := []int{30 + rng.IntN(20), 30 + rng.IntN(20), 1 + rng.IntN(4)}
		got := randomBytes(rng, int64(2*shape[0]*shape[1]*shape[2]))
		want := got
		for range 4 {
			w := slice1.Window{Offsets: []int{0, 0, 0}}
			for _, n := range shape {
				size := n - rng.IntN(1+n/4)
				w.Sizes, w.Out = append(w.Sizes, size), append(w.Out, size)
				w.Strides = append(w.Strides, samples.Pick(rng, 1, -1))
			}
			desc := slice1.NewDesc(slice1.Float16, shape, w)
			at := samples.Corner(rng, desc)
			gpu, err := d.NewPlan(desc)
			require.NoError(t, err)
			cpu, err := slice1.NewPlan(desc)
			require.NoError(t, err)
			there, here := make([]byte, gpu.geometry.DstSize), make([]byte, gpu.geometry.DstSize)
			require.NoError(t, gpu.RunAt(there, got, at...))
			require.NoError(t, cpu.RunAt(here, want, at...))
			got, want, shape = there, here, w.Out
			links++
		}
		require.Equal(t, want, got)
	}
	t.Logf("windows: 20 chains of %d RunAt in all, equal to the CPU's", links)
}

// Plans that differ only in the place of their window share the operator for Run. A plan's
// operator for Dispatch is compiled at its first Dispatch.
func TestSlicesOfOneOffsetAfterAnotherCompileOnce(t *testing.T) {
	d := openDevice(t)
	compiled := 0
	var compile uintptr
	compile = hook(t, d.dml.Object, 9, func(this, operator, flags, iid, out uintptr) uintptr { // CompileOperator
		compiled++
		result, _, _ := syscall.SyscallN(compile, this, operator, flags, iid, out)
		return result
	})
	rng := rand.New(rand.NewPCG(16, 16))
	src := randomBytes(rng, 100*60)
	var plans []*Plan
	for row := range 50 {
		desc := slice1.NewDesc(slice1.Uint8, []int{100, 60}, slice1.Window{
			Offsets: []int{row, row % 7}, Sizes: []int{40, 50}, Strides: []int{-1, 2}, Out: []int{40, 25},
		})
		p, err := d.NewPlan(desc)
		require.NoError(t, err)
		dst := make([]byte, 1000)
		require.NoError(t, p.Run(dst, src))
		require.Equal(t, onCPU(t, desc, make([]byte, 1000), src), dst)
		plans = append(plans, p)
	}
	require.Len(t, d.programs, 1)
	require.Equal(t, 1, compiled)
	in, err := d.NewBuffer(6000)
	require.NoError(t, err)
	out, err := d.NewBuffer(1000)
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, plans[3].Dispatch(out, in))
	}
	assert.Len(t, d.programs, 2)
	assert.Equal(t, 2, compiled)
	for _, p := range plans {
		require.NoError(t, p.Close())
	}
	assert.Empty(t, d.programs)
}

// A limit of some elements to a view stands for the limit of 2^27. Run cuts every slice. Dispatch
// cuts slices with parts that can begin at multiples of 16 bytes, and refuses the others. Both give
// the same results as the CPU, and no view exceeds the limit.
func TestSlicesAreCutAtALimit(t *testing.T) {
	d := openDevice(t)
	rng := rand.New(rand.NewPCG(21, 21))
	var runs, spans, dispatches, parts, refused int
	for range 600 {
		desc := samples.RandomOrRows(rng)
		g := translate.GeometryOf(desc)
		src, before := randomBytes(rng, g.SrcSize), randomBytes(rng, g.DstSize)
		want := onCPU(t, desc, before, src)
		// There are at most about 20 spans, since each takes its own list.
		d.mostElements = max(24, max(g.SrcSize, g.DstSize)/int64(desc.Input.DataType.Size())/samples.Pick(rng, int64(2), 5, 20))
		p := bothPlans(t, d, desc)[1]
		dst := bytes.Clone(before)
		require.NoError(t, p.Run(dst, src))
		require.Equal(t, want, dst, "%v", p)
		runs++
		spans += len(p.spans)
		in, err := d.NewBuffer(g.SrcSize)
		require.NoError(t, err)
		out, err := d.NewBuffer(g.DstSize)
		require.NoError(t, err)
		require.NoError(t, errors.Join(in.Upload(src), out.Upload(before)))
		if err := p.Dispatch(out, in); p.uncut != nil {
			require.ErrorIs(t, err, slice1.ErrOverflow)
			refused++
		} else {
			require.NoError(t, err)
			require.NoError(t, out.Download(dst))
			require.Equal(t, want, dst, "%v", p)
			dispatches++
			parts += len(p.parts)
		}
		require.NoError(t, errors.Join(p.Close(), in.Close(), out.Close()))
	}
	t.Logf("cut: %d runs in %d spans and %d dispatches in %d equal to the CPU's, %d dispatches refused", runs, spans, dispatches, parts, refused)
	assert.Greater(t, spans, 2*runs)
	assert.Greater(t, parts, 2*dispatches)
	assert.Greater(t, dispatches, 100)
	assert.Positive(t, refused)
}

// Run and Dispatch cut an input of more elements than an adapter may see.
func TestWhatAnAdapterMayNotSeeIsCut(t *testing.T) {
	d := openDevice(t)
	const n = translate.MostElements + 8
	far := slice1.NewDesc(slice1.Uint8, []int{n}, slice1.Window{Offsets: []int{n - 100}, Sizes: []int{100}, Strides: []int{-1}, Out: []int{100}})
	p, err := d.NewPlan(far)
	require.NoError(t, err)
	in, err := d.NewBuffer(n)
	require.NoError(t, err)
	out, err := d.NewBuffer(100)
	require.NoError(t, err)
	src, dst := make([]byte, n), make([]byte, 100)
	for i := range 100 {
		src[n-100+i] = byte(i)
	}
	want := onCPU(t, far, dst, src)
	require.NoError(t, errors.Join(in.Upload(src), p.Dispatch(out, in), out.Download(dst)))
	require.Equal(t, want, dst)

	all := slice1.NewDesc(slice1.Uint8, []int{n}, slice1.Window{Offsets: []int{0}, Sizes: []int{n}, Strides: []int{1 << 22}, Out: []int{33}})
	p, err = d.NewPlan(all)
	require.NoError(t, err)
	require.Len(t, p.spans, 2)
	for i := range 33 {
		src[i<<22] = byte(i + 1)
	}
	require.NoError(t, p.Run(dst[:33], src))
	require.Equal(t, onCPU(t, all, make([]byte, 33), src), dst[:33])
	require.NoError(t, errors.Join(in.Upload(src), p.Dispatch(out, in), out.Download(want[:33])))
	require.Equal(t, dst[:33], want[:33])
}

// Run compares elements at the ends of the output, and of each part if a slice is cut. An operator
// that does not reverse stands for a driver that gives wrong elements without an error.
func TestRunFindsWrongElements(t *testing.T) {
	d := openDevice(t)
	for spans := 1; spans <= 2; spans++ {
		d.mostElements = 100 / int64(spans)
		p, err := d.NewPlan(samples.Flipped(slice1.Uint16, 100))
		require.NoError(t, err)
		require.Len(t, p.spans, spans)
		other := bothPlans(t, d, slice1.Whole(slice1.Uint16, 100/spans))[1]
		src, dst := make([]byte, 200), make([]byte, 200)
		for i := range src {
			src[i] = byte(i + 1)
		}
		require.NoError(t, p.Run(dst, src))
		s := &p.spans[spans-1]
		right := s.compiled
		s.compiled = other.spans[0].compiled
		assert.EqualError(t, p.Run(dst, src), "directml: the adapter gave a wrong element at byte 198 of the output, without an error of its driver")
		s.compiled = right
		require.NoError(t, p.Run(dst, src))
	}
}
