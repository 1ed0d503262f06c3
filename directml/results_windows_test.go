//go:build amd64 || arm64

package directml

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/seed2e45c115/dml/directml/internal/testdata/samples"
	"github.com/seed2e45c115/dml/directml/internal/translate"
	"github.com/seed2e45c115/dml/slice1"
)

// The examples of the operator's documentation give the documented results, for every data type.
// They run once, and five times in one slice. With a faulty driver the calls succeed and the bytes
// are wrong.
func TestKnownAnswer(t *testing.T) {
	d := openDevice(t)
	info := d.Info()
	t.Logf("DirectML %s on %s (software: %v), feature level %s, data types %v",
		info.Version, info.Adapter, info.Software, info.FeatureLevel, info.DataTypes)
	require.NotEmpty(t, info.Adapter)
	require.GreaterOrEqual(t, info.FeatureLevel, slice1.FeatureLevel2_1)
	list, err := Adapters()
	require.NoError(t, err)
	names := map[uint64]string{}
	for i, a := range list {
		require.Equal(t, i, a.Index)
		names[a.LUID] = a.Name
		if a.LUID == info.LUID {
			t.Logf("adapter %d, vendor %#x, driver %s", a.Index, a.Vendor, a.Driver)
		}
	}
	require.Equal(t, info.Adapter, names[info.LUID])
	src := make([]byte, 16)
	for i := range src {
		src[i] = byte(i + 1)
	}
	for stride, want := range map[int][]byte{2: {2, 4, 10, 12}, -2: {14, 16, 6, 8}} {
		for dtype := slice1.Float32; dtype <= slice1.Int64; dtype++ {
			for _, times := range []int{1, 5} { // some drivers are wrong only if there is more to do
				desc := slice1.NewDesc(dtype, []int{times, 4, 4}, slice1.Window{
					Offsets: []int{0, 0, 1}, Sizes: []int{times, 4, 3}, Strides: []int{1, stride, 2}, Out: []int{times, 2, 2},
				})
				for _, p := range bothPlans(t, d, desc) {
					size := dtype.Size()
					dst := make([]byte, 4*times*size)
					require.NoError(t, p.Run(dst, spread(bytes.Repeat(src, times), size)))
					require.Equal(t, spread(bytes.Repeat(want, times), size), dst, "the driver executes wrongly and reports success: %v: %v", dtype, p)
					require.NoError(t, p.Close())
				}
			}
		}
	}
}

// spread returns elements of the given size, each of one byte value repeated.
func spread(values []byte, size int) (all []byte) {
	for _, v := range values {
		all = append(all, bytes.Repeat([]byte{v}, size)...)
	}
	return all
}

// comparison compares the results of plans with the CPU's results, and counts what it compares.
type comparison struct {
	executed, dispatched, kept int         // runs; dispatches; dispatches that changed only output elements
	descs, gaps, partial       int         // descriptors; descriptors with gaps in the output; descriptors with partial outputs
	ranks, widths              map[int]int // descriptors by rank, and by bytes of an element
}

// count counts a descriptor.
func (c *comparison) count(desc *slice1.Desc, g translate.Geometry) {
	c.descs++
	c.ranks[len(desc.Input.Sizes)]++
	c.widths[desc.Input.DataType.Size()]++
	if g.Gaps {
		c.gaps++
	}
	for i, m := range desc.Output.Sizes {
		if m <= (desc.WindowSizes[i]-1)/max(desc.WindowStrides[i], -desc.WindowStrides[i]) {
			c.partial++
			break
		}
	}
}

// run runs and dispatches a plan of desc and closes the plan. At first the destination holds
// before. Run must change it to want, and Dispatch must give the output elements of want.
func (c *comparison) run(t *testing.T, desc *slice1.Desc, p *Plan, src, before, want []byte, in, out *Buffer) {
	t.Helper()
	dst := bytes.Clone(before)
	require.NoError(t, p.Run(dst, src))
	require.True(t, bytes.Equal(want, dst), "%v\n%v\nwant %v\ngot  %v", samples.Describe(desc), p, want, dst)
	c.executed++

	require.NoError(t, out.Upload(before))
	require.NoError(t, p.Dispatch(out, in))
	got := make([]byte, len(before))
	require.NoError(t, out.Download(got))
	for _, m := range samples.Moves(desc) {
		if want[m.Dst] != got[m.Dst] { // not by require, which would make the texts for each byte
			t.Fatalf("dispatched: byte %d is %d, not %d: %v\n%v", m.Dst, got[m.Dst], want[m.Dst], samples.Describe(desc), p)
		}
	}
	c.dispatched++
	if bytes.Equal(want, got) {
		c.kept++
	}
	require.NoError(t, p.Close())
}

// operators returns plans of desc, one for each different pair of operators that it has at the
// levels. It leaves out levels at which the rank is too high.
func operators(t *testing.T, d *Device, desc *slice1.Desc, levels []translate.Capability) (plans []*Plan) {
	t.Helper()
	tried := map[[2]translate.Operator]bool{}
	for _, c := range levels {
		whole, err := translate.OperatorOf(desc, c)
		if errors.Is(err, slice1.ErrRank) {
			continue
		}
		require.NoError(t, err)
		movable, err := translate.MovableOf(desc, c)
		require.NoError(t, err)
		if both := [2]translate.Operator{whole, movable}; !tried[both] {
			tried[both] = true
			plans = append(plans, operatorPlan(t, d, whole, movable, desc))
		}
	}
	return plans
}

// Run gives the same bytes as the CPU, also in gaps and past the tensors. Dispatch gives the same
// output elements. Descriptors are translated for the device's level and for earlier levels. The
// device also takes operators of earlier levels.
func TestResultsAreTheCPUs(t *testing.T) {
	d := openDevice(t)
	rng := rand.New(rand.NewPCG(10, 10))
	const runs = 600
	var levels []translate.Capability
	for _, device := range samples.Devices {
		c := translate.Capability(device)
		if c.Level <= d.capability.Level && c.Types&^d.capability.Types == 0 {
			levels = append(levels, c)
		}
	}
	require.NotEmpty(t, levels)
	start := time.Now()
	c, copied := comparison{ranks: map[int]int{}, widths: map[int]int{}}, 0
	for range runs {
		desc := samples.Random(rng)
		g := translate.GeometryOf(desc)
		src := randomBytes(rng, g.SrcSize+rng.Int64N(9))
		before := randomBytes(rng, g.DstSize+rng.Int64N(9))
		want := onCPU(t, desc, before, src)
		c.count(desc, g)

		in, err := d.NewBuffer(int64(len(src)))
		require.NoError(t, err)
		out, err := d.NewBuffer(int64(len(before)))
		require.NoError(t, err)
		require.NoError(t, in.Upload(src))
		plans := operators(t, d, desc, levels)
		if p, err := d.NewPlan(desc); p.regions != nil {
			require.NoError(t, err)
			plans = append(plans, p)
			copied++
		}
		for _, p := range plans {
			c.run(t, desc, p, src, before, want, in, out)
		}
		require.NoError(t, in.Close())
		require.NoError(t, out.Close())
	}
	t.Logf("results: %d descriptors (%d with gaps in the output, %d with partial outputs), %d runs and %d dispatches equal to the CPU's, %d of either without an operator, %d of the dispatches kept all gaps; by rank %v, by width %v; %v",
		c.descs, c.gaps, c.partial, c.executed, c.dispatched, copied, c.kept, c.ranks, c.widths, time.Since(start).Round(time.Millisecond))
	for rank := 1; rank <= translate.MaxRank; rank++ {
		assert.Greater(t, c.ranks[rank], 20)
	}
	assert.Len(t, c.widths, 4)
	assert.Greater(t, c.gaps, 50)
	assert.Greater(t, c.partial, 100)
	assert.Greater(t, copied, 50)
}

// Slices of rows have elements that become wider ones. They give the same bytes as the CPU.
func TestWideResultsAreTheCPUs(t *testing.T) {
	d := openDevice(t)
	rng := rand.New(rand.NewPCG(24, 24))
	const runs = 2000
	start, wide := time.Now(), map[int]int{}
	c := comparison{ranks: map[int]int{}, widths: map[int]int{}}
	for range runs {
		desc := samples.Rows(rng)
		g := translate.GeometryOf(desc)
		src, before := randomBytes(rng, g.SrcSize), randomBytes(rng, g.DstSize)
		want := onCPU(t, desc, before, src)
		in, err1 := d.NewBuffer(g.SrcSize)
		out, err2 := d.NewBuffer(g.DstSize)
		require.NoError(t, errors.Join(err1, err2, in.Upload(src)))
		p := bothPlans(t, d, desc)[1]
		for _, op := range []*translate.Operator{&p.op, &p.spans[0].Operator} {
			if width := op.DataType.Size(); width > desc.Input.DataType.Size() {
				wide[width]++
			}
		}
		c.run(t, desc, p, src, before, want, in, out)
		require.NoError(t, errors.Join(in.Close(), out.Close()))
	}
	t.Logf("wide: %d descriptors equal to the CPU's by Run and Dispatch, whose elements became ones of so many bytes: %v; %v",
		runs, wide, time.Since(start).Round(time.Millisecond))
	for _, width := range []int{2, 4, 8} {
		assert.Greater(t, wide[width], runs/20)
	}
}

// In the first four cases the output is smaller than its window yields, and the rows chain in
// memory: DirectML 1.15.4 copies wrong elements. Given the smallest window that yields the
// output, as in the last case, DirectML is right.
func TestPartialOutputsNeedTheSmallestWindow(t *testing.T) {
	d := openDevice(t)
	src := []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	in, err := d.NewBuffer(12)
	require.NoError(t, err)
	out, err := d.NewBuffer(12)
	require.NoError(t, err)
	faults := 0
	for _, c := range []struct {
		window, out []int
		right, dll  []byte
	}{
		{[]int{4, 3}, []int{2, 2}, []byte{0, 1, 3, 4}, []byte{0, 1, 2, 3}},
		{[]int{2, 3}, []int{2, 2}, []byte{0, 1, 3, 4}, []byte{0, 1, 2, 3}},
		{[]int{4, 3}, []int{4, 2}, []byte{0, 1, 3, 4, 6, 7, 9, 10}, []byte{0, 1, 2, 3, 4, 5, 6, 7}},
		{[]int{4, 3}, []int{2, 1}, []byte{0, 3}, []byte{0, 1}},
		{[]int{2, 2}, []int{2, 2}, []byte{0, 1, 3, 4}, []byte{0, 1, 3, 4}},
	} {
		desc := slice1.NewDesc(slice1.Uint8, []int{4, 3}, slice1.Window{Offsets: []int{0, 0}, Sizes: c.window, Strides: []int{1, 1}, Out: c.out})
		op, err := translate.OperatorOf(desc, d.capability)
		require.NoError(t, err)
		run := func(op translate.Operator) []byte {
			p := operatorPlan(t, d, op, op, desc)
			defer p.Close()
			dst := make([]byte, len(c.right))
			require.NoError(t, in.Upload(src))
			require.NoError(t, p.Dispatch(out, in)) // over op's window as it is; Run would use the smallest
			require.NoError(t, out.Download(dst))
			return dst
		}
		require.Equal(t, c.right, run(op))
		for i, w := range c.window {
			op.Windows[i] = uint32(w)
		}
		got := run(op)
		if !bytes.Equal(c.right, got) {
			faults++
		}
		if isWine() { // a card may have a kernel of its own
			require.Equal(t, c.dll, got, "the fault has changed")
		}
	}
	t.Logf("partial outputs: DirectML %s is wrong on %d of 5 windows left as they are, on none of 5 made smallest", d.Info().Version, faults)
}

// A chain of dispatches, each on the output of the one before, needs no wait between them.
func TestDispatchesChain(t *testing.T) {
	d := openDevice(t)
	rng := rand.New(rand.NewPCG(11, 11))
	links := 0
	for range 40 {
		dtype := slice1.DataType(1 + rng.IntN(11))
		shape := []int{6 + rng.IntN(20), 6 + rng.IntN(20), 6 + rng.IntN(10)}
		size := int64(shape[0] * shape[1] * shape[2] * dtype.Size())
		data := randomBytes(rng, size)
		from, err := d.NewBuffer(size)
		require.NoError(t, err)
		to, err := d.NewBuffer(size)
		require.NoError(t, err)
		require.NoError(t, from.Upload(data))
		want := data
		var plans []*Plan
		for range 1 + rng.IntN(8) {
			w := slice1.Window{}
			for _, n := range shape {
				stride := []int{1, -1, -1, 2}[rng.IntN(4)]
				if n < 4 {
					stride = -1
				}
				w.Offsets, w.Sizes, w.Strides = append(w.Offsets, 0), append(w.Sizes, n), append(w.Strides, stride)
				w.Out = append(w.Out, 1+(n-1)/max(stride, -stride))
			}
			desc := slice1.NewDesc(dtype, shape, w)
			p, err := d.NewPlan(desc)
			require.NoError(t, err)
			require.NoError(t, p.Dispatch(to, from))
			want = onCPU(t, desc, make([]byte, size), want)
			shape = w.Out
			from, to = to, from
			plans = append(plans, p)
			links++
		}
		for _, p := range plans {
			require.NoError(t, p.Close(), "while the adapter may be at work on it")
		}
		require.NoError(t, to.Close(), "while the adapter may be at work on it")
		n := int64(shape[0] * shape[1] * shape[2] * dtype.Size())
		got := make([]byte, n)
		require.NoError(t, from.Download(got))
		require.True(t, bytes.Equal(want[:n], got))
		require.NoError(t, from.Close())
	}
	t.Logf("chains: 40 of %d dispatches in all, equal to the CPU's", links)
}
